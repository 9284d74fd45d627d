import type { DaemonSet } from '@apichain/api/apps/v1';
import type { Affinity, Node, Pod, PodSpec, PodTemplateSpec, Toleration } from '@apichain/api/core/v1';
import { isDemandedNode, isRepelled } from '@apichain/component-helpers';
import { compareText } from '@apichain/meta';
import { revisionLabel } from '../workloads/revision.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';

/** The taints of nodes with problems, which do not keep daemons away. */
const toleratedTaints: readonly (readonly [name: string, effect: string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];
const networkTaint = ['network-unavailable', 'NoSchedule'] as const;

/** The tolerations of a daemon: those of its template and those for nodes with problems. */
export function daemonTolerations({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const added = (hostNetwork === true ? [...toleratedTaints, networkTaint] : toleratedTaints).map(
    ([name, effect]): Toleration => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }),
  );
  const result = [...tolerations];
  for (const toleration of added) {
    const present = result.findIndex((other) => isSameToleration(other, toleration));
    if (present === -1) result.push(toleration);
    else result[present] = toleration;
  }
  return result;
}

const isSameToleration = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? '') === (b.value ?? '');

/** Whether a DaemonSet puts a pod on a node, and whether one that is there may stay. */
export interface Eligibility {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

/** Source: NodeShouldRunDaemonPod in k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go. */
export function eligibilityOf(daemonSet: DaemonSet, node: Node): Eligibility {
  const spec = daemonSet.spec?.template?.spec ?? {};
  const { nodeName = '' } = spec;
  if ((nodeName !== '' && nodeName !== node.metadata.name) || !isDemandedNode({ spec }, node))
    return { shouldRun: false, mayStay: false };
  const tolerations = daemonTolerations(spec);
  const { taints } = node.spec ?? {};
  return {
    shouldRun: !isRepelled(taints, tolerations),
    mayStay: !isRepelled(taints, tolerations, ['NoExecute']),
  };
}

/** The template of the daemon on a node. The scheduler binds the pod, so it is the affinity that selects the node. */
export function daemonTemplate(daemonSet: DaemonSet, hash: string, nodeName: string): PodTemplateSpec {
  const { template = {} } = daemonSet.spec ?? {};
  const generation = templateGeneration(daemonSet);
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        ...(generation !== undefined && { [generationLabel]: generation }),
        [revisionLabel]: hash,
      },
    },
    spec: {
      ...template.spec,
      tolerations: daemonTolerations(template.spec ?? {}),
      affinity: affinityToNode(template.spec?.affinity, nodeName),
    },
  };
}

function affinityToNode(affinity: Affinity | undefined, nodeName: string): Affinity {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
    },
  };
}

function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation] ?? '';
  return /^[+-]?[0-9]+$/.test(text) ? String(BigInt(text.replace('+', ''))) : undefined;
}

/** The node of a daemon: the one that it is bound to, or the one that its affinity selects. */
export function targetNode({ spec }: Pod): string | undefined {
  const { nodeName = '', affinity } = spec ?? {};
  if (nodeName !== '') return nodeName;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const selected = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
  return selected?.values?.length === 1 ? selected.values[0] : undefined;
}

/** Finds pods by the name of their target node. */
export const byTargetNode = (pod: Pod): readonly string[] => [targetNode(pod) ?? ''];

/** Whether a pod has the current template of its DaemonSet. */
export function isUpdated(daemonSet: DaemonSet, { metadata }: Pod, hash: string): boolean {
  const generation = templateGeneration(daemonSet);
  return (
    metadata.labels?.[revisionLabel] === hash ||
    (generation !== undefined && metadata.labels?.[generationLabel] === generation)
  );
}

/** Pods that are bound to their node first, then the oldest. */
export const byAge = (a: Pod, b: Pod): number =>
  Number((b.spec?.nodeName ?? '') !== '') - Number((a.spec?.nodeName ?? '') !== '') ||
  compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compareText(a.metadata.name ?? '', b.metadata.name ?? '');
