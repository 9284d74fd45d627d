import type { Node, NodeCondition, Taint } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { deadline, observe, unknownConditions } from './health.ts';
import { withEvictionTaint, withScheduleTaints } from './taints.ts';
import { ZoneEvictions } from './zone-evictions.ts';
import { ZoneLimiter, evictionRate, stateOfZone } from './zones.ts';
import { parseSettings } from '../settings.ts';

const settings = parseSettings();
const now = Date.parse('2026-01-01T12:00:00Z');
const ready = (status: string, lastHeartbeatTime = '2026-01-01T11:59:00Z'): NodeCondition => ({
  type: 'Ready',
  status,
  lastHeartbeatTime,
});
const node = (name: string, conditions: NodeCondition[], taints: Taint[] = [], unschedulable = false): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    creationTimestamp: '2026-01-01T11:00:00Z',
    labels: { 'topology.kubernetes.io/zone': name.slice(0, 1) },
  },
  spec: { taints, unschedulable },
  status: { conditions },
});
const taint = (key: string, effect: string): Taint => ({ key: `node.kubernetes.io/${key}`, effect });
const keys = (taints: readonly Taint[] | undefined) =>
  taints?.map(({ key = '', effect }) => `${key.split('/')[1]}:${effect}`);

describe('signs of life of a node', () => {
  it('are heartbeats and renewed leases', () => {
    const first = observe(undefined, node('a', [ready('True')]), undefined, now);
    assert.equal(deadline(first, settings), now + 50_000);
    assert.equal(deadline(first, parseSettings({ 'node-monitor-grace-period': '20s' })), now + 20_000);
    assert.equal(observe(first, node('a', [ready('True')]), undefined, now + 9_000).seen, now);
    assert.equal(
      observe(first, node('a', [ready('True', '2026-01-01T12:00:09Z')]), undefined, now + 9_000).seen,
      now + 9_000,
    );
    const leased = observe(first, node('a', [ready('True')]), '2026-01-01T12:00:09.000000Z', now + 9_000);
    assert.equal(leased.seen, now + 9_000);
    assert.equal(
      observe(leased, node('a', [ready('True')]), '2026-01-01T12:00:09.000000Z', now + 20_000).seen,
      now + 9_000,
    );
  });
  it('may come later from a node that has just been created', () => {
    const created = observe(undefined, node('a', []), undefined, now);
    assert.equal(deadline(created, settings), Date.parse('2026-01-01T11:00:00Z') + 60_000);
  });
  it('make conditions unknown when they are missing', () => {
    const conditions =
      unknownConditions(node('a', [{ type: 'NetworkUnavailable', status: 'False' }, ready('True')]), now) ?? [];
    assert.deepEqual(
      conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
      [
        'NetworkUnavailable False undefined',
        'Ready Unknown NodeStatusUnknown',
        'MemoryPressure Unknown NodeStatusNeverUpdated',
        'DiskPressure Unknown NodeStatusNeverUpdated',
        'PIDPressure Unknown NodeStatusNeverUpdated',
      ],
    );
    assert.equal(unknownConditions(node('a', conditions), now), undefined);
  });
});

describe('taints of a node', () => {
  const pressure = { type: 'DiskPressure', status: 'True' };
  const own: Taint = { key: 'own', effect: 'NoSchedule' };
  it('keep pods away by its conditions', () => {
    assert.deepEqual(keys(withScheduleTaints(node('a', [ready('False'), pressure], [], true), now)), [
      'not-ready:NoSchedule',
      'disk-pressure:NoSchedule',
      'unschedulable:NoSchedule',
    ]);
    const before = [own, taint('not-ready', 'NoSchedule'), taint('unreachable', 'NoExecute')];
    assert.deepEqual(withScheduleTaints(node('a', [ready('True')], before), now), [own, before[2]]);
    assert.equal(withScheduleTaints(node('a', [ready('False')], before), now), undefined);
  });
  it('evict pods by its readiness', () => {
    const down = node('a', [ready('Unknown')], [taint('not-ready', 'NoExecute'), own]);
    assert.deepEqual(withEvictionTaint(down, 'Unknown', now), [
      own,
      { ...taint('unreachable', 'NoExecute'), timeAdded: '2026-01-01T12:00:00Z' },
    ]);
    assert.deepEqual(withEvictionTaint(down, 'True', now), [own]);
    assert.equal(withEvictionTaint(node('a', [ready('True')], [own]), 'True', now), undefined);
  });
});

describe('zones', () => {
  it('are disrupted by enough nodes', () => {
    const rows = [
      [3, 2, 'Normal'],
      [1, 2, 'Normal'],
      [2, 3, 'PartialDisruption'],
      [0, 1, 'FullDisruption'],
      [0, 0, 'Normal'],
    ] as const;
    for (const [up, down, state] of rows)
      assert.equal(stateOfZone(up, down, settings), state, `${up} up, ${down} down`);
  });
  it('are disrupted, and emptied, as the flags say', () => {
    const flags = parseSettings({ 'unhealthy-zone-threshold': '0.9', 'large-cluster-size-threshold': '2' });
    assert.equal(stateOfZone(2, 3, flags), 'Normal');
    assert.equal(evictionRate('PartialDisruption', 5, flags), 0.01);
    assert.equal(evictionRate('PartialDisruption', 5, settings), 0);
    assert.equal(evictionRate('Normal', 5, parseSettings({ 'node-eviction-rate': '2' })), 2);
  });
  it('evict one node at once, and one every ten seconds', () => {
    const limiter = new ZoneLimiter(0.1, now);
    assert.deepEqual(
      [limiter.take(now), limiter.take(now), limiter.take(now + 4_000), limiter.take(now + 10_000)],
      [0, 10_000, 6_000, 0],
    );
    limiter.setRate(0, now + 10_000);
    assert.equal(limiter.take(now + 100_000), Infinity);
  });
  it('stop evictions when no node is ready, and resume', () => {
    const evictions = new ZoneEvictions(settings);
    const nodes = (status: string) => [node('a1', [ready(status)]), node('b1', [ready('Unknown')])];
    assert.equal(evictions.update(nodes('True'), now), 'none');
    assert.equal(evictions.update(nodes('False'), now), 'allDisrupted');
    assert.equal(evictions.update(nodes('False'), now), 'none');
    evictions.wait(node('b1', [ready('Unknown')]), now);
    assert.deepEqual(evictions.next(':b', now).names, []);
    assert.equal(evictions.update(nodes('True'), now), 'recovered');
    assert.deepEqual(evictions.next(':b', now).names, ['b1']);
  });
});
