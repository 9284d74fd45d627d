import type { Node, NodeSelectorRequirement, Pod, PodSpec, TopologySpreadConstraint } from '@apichain/api/core/v1';
import type { Random } from '../../fuzz/random.ts';

const zone = 'topology.kubernetes.io/zone';
const hostname = 'kubernetes.io/hostname';
/** Images and their sizes in MiB. */
const images = { 'example.com/a:1': 150, 'example.com/b:1': 420, 'example.com/c:1': 800 };
const imageNames = ['example.com/a:1', 'example.com/b:1', 'example.com/c:1'] as const;

/** A node that differs from others in everything by which pods are scheduled. */
export function randomNode(name: string, choices: Random): Node {
  const { maybe, integer, pick } = choices;
  const amounts = {
    cpu: `${integer(2_000, 6_000)}m`,
    memory: `${integer(2_000, 9_000)}Mi`,
    pods: String(integer(10, 30)),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        [hostname]: name,
        ...maybe(0.85, () => ({ [zone]: pick(['a', 'b', 'c']) })),
        ...maybe(0.5, () => ({ disk: pick(['ssd', 'hdd']), cores: String(integer(1, 9)) })),
      },
    },
    spec: {
      taints: [
        ...(maybe(0.25, () => [
          { key: 'k', value: 'v', effect: pick(['NoSchedule', 'PreferNoSchedule', 'PreferNoSchedule']) },
        ]) ?? []),
      ],
      unschedulable: maybe(0.05, () => true) ?? false,
    },
    status: {
      allocatable: amounts,
      capacity: amounts,
      conditions: [{ type: 'Ready', status: 'True' }],
      images: Object.entries(images).flatMap(
        ([image, size]) => maybe(0.5, () => [{ names: [image], sizeBytes: size * 1024 * 1024 }]) ?? [],
      ),
    },
  };
}

/** A pod that asks for some of what pods can ask for. The pods with `app: c` belong to a ReplicaSet. */
export function randomPod(name: string, namespace: string, choices: Random): Pod {
  const app = choices.pick(['a', 'b', 'c', 'd']);
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'c', uid: 'c', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app }, ...(app === 'c' ? { ownerReferences: [owner] } : {}) },
    spec: randomSpec(choices),
  };
}

function randomSpec(choices: Random): PodSpec {
  const { maybe, integer, pick } = choices;
  const cpu = (most: number) => ({ cpu: `${integer(20, most)}m` });
  const requests = {
    ...maybe(0.8, () => cpu(pick([500, 500, 500, 4_500]))),
    ...maybe(0.7, () => ({ memory: `${integer(20, 900)}Mi` })),
  };
  const ports = maybe(0.1, () => ({ ports: [{ containerPort: 80, hostPort: integer(8_080, 8_082) }] }));
  return {
    containers: [{ name: 'main', image: pick(imageNames), resources: { requests }, ...ports }],
    affinity: randomAffinity(choices),
    ...maybe(0.15, () => ({
      initContainers: [
        {
          name: 'init',
          image: pick(imageNames),
          resources: { requests: cpu(900) },
          ...maybe(0.5, () => ({ restartPolicy: 'Always' })),
        },
      ],
    })),
    ...maybe(0.25, () => ({ topologySpreadConstraints: [randomSpread(choices)] })),
    ...maybe(0.3, () => ({ tolerations: [{ key: 'k', operator: 'Exists' }] })),
    ...maybe(0.1, () => ({ nodeSelector: { [zone]: pick(['a', 'b', 'c']) } })),
  };
}

const randomSelector = (choices: Random) => ({ matchLabels: { app: choices.pick(['a', 'b', 'c', 'd']) } });
const randomTopology = (choices: Random) => choices.pick([hostname, zone]);

function randomSpread(choices: Random): TopologySpreadConstraint {
  return {
    maxSkew: choices.integer(1, 3),
    topologyKey: randomTopology(choices),
    whenUnsatisfiable: choices.pick(['DoNotSchedule', 'ScheduleAnyway', 'ScheduleAnyway']),
    labelSelector: randomSelector(choices),
    ...choices.maybe(0.3, () => ({ nodeTaintsPolicy: 'Honor' })),
  };
}

function randomAffinity(choices: Random): NonNullable<PodSpec['affinity']> {
  const { maybe, integer, pick } = choices;
  const term = () => ({ labelSelector: randomSelector(choices), topologyKey: randomTopology(choices) });
  const between = () => ({
    ...maybe(0.12, () => ({ requiredDuringSchedulingIgnoredDuringExecution: [term()] })),
    ...maybe(0.2, () => ({
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: integer(1, 100), podAffinityTerm: term() }],
    })),
  });
  const demand = () =>
    pick<NodeSelectorRequirement>([
      { key: 'disk', operator: 'Exists' },
      { key: 'cores', operator: 'Gt', values: [String(integer(1, 6))] },
      { key: 'disk', operator: 'NotIn', values: ['hdd'] },
    ]);
  const preference = () => ({ matchExpressions: [{ key: 'disk', operator: 'In', values: [pick(['ssd', 'hdd'])] }] });
  return {
    podAffinity: between(),
    podAntiAffinity: between(),
    nodeAffinity: {
      ...maybe(0.15, () => ({
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [demand()] }] },
      })),
      ...maybe(0.25, () => ({
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: integer(1, 100), preference: preference() }],
      })),
    },
  };
}
