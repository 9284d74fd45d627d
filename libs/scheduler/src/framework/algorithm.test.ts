import assert from 'node:assert/strict';
import { type TestNode, testCluster, testPodInfo } from '../cluster/objects.fixture.ts';
import { SchedulingAlgorithm, enoughNodes } from './algorithm.ts';
import { defaultProfile } from './profile.ts';
import { Nominator } from '../queue/nominator.ts';

const profile = defaultProfile({ reserve: () => assert.fail('no volume is expected') });

function decide(
  cluster: ReturnType<typeof testCluster>,
  pod: ReturnType<typeof testPodInfo>,
  nominator = new Nominator(),
): string {
  const decision = new SchedulingAlgorithm(profile, cluster, nominator).decide(pod);
  return 'node' in decision
    ? decision.node
    : [...decision.diagnosis.rejections].map(([node, { reasons }]) => `${node}: ${reasons.join()}`).join('; ');
}

describe('SchedulingAlgorithm', () => {
  it('looks at fewer nodes the more there are', () => {
    const table = [
      [0, 0],
      [99, 99],
      [100, 100],
      [200, 100],
      [1_000, 420],
      [5_000, 500],
      [6_000, 300],
      [10_000, 500],
    ] as const;
    for (const [all, enough] of table) assert.equal(enoughNodes(all), enough, String(all));
  });

  it('chooses the best node', () => {
    const cluster = testCluster({ n1: {}, n2: { allocatable: { cpu: '16', memory: '64Gi' } }, n3: {} });
    assert.equal(decide(cluster, testPodInfo('subject', { requests: { cpu: '1', memory: '1Gi' } })), 'n2');
  });

  it('says of each node why the pod does not fit', () => {
    const cluster = testCluster({ n1: {}, n2: { spec: { unschedulable: true } } });
    assert.equal(
      decide(cluster, testPodInfo('subject', { requests: { cpu: '9' } })),
      'n1: Insufficient cpu; n2: node(s) were unschedulable',
    );
  });

  it('tries the node for which the pod is nominated before the others', () => {
    const cluster = testCluster({ n1: {}, n2: { allocatable: { cpu: '64', memory: '64Gi' } } });
    assert.equal(decide(cluster, testPodInfo('subject', { status: { nominatedNodeName: 'n1' } })), 'n1');
  });

  it('leaves room for nominated pods of at least the same priority', () => {
    const cluster = testCluster({ n1: {} });
    const nominator = new Nominator();
    const subject = testPodInfo('subject', { requests: { cpu: '2' }, spec: { priority: 5 } });
    const nominate = (priority: number) =>
      nominator.set(testPodInfo('other', { requests: { cpu: '3' }, spec: { priority } }), 'n1');
    nominate(4);
    assert.equal(decide(cluster, subject, nominator), 'n1');
    nominate(5);
    assert.equal(decide(cluster, subject, nominator), 'n1: Insufficient cpu');
    nominator.delete('other');
    assert.equal(decide(cluster, subject, nominator), 'n1');
  });

  it('begins where the last search ended, so that all nodes are considered', () => {
    const nodes: Record<string, TestNode> = {};
    for (let index = 0; index < 300; index++) nodes[`n${index}`] = {};
    const algorithm = new SchedulingAlgorithm(profile, testCluster(nodes), new Nominator());
    const used = new Set<string>();
    for (let index = 0; index < 30; index++) {
      const decision = algorithm.decide(testPodInfo(`p${index}`));
      assert.ok('node' in decision);
      used.add(String(Math.floor(Number(decision.node.slice(1)) / 100)));
    }
    assert.deepEqual([...used].sort(), ['0', '1', '2']);
  });

  it('alternates between zones', () => {
    const inZone = (zone: string) => ({ labels: { 'topology.kubernetes.io/zone': zone } });
    const cluster = testCluster({ a1: inZone('a'), a2: inZone('a'), a3: inZone('a'), b1: inZone('b'), none: {} });
    assert.deepEqual(
      cluster.nodes.map(({ name }) => name),
      ['a1', 'b1', 'none', 'a2', 'a3'],
    );
  });
});
