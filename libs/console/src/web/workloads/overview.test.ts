import assert from 'node:assert/strict';
import { LiveObjects, type ShownResource } from './live-objects.ts';
import { overviewOf, podsText } from './overview.ts';
import type { Fields, StoredObject } from '../api/stored-object.ts';

const owner = (kind: string, uid: string) => ({ ownerReferences: [{ kind, name: uid, uid, controller: true }] });
const node = (name: string, simulated = false): StoredObject => ({
  metadata: { name, labels: simulated ? { 'simulate.apichain.dev/simulated': 'true' } : {} },
  status: {
    allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'MemoryPressure', status: simulated ? 'False' : 'True' },
    ],
  },
});
const pod = (name: string, nodeName: string | undefined, of = '', phase = 'Running'): StoredObject => ({
  metadata: { name, namespace: 'shop', ...owner('ReplicaSet', of) },
  spec: { nodeName, containers: [{ name: 'main', resources: { requests: { cpu: '500m', memory: '1Gi' } } }] },
  status: { phase, conditions: [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }] },
});
const workload = (name: string, spec: Fields, metadata: object = {}): StoredObject => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...metadata },
  spec,
  status: {},
});
const revision = (number: string) => ({ annotations: { 'deployment.kubernetes.io/revision': number } });
const nothing = { filter: '', node: '', workload: '' };

describe('the overview of the page', () => {
  let objects: LiveObjects;
  const add = (resource: ShownResource, ...added: readonly StoredObject[]) => {
    for (const object of added) objects.shelves[resource].apply({ type: 'ADDED', object });
  };
  beforeEach(() => {
    objects = new LiveObjects();
  });

  it('has nodes with their pods, and what these take', () => {
    add('nodes', node('node-2'), node('node-1', true));
    add('pods', pod('b', 'node-1'), pod('a', 'node-1'), pod('done', 'node-1', '', 'Succeeded'));
    add('pods', pod('waits', undefined, '', 'Pending'));
    const { nodes } = overviewOf(objects, nothing);
    assert.deepEqual(
      nodes.map(({ name, pods, used }) => [
        name,
        pods.map((one) => one.name),
        used.cpu,
        used.memory / 2 ** 30,
        used.pods,
      ]),
      [
        ['', ['waits'], 0.5, 1, 1],
        ['node-1', ['a', 'b', 'done'], 1, 2, 2],
        ['node-2', [], 0, 0, 0],
      ],
    );
    assert.deepEqual(
      nodes.map((row) => [row.node?.status, row.node?.isSimulated, row.node?.problems]),
      [
        [undefined, undefined, undefined],
        ['Ready', true, []],
        ['Ready', false, ['MemoryPressure']],
      ],
    );
    assert.deepEqual(nodes[1]?.node?.allocatable, { cpu: 4, memory: 8 * 2 ** 30, pods: 110 });
    assert.equal(podsText(nodes[1]?.pods ?? []), '2 ready, 1 completed');
    assert.equal(podsText(nodes[2]?.pods ?? []), 'none');
  });

  it('has nodes that the user may not see, because pods name them', () => {
    add('pods', pod('a', 'node-7'));
    assert.deepEqual(
      overviewOf(objects, nothing).nodes.map(({ name, node: seen }) => [name, seen]),
      [['node-7', undefined]],
    );
  });

  it('has Deployments with their ReplicaSets as revisions, and other ReplicaSets as they are', () => {
    add('deployments', workload('web', { replicas: 2 }, revision('10')));
    const ofWeb = owner('Deployment', 'uid-web');
    add('replicasets', workload('web-a', { replicas: 0 }, { ...ofWeb, ...revision('9') }));
    add('replicasets', workload('web-b', { replicas: 2 }, { ...ofWeb, ...revision('10') }));
    add('replicasets', workload('alone', { replicas: 1 }), workload('other', { replicas: 1 }, owner('Rollout', 'x')));
    const rows = overviewOf(objects, nothing).workloads;
    assert.deepEqual(
      rows.map(({ id, revisions }) => [id, revisions.map(({ name }) => name)]),
      [
        ['deployments/shop/web', ['web-b', 'web-a']],
        ['replicasets/shop/alone', []],
        ['replicasets/shop/other', []],
      ],
    );
  });

  it('shows the pods of a node, of a workload through its ReplicaSets, or those that are found', () => {
    add('deployments', workload('web', {}));
    add('replicasets', workload('web-a', {}, owner('Deployment', 'uid-web')));
    add('pods', pod('web-a-1', 'node-1', 'uid-web-a'), pod('web-a-2', 'node-2', 'uid-web-a'), pod('b', 'node-1', 'x'));
    const names = (chosen: object) => overviewOf(objects, { ...nothing, ...chosen }).pods.map(({ name }) => name);
    assert.deepEqual(names({}), ['b', 'web-a-1', 'web-a-2']);
    assert.deepEqual(names({ node: 'node-1' }), ['b', 'web-a-1']);
    assert.deepEqual(names({ workload: 'deployments/shop/web' }), ['web-a-1', 'web-a-2']);
    assert.deepEqual(names({ workload: 'deployments/shop/gone' }), []);
    assert.deepEqual(names({ filter: 'NODE-2' }), ['web-a-2']);
    assert.deepEqual(names({ filter: 'running', node: 'node-2' }), ['web-a-2']);
  });

  it('is computed in little time with 1,000 nodes and 10,000 pods', () => {
    for (let i = 0; i < 1_000; i++) add('nodes', node(`node-${i}`, true));
    for (let i = 0; i < 10_000; i++) add('pods', pod(`web-${i}`, `node-${i % 1_000}`, 'uid-web-a'));
    overviewOf(objects, nothing);
    const before = process.cpuUsage();
    const { nodes, pods } = overviewOf(objects, nothing);
    const { user } = process.cpuUsage(before);
    assert.deepEqual([nodes.length, pods.length, nodes[7]?.pods.length], [1_000, 10_000, 10]);
    // A tenth of a second is the time between two pictures. It takes a tenth of that.
    assert.ok(user < 100_000, `${user} µs`);
  });
});
