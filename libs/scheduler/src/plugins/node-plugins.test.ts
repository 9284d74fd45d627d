import assert from 'node:assert/strict';
import type { Cluster } from '../cluster/cluster.ts';
import { type TestNode, type TestPod, testCluster, testPodInfo } from '../cluster/objects.fixture.ts';
import type { Plugin } from '../framework/plugin.ts';
import { imageLocality } from './image-locality.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeDeclaredFeatures } from './node-declared-features.ts';
import { nodeName, nodePorts, nodeUnschedulable } from './node-filters.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from './node-resources.ts';
import { rejectionsOf, scoresOf } from './plugins.fixture.ts';
import { schedulingGates } from './scheduling-gates.ts';
import { taintToleration } from './taint-toleration.ts';

interface Case {
  readonly title: string;
  readonly plugin: Plugin;
  readonly pod: TestPod;
  readonly node?: TestNode;
  readonly others?: Readonly<Record<string, TestPod>>;
  /** What the plugin says about the node; '' if the pod fits. */
  readonly expected: string;
}

const terms = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const named = (...values: string[]) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] });
const hostPort = (port: number, hostIP = '', protocol = 'TCP') => ({
  containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: port, hostIP, protocol }] }],
});
const cordonToleration = { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' };
const tainted = (effect: string, key = 'k', value = 'v') => ({ spec: { taints: [{ key, value, effect }] } });
const notSelected = "X node(s) didn't match Pod's node affinity/selector";
const portTaken = "U node(s) didn't have free ports for the requested pod ports";
const repelled = 'X node(s) had untolerated taint(s)';

const filterCases: readonly Case[] = [
  {
    title: 'a cordoned node',
    plugin: nodeUnschedulable,
    pod: {},
    node: { spec: { unschedulable: true } },
    expected: 'X node(s) were unschedulable',
  },
  {
    title: 'a cordoned node that is tolerated',
    plugin: nodeUnschedulable,
    pod: { spec: { tolerations: [cordonToleration] } },
    node: { spec: { unschedulable: true } },
    expected: '',
  },
  {
    title: 'another node than the named one',
    plugin: nodeName,
    pod: { spec: { nodeName: 'other' } },
    expected: "X node(s) didn't match the requested node name",
  },
  { title: 'a taint', plugin: taintToleration, pod: {}, node: tainted('NoSchedule'), expected: repelled },
  { title: 'a taint that evicts', plugin: taintToleration, pod: {}, node: tainted('NoExecute'), expected: repelled },
  {
    title: 'a taint that is only avoided',
    plugin: taintToleration,
    pod: {},
    node: tainted('PreferNoSchedule'),
    expected: '',
  },
  {
    title: 'a toleration of the same value',
    plugin: taintToleration,
    pod: { spec: { tolerations: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } },
    node: tainted('NoSchedule'),
    expected: '',
  },
  {
    title: 'a toleration of another value',
    plugin: taintToleration,
    pod: { spec: { tolerations: [{ key: 'k', value: 'w' }] } },
    node: tainted('NoSchedule'),
    expected: repelled,
  },
  {
    title: 'a toleration of another effect',
    plugin: taintToleration,
    pod: { spec: { tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }] } },
    node: tainted('NoSchedule'),
    expected: repelled,
  },
  {
    title: 'a toleration of everything',
    plugin: taintToleration,
    pod: { spec: { tolerations: [{ operator: 'Exists' }] } },
    node: tainted('NoExecute'),
    expected: '',
  },
  {
    title: 'a comparison that is not enabled',
    plugin: taintToleration,
    pod: { spec: { tolerations: [{ key: 'k', operator: 'Gt', value: '1' }] } },
    node: tainted('NoSchedule', 'k', '2'),
    expected: repelled,
  },
  {
    title: 'nodeSelector',
    plugin: nodeAffinity,
    pod: { spec: { nodeSelector: { disk: 'ssd' } } },
    expected: notSelected,
  },
  {
    title: 'nodeSelector and a label',
    plugin: nodeAffinity,
    pod: { spec: { nodeSelector: { disk: 'ssd' } } },
    node: { labels: { disk: 'ssd' } },
    expected: '',
  },
  {
    title: 'one of several terms',
    plugin: nodeAffinity,
    pod: { spec: terms(expression('disk', 'In', 'hdd'), expression('disk', 'In', 'ssd')) },
    node: { labels: { disk: 'ssd' } },
    expected: '',
  },
  {
    title: 'nodeSelector and affinity',
    plugin: nodeAffinity,
    pod: { spec: { nodeSelector: { disk: 'hdd' }, ...terms(expression('disk', 'Exists')) } },
    node: { labels: { disk: 'ssd' } },
    expected: notSelected,
  },
  {
    title: 'NotIn without the label',
    plugin: nodeAffinity,
    pod: { spec: terms(expression('disk', 'NotIn', 'ssd')) },
    expected: '',
  },
  {
    title: 'DoesNotExist',
    plugin: nodeAffinity,
    pod: { spec: terms(expression('disk', 'DoesNotExist')) },
    node: { labels: { disk: 'ssd' } },
    expected: notSelected,
  },
  {
    title: 'Gt',
    plugin: nodeAffinity,
    pod: { spec: terms(expression('cores', 'Gt', '4')) },
    node: { labels: { cores: '8' } },
    expected: '',
  },
  {
    title: 'Lt of no number',
    plugin: nodeAffinity,
    pod: { spec: terms(expression('cores', 'Lt', '4')) },
    node: { labels: { cores: 'few' } },
    expected: notSelected,
  },
  { title: 'no term', plugin: nodeAffinity, pod: { spec: terms() }, expected: notSelected },
  { title: 'an empty term', plugin: nodeAffinity, pod: { spec: terms({}) }, expected: notSelected },
  { title: 'the name of the node', plugin: nodeAffinity, pod: { spec: terms(named('n1')) }, expected: '' },
  {
    title: 'names that contradict each other',
    plugin: nodeAffinity,
    pod: { spec: terms({ matchFields: [...named('n1').matchFields, ...named('n2').matchFields] }) },
    expected: 'X pod affinity terms conflict',
  },
  {
    title: 'a free port',
    plugin: nodePorts,
    pod: { spec: hostPort(80) },
    others: { other: { spec: hostPort(81) } },
    expected: '',
  },
  {
    title: 'a port in use',
    plugin: nodePorts,
    pod: { spec: hostPort(80) },
    others: { other: { spec: hostPort(80) } },
    expected: portTaken,
  },
  {
    title: 'a port of another protocol',
    plugin: nodePorts,
    pod: { spec: hostPort(80, '', 'UDP') },
    others: { other: { spec: hostPort(80) } },
    expected: '',
  },
  {
    title: 'a port of another address',
    plugin: nodePorts,
    pod: { spec: hostPort(80, '127.0.0.1') },
    others: { other: { spec: hostPort(80, '10.0.0.1') } },
    expected: '',
  },
  {
    title: 'a port of one address and of all',
    plugin: nodePorts,
    pod: { spec: hostPort(80, '127.0.0.1') },
    others: { other: { spec: hostPort(80, '0.0.0.0') } },
    expected: portTaken,
  },
  {
    title: 'enough of everything',
    plugin: nodeResourcesFit,
    pod: { requests: { cpu: '4', memory: '8Gi' } },
    expected: '',
  },
  {
    title: 'more than is left',
    plugin: nodeResourcesFit,
    pod: { requests: { cpu: '2' } },
    others: { other: { requests: { cpu: '3' } } },
    expected: 'U Insufficient cpu',
  },
  {
    title: 'more than there is',
    plugin: nodeResourcesFit,
    pod: { requests: { cpu: '5', memory: '1Gi' } },
    others: { other: { requests: { memory: '8Gi' } } },
    expected: 'X Insufficient cpu, Insufficient memory',
  },
  {
    title: 'a resource that the node has not',
    plugin: nodeResourcesFit,
    pod: { requests: { 'example.com/gpu': '1' } },
    expected: 'X Insufficient example.com/gpu',
  },
  {
    title: 'a device in use',
    plugin: nodeResourcesFit,
    pod: { requests: { 'example.com/gpu': '1' } },
    node: { allocatable: { 'example.com/gpu': '1' } },
    others: { other: { requests: { 'example.com/gpu': '1' } } },
    expected: 'U Insufficient example.com/gpu',
  },
  {
    title: 'no request on a full node',
    plugin: nodeResourcesFit,
    pod: {},
    others: { other: { requests: { cpu: '4', memory: '8Gi' } } },
    expected: '',
  },
  {
    title: 'too many pods',
    plugin: nodeResourcesFit,
    pod: {},
    node: { allocatable: { pods: '1' } },
    others: { other: {} },
    expected: 'U Too many pods',
  },
  {
    title: 'a feature of kubelets',
    plugin: nodeDeclaredFeatures,
    pod: { spec: { hostNetwork: true, hostUsers: false } },
    expected: "X node(s) didn't match Pod's required features",
  },
  {
    title: 'a feature that the kubelet has',
    plugin: nodeDeclaredFeatures,
    pod: { spec: { hostNetwork: true, hostUsers: false } },
    node: { declaredFeatures: ['UserNamespacesHostNetworkSupport'] },
    expected: '',
  },
];

interface ScoreCase {
  readonly title: string;
  readonly plugin: Plugin;
  readonly pod: TestPod;
  readonly cluster: Cluster;
  readonly expected: Readonly<Record<string, number>> | undefined;
}

const megabytes = (count: number) => count * 1024 * 1024;

const scoreCases: readonly ScoreCase[] = [
  {
    title: 'least allocated: the mean of what is left of CPU and memory',
    plugin: nodeResourcesFit,
    pod: { requests: { cpu: '1', memory: '2Gi' } },
    cluster: testCluster(
      { n1: {}, n2: { allocatable: { cpu: '8' } } },
      { n1: { other: { requests: { cpu: '1', memory: '4Gi' } } } },
    ),
    expected: { n1: 37, n2: 81 },
  },
  {
    title: 'least allocated: containers without requests count with a minimum',
    plugin: nodeResourcesFit,
    pod: {},
    cluster: testCluster({ n1: { allocatable: { cpu: '1', memory: '2000Mi' } } }),
    expected: { n1: 90 },
  },
  {
    title: 'balanced: nothing for a pod without requests',
    plugin: nodeResourcesBalancedAllocation,
    pod: {},
    cluster: testCluster({ n1: {} }),
    expected: undefined,
  },
  {
    title: 'balanced: what evens out CPU and memory',
    plugin: nodeResourcesBalancedAllocation,
    pod: { requests: { cpu: '2' } },
    cluster: testCluster({ n1: {}, n2: {} }, { n2: { other: { requests: { memory: '4Gi' } } } }),
    expected: { n1: 62, n2: 87 },
  },
  {
    title: 'taints: the fewest that are only avoided',
    plugin: taintToleration,
    pod: {},
    cluster: testCluster({ n1: {}, n2: tainted('PreferNoSchedule'), n3: tainted('NoSchedule') }),
    expected: { n1: 100, n2: 0, n3: 100 },
  },
  {
    title: 'node affinity: the sum of the weights, relative to the highest',
    plugin: nodeAffinity,
    pod: {
      spec: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 4, preference: expression('disk', 'In', 'ssd') },
              { weight: 1, preference: expression('zone', 'Exists') },
            ],
          },
        },
      },
    },
    cluster: testCluster({ n1: { labels: { disk: 'ssd', zone: 'a' } }, n2: { labels: { zone: 'b' } }, n3: {} }),
    expected: { n1: 100, n2: 20, n3: 0 },
  },
  {
    title: 'images: by size and by how many nodes have them',
    plugin: imageLocality,
    pod: {},
    cluster: testCluster({
      n1: { images: { 'example.com/main:1': megabytes(1_000) } },
      n2: { images: { 'example.com/other:1': megabytes(1_000) } },
    }),
    expected: { n1: 48, n2: 0 },
  },
];

describe('plugins about nodes', () => {
  for (const { title, plugin, pod, node = {}, others = {}, expected } of filterCases)
    it(`${plugin.name}: ${title}`, () => {
      const cluster = testCluster({ n1: node }, { n1: others });
      assert.deepEqual(rejectionsOf(plugin, testPodInfo('subject', pod), cluster), { n1: expected });
    });

  for (const { title, plugin, pod, cluster, expected } of scoreCases)
    it(`scores, ${title}`, () => {
      assert.deepEqual(scoresOf(plugin, testPodInfo('subject', pod), cluster), expected);
    });

  it('keeps pods with scheduling gates from being tried', () => {
    const schedulingGate = (...names: string[]) =>
      schedulingGates.preEnqueue?.(
        testPodInfo('subject', { spec: { schedulingGates: names.map((name) => ({ name })) } }),
        testCluster({}),
      );
    assert.equal(schedulingGate(), undefined);
    assert.deepEqual(schedulingGate('a', 'b')?.reasons, ['waiting for scheduling gates: [a b]']);
  });
});
