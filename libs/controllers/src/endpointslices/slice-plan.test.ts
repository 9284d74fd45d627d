import type { Endpoint, EndpointSlice } from '@apichain/api/discovery/v1';
import assert from 'node:assert/strict';
import { EndpointSet } from './endpoint-set.ts';
import { type SlicePlan, planGroup, reuseDeleted } from './slice-plan.ts';
import { withHints } from './service-plan.ts';

const capacity = 3;
const endpoint = (ip: string, ready = true): Endpoint => ({ addresses: [ip], conditions: { ready } });
const slice = (name: string, ips: readonly string[]): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, labels: { a: 'b' } },
  addressType: 'IPv4',
  endpoints: ips.map((ip) => endpoint(ip)),
});
const setOf = (endpoints: readonly Endpoint[]): EndpointSet => {
  const set = new EndpointSet();
  for (const each of endpoints) set.add(each);
  return set;
};
const plan = (
  existing: readonly EndpointSlice[],
  wanted: readonly Endpoint[],
  labels: Record<string, string> = { a: 'b' },
): SlicePlan =>
  planGroup(
    existing,
    setOf(wanted),
    {
      labelsOf: ({ metadata }) => ({ labels, changed: metadata.labels?.['a'] !== labels['a'] }),
      newSlice: () => slice('', []),
    },
    capacity,
  );
const shown = ({ create, update, delete: gone }: SlicePlan) => ({
  create: create.map(show),
  update: update.map(show).sort(),
  delete: gone.map(({ metadata }) => metadata.name),
});
const show = ({ metadata, endpoints }: EndpointSlice) =>
  `${metadata.name} ${(endpoints ?? []).map(({ addresses }) => addresses?.[0]).join()}`;
const ips = (...names: string[]) => names.map((name) => endpoint(name));

describe('planGroup', () => {
  const rows: readonly [
    what: string,
    existing: readonly EndpointSlice[],
    wanted: readonly Endpoint[],
    expected: object,
  ][] = [
    ['nothing changes', [slice('s', ['1', '2'])], ips('2', '1'), { create: [], update: [], delete: [] }],
    [
      'slices are filled one after the other',
      [],
      ips('1', '2', '3', '4'),
      { create: [' 1,2,3', ' 4'], update: [], delete: [] },
    ],
    [
      'a changed slice is filled first',
      [slice('s', ['1', '2']), slice('t', ['3'])],
      ips('1', '3', '4'),
      { create: [], update: ['s 1,4'], delete: [] },
    ],
    [
      'the slice that gets fullest',
      [slice('s', ['1']), slice('t', ['2', '3'])],
      ips('1', '2', '3', '4'),
      { create: [], update: ['t 2,3,4'], delete: [] },
    ],
    [
      'a new slice where nothing has room',
      [slice('s', ['1', '2', '3'])],
      ips('1', '2', '3', '4'),
      { create: [' 4'], update: [], delete: [] },
    ],
    [
      'a slice without endpoints is deleted',
      [slice('s', ['1']), slice('t', ['2'])],
      ips('2'),
      { create: [], update: [], delete: ['s'] },
    ],
    [
      'an endpoint changes',
      [slice('s', ['1', '2'])],
      [endpoint('1', false), endpoint('2')],
      { create: [], update: ['s 1,2'], delete: [] },
    ],
  ];
  for (const [what, existing, wanted, expected] of rows)
    it(what, () => assert.deepEqual(shown(plan(existing, wanted)), expected));

  it('labels change', () => {
    const { update } = plan([slice('s', ['1'])], ips('1'), { a: 'c' });
    assert.deepEqual(update[0]?.metadata.labels, { a: 'c' });
  });
  it('uses deleted slices for new ones', () => {
    const { name: _, ...unnamed } = slice('', []).metadata;
    const given = {
      create: [{ ...slice('', ['9']), metadata: unnamed }],
      update: [],
      delete: [slice('s', ['1']), slice('t', ['2'])],
    };
    assert.deepEqual(shown(reuseDeleted(given, (deleted) => deleted.metadata.name === 't')), {
      create: [],
      update: ['t 9'],
      delete: ['s'],
    });
  });
});

describe('traffic distribution', () => {
  const near: Endpoint = { addresses: ['1'], conditions: { ready: true }, zone: 'z', nodeName: 'n' };
  const none: SlicePlan = { create: [], update: [], delete: [] };
  const hintsFor = (distribution: string | undefined, endpoints: Endpoint) => {
    const { update } = withHints(none, [{ ...slice('s', []), endpoints: [endpoints] }], distribution);
    return update.map((changed) => changed.endpoints?.[0]?.hints);
  };
  it('hints at the zone, or the node too', () => {
    assert.deepEqual(hintsFor('PreferClose', near), [{ forZones: [{ name: 'z' }] }]);
    assert.deepEqual(hintsFor('PreferSameNode', near), [{ forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] }]);
  });
  it('changes nothing without need', () => {
    assert.deepEqual(hintsFor('PreferClose', { ...near, hints: { forZones: [{ name: 'z' }] } }), []);
    assert.deepEqual(hintsFor(undefined, near), []);
    assert.deepEqual(hintsFor('PreferClose', { ...near, conditions: { ready: false } }), []);
  });
  it('removes hints that are no longer wanted', () =>
    assert.deepEqual(hintsFor(undefined, { ...near, hints: { forZones: [{ name: 'z' }] } }), [undefined]));
});
