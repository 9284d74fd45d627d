import { LabelSelector, labelSelectorFromObject } from '@apichain/meta';
import type { ClusterObjects } from './cluster-objects.ts';
import type { PodInfo } from './pod-info.ts';

/**
 * Selects the pods among which a pod without constraints of its own is spread: those of its Services and of its controller. Empty if it has neither.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#internal-default-constraints
 */
export function defaultSelector(pod: PodInfo, objects: ClusterObjects): LabelSelector {
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
