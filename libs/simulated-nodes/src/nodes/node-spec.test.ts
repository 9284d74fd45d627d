import assert from 'node:assert/strict';
import { nodeObject, numberedNodes } from './node-spec.ts';
import { nextNodeStep, nodeStatus } from './node-status.ts';

const facts = { version: 'v1.36.2', address: '127.0.0.1', port: 10_250 };
const now = Date.UTC(2026, 0, 1);
const minute = 60_000;

describe('a simulated node', () => {
  it('has a capacity, what pods may use, and a range of addresses of its own', () => {
    const { spec, status, metadata } = nodeObject(
      { name: 'a', capacity: { cpu: '4', 'example.com/gpu': '2' }, allocatable: { cpu: '3500m' } },
      1,
    );
    assert.deepEqual([spec?.podCIDR, spec?.podCIDRs], ['10.244.1.0/24', ['10.244.1.0/24']]);
    assert.deepEqual(
      [status?.capacity?.['cpu'], status?.allocatable?.['cpu'], status?.allocatable?.['example.com/gpu']],
      ['4', '3500m', '2'],
    );
    assert.equal(metadata.labels?.['kubernetes.io/hostname'], 'a');
  });

  it('shares no addresses with another one', () => {
    const ranges = numberedNodes(5_000).map((spec, index) => nodeObject(spec, index).spec?.podCIDR);
    assert.equal(new Set(ranges).size, 5_000);
    assert.deepEqual([ranges[255], ranges[256]], ['10.244.255.0/24', '10.245.0.0/24']);
  });

  const impossible: readonly (readonly [spec: object, problem: string])[] = [
    [{ name: 'A' }, 'name: "A" is not the name of a node'],
    [{ capacity: { cpu: 'many' } }, 'capacity.cpu: "many" is not a quantity such as 4 or 16Gi'],
    [{ capacity: { memory: '-1Gi' } }, 'capacity.memory: -1Gi is negative'],
    [{ capacity: { cpu: '2' }, allocatable: { cpu: '3' } }, 'allocatable.cpu: 3 is more than the capacity, 2'],
    [{ allocatable: { 'example.com/gpu': '1' } }, 'allocatable.example.com/gpu: 1 is more than the capacity, 0'],
    [{ podCIDR: '10.0.0.0/16' }, 'podCIDR: "10.0.0.0/16" must be a range of 256 addresses such as 10.244.0.0/24'],
  ];
  for (const [spec, problem] of impossible)
    it(`is refused when it is impossible: ${problem}`, () => {
      assert.throws(() => nodeObject({ name: 'a', ...spec }, 0), { message: problem });
    });

  it('reports at once what differs, and every few minutes what does not', () => {
    const node = nodeObject({ name: 'a' }, 0);
    const first = nextNodeStep(node, facts, now);
    assert.deepEqual([first.step, first.due], ['report', now]);
    const reported = { ...node, status: first.status };
    const next = nextNodeStep(reported, facts, now + minute);
    assert.equal(next.step, 'heartbeat');
    assert.ok(next.due >= now + 2.5 * minute && next.due <= now + 7.5 * minute);
    const conditions = (reported.status.conditions ?? []).map((condition) => ({ ...condition, status: 'Unknown' }));
    const lost = { ...reported, status: { ...reported.status, conditions } };
    assert.equal(nextNodeStep(lost, facts, now + minute).step, 'report');
    assert.equal(nextNodeStep(reported, { ...facts, port: 1 }, now + minute).step, 'report');
  });

  it('keeps the time at which a condition has changed', () => {
    const node = nodeObject({ name: 'a' }, 0);
    const reported = { ...node, status: nodeStatus(node, facts, now) };
    const [condition] = nodeStatus(reported, facts, now + minute).conditions ?? [];
    assert.deepEqual(
      [condition?.lastTransitionTime, condition?.lastHeartbeatTime],
      ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    );
  });
});
