import type { Node, TopologySpreadConstraint } from '@apichain/api/core/v1';
import { isDemandedNode, isRepelled } from '@apichain/component-helpers';
import { LabelSelector, labelSelectorFromObject } from '@apichain/meta';
import type { ClusterObjects } from '../../cluster/cluster-objects.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { PodSelection } from '../../cluster/pod-counts.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';

/** A constraint prepared for a pod. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly minDomains: number;
  /** Nodes that the pod's node affinity excludes do not count. */
  readonly honorsAffinity: boolean;
  /** Nodes with taints that the pod does not tolerate do not count. */
  readonly honorsTaints: boolean;
}

/** What holds for pods without constraints. https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#internal-default-constraints */
const systemDefaults: readonly TopologySpreadConstraint[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** Whether the pod has constraints of its own. If not, the defaults hold, and nodes need not have all their labels. */
export const hasOwnConstraints = ({ pod }: PodInfo): boolean => (pod.spec?.topologySpreadConstraints ?? []).length > 0;

/** The constraints of a pod that must be satisfied, or those that should be. Throws SelectorError. */
export function spreadConstraints(
  pod: PodInfo,
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway',
  cluster: Cluster,
): readonly SpreadConstraint[] {
  const own = pod.pod.spec?.topologySpreadConstraints ?? [];
  const wanted = (own.length > 0 ? own : systemDefaults).filter(
    (constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable,
  );
  if (wanted.length === 0) return [];
  if (own.length > 0) return wanted.map((constraint) => prepared(constraint, ownSelector(constraint, pod)));
  const selector = defaultSelector(pod, cluster.objects);
  return selector.empty ? [] : wanted.map((constraint) => prepared(constraint, selector));
}

function prepared(constraint: TopologySpreadConstraint, selector: LabelSelector): SpreadConstraint {
  const { maxSkew = 1, topologyKey = '', minDomains = 1 } = constraint;
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  return {
    maxSkew,
    topologyKey,
    selector,
    minDomains,
    honorsAffinity: nodeAffinityPolicy === 'Honor',
    honorsTaints: nodeTaintsPolicy === 'Honor',
  };
}

/** The selector of the constraint, and the values that the pod has for `matchLabelKeys`. */
function ownSelector({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, pod: PodInfo): LabelSelector {
  const selector = labelSelectorFromObject(labelSelector);
  const matchLabels: Record<string, string> = {};
  for (const key of matchLabelKeys) {
    const value = pod.labels?.[key];
    if (value !== undefined) matchLabels[key] = value;
  }
  if (selector.nothing || Object.keys(matchLabels).length === 0) return selector;
  return new LabelSelector([...labelSelectorFromObject({ matchLabels }).requirements, ...selector.requirements]);
}

/** The pods that count for a constraint: those of its selector in the namespace of the pod. Terminating pods do not count. */
export const countedPods = ({ selector }: SpreadConstraint, { namespace }: PodInfo): PodSelection => ({
  key: `spread ${namespace} ${selector.nothing ? '!' : selector.toString()}`,
  includes: (pod) =>
    pod.namespace === namespace && !selector.empty && !pod.isTerminating && selector.matches(pod.labels),
});

/** Whether a node has the labels of all constraints. */
export const hasTopologies = ({ metadata }: Node, constraints: readonly SpreadConstraint[]): boolean =>
  constraints.every(({ topologyKey }) => metadata.labels?.[topologyKey] !== undefined);

/** Whether pods on the node count for the constraint. */
export const isIncluded = (constraint: SpreadConstraint, { pod }: PodInfo, node: Node): boolean =>
  (!constraint.honorsAffinity || isDemandedNode(pod, node)) &&
  (!constraint.honorsTaints || !isRepelled(node.spec?.taints, pod.spec?.tolerations));

/**
 * Selects the pods among which a pod without constraints of its own is spread: those of its Services and of its controller. Empty if it has neither.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#internal-default-constraints
 */
function defaultSelector(pod: PodInfo, objects: ClusterObjects): LabelSelector {
  const labels: Record<string, string> = {};
  for (const { spec } of objects.services.inNamespace(pod.namespace)) {
    const { selector } = spec ?? {};
    if (selector !== undefined && hasLabels(pod, selector)) Object.assign(labels, selector);
  }
  const owner = pod.pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const key = `${pod.namespace}/${owner?.name ?? ''}`;
  switch (`${owner?.apiVersion ?? ''} ${owner?.kind ?? ''}`) {
    case 'v1 ReplicationController':
      Object.assign(labels, objects.replicationControllers.get(key)?.spec?.selector);
      return labelSelectorFromObject({ matchLabels: labels });
    case 'apps/v1 ReplicaSet':
      return withRequirementsOf(labels, objects.replicaSets.get(key)?.spec?.selector);
    case 'apps/v1 StatefulSet':
      return withRequirementsOf(labels, objects.statefulSets.get(key)?.spec?.selector);
    default:
      return labelSelectorFromObject({ matchLabels: labels });
  }
}

function withRequirementsOf(
  labels: Readonly<Record<string, string>>,
  selector: Parameters<typeof labelSelectorFromObject>[0],
): LabelSelector {
  const { requirements } = labelSelectorFromObject(selector);
  return new LabelSelector([...labelSelectorFromObject({ matchLabels: labels }).requirements, ...requirements]);
}

const hasLabels = ({ labels }: PodInfo, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
