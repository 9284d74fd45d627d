import type { Node } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { nodeEvents, nodeStatus } from './node-status.ts';
import { nodeObject } from './node-spec.ts';

describe('nodeEvents', () => {
  const facts = { version: 'v1.36.2', address: '127.0.0.1', port: 10_250 };
  const now = Date.UTC(2026, 0, 1);
  const node = nodeObject({ name: 'a' }, 0);
  const told = (conditions: readonly { readonly type: string; readonly status: string }[]) => {
    const before: Node = { ...node, status: { conditions: [...conditions] } };
    return nodeEvents(before, nodeStatus(before, facts, now)).map(({ type, reason, message }) => [
      ...[type, reason, message],
    ]);
  };

  it('tells in the words of a kubelet what a report changes', () => {
    const types = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'];
    assert.deepEqual(told(types.map((type) => ({ type, status: 'Unknown' }))), [
      ['Normal', 'NodeHasSufficientMemory', 'Node a status is now: NodeHasSufficientMemory'],
      ['Normal', 'NodeHasNoDiskPressure', 'Node a status is now: NodeHasNoDiskPressure'],
      ['Normal', 'NodeHasSufficientPID', 'Node a status is now: NodeHasSufficientPID'],
      ['Normal', 'NodeReady', 'Node a status is now: NodeReady'],
    ]);
  });

  it('tells nothing of what is so already', () => {
    const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' }));
    assert.deepEqual(told([...pressures, { type: 'Ready', status: 'True' }]), []);
    assert.deepEqual(
      told([...pressures, { type: 'Ready', status: 'False' }]).map(([, reason]) => reason),
      ['NodeReady'],
    );
  });
});
