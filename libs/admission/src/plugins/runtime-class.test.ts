import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { decodeObject } from '@apichain/scheme';
import { testAttributes, testLookup, testPod } from '../attributes.fixture.ts';
import { RuntimeClass } from './runtime-class.ts';

const kata: KubeObject = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata' },
  overhead: { podFixed: { cpu: '250m' } },
  scheduling: {
    nodeSelector: { runtime: 'kata' },
    tolerations: [{ key: 'kata', operator: 'Exists' }],
  },
};
const plugin = new RuntimeClass(testLookup({ runtimeclasses: [kata] }));

describe('RuntimeClass', () => {
  it('sets overhead and scheduling of the pod', async () => {
    const object = testPod({
      runtimeClassName: 'kata',
      nodeSelector: { a: 'b' },
      tolerations: [{ key: 'kata', operator: 'Equal', value: 'x' }],
    });
    await plugin.admit(testAttributes({ object }));
    assert.deepEqual(object.spec, {
      runtimeClassName: 'kata',
      overhead: { cpu: '250m' },
      nodeSelector: { a: 'b', runtime: 'kata' },
      tolerations: [{ key: 'kata', operator: 'Exists' }],
    });
    await plugin.validate(testAttributes({ object }));
  });

  it('refuses conflicting values', async () => {
    const refused = (spec: Record<string, unknown>, message: RegExp) =>
      assert.rejects(async () => plugin.admit(testAttributes({ object: testPod(spec) })), message);
    await refused({ runtimeClassName: '' }, /resource name may not be empty/);
    await refused({ runtimeClassName: '..' }, /invalid resource name "\.\.": \[may not be '\.\.'\]/);
    await refused({ runtimeClassName: 'none' }, /pod rejected: RuntimeClass "none" not found/);
    await refused(
      { runtimeClassName: 'kata', overhead: { cpu: '1' } },
      /Pod's Overhead doesn't match RuntimeClass's defined Overhead/,
    );
    await refused(
      { runtimeClassName: 'kata', nodeSelector: { runtime: 'x' } },
      /conflict: runtimeClass\.scheduling\.nodeSelector\[runtime\] = kata; pod\.spec\.nodeSelector\[runtime\] = x/,
    );
    await assert.rejects(
      plugin.validate(testAttributes({ object: testPod({ overhead: { cpu: '1' } }) })),
      /Pod Overhead set without corresponding RuntimeClass defined Overhead/,
    );
    const overhead = { name: 'overhead', type: { kind: 'map', values: { kind: 'quantity' } } } as const;
    const { object: spec } = decodeObject({ overhead: {} }, { kind: 'object', fields: [overhead] });
    await assert.rejects(
      plugin.validate(testAttributes({ object: Object.assign(testPod({}), { spec }) })),
      /Pod Overhead set without corresponding RuntimeClass defined Overhead/,
    );
  });
});
