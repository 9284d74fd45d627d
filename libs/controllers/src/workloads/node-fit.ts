import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  Taint,
  Toleration,
} from '@apichain/api/core/v1';

/** Whether a pod may be on a node: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ */

/** Whether the labels and the name of a node fulfil the node selector and the required node affinity of a pod. */
export function fitsNodeAffinity({ nodeSelector = {}, affinity }: PodSpec, { metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  if (Object.entries(nodeSelector).some(([name, value]) => labels[name] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return (required.nodeSelectorTerms ?? []).some((term) => fitsTerm(term, labels, metadata.name ?? ''));
}

/** A term without requirements fits nothing. */
function fitsTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  labels: Readonly<Record<string, string>>,
  name: string,
): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => fulfils(requirement, labels)) &&
    matchFields.every((requirement) => fulfils(requirement, { 'metadata.name': name }))
  );
}

function fulfils(
  { key = '', operator, values }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key];
  const listed = value !== undefined && (values ?? []).includes(value);
  switch (operator) {
    case 'In':
      return listed;
    case 'NotIn':
      return !listed;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const bound = integerOf(values?.[0]);
      const number = integerOf(value);
      if (bound === undefined || number === undefined) return false;
      return operator === 'Gt' ? number > bound : number < bound;
    }
    default:
      return false;
  }
}

const integerOf = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;

/** Whether a pod tolerates those taints of a node that have one of the effects. */
export const toleratesTaints = (
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  effects: readonly string[],
): boolean =>
  taints
    .filter(({ effect = '' }) => effects.includes(effect))
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));

/** An empty effect matches all effects, an empty key with `Exists` all keys. */
function tolerates({ key = '', operator = 'Equal', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || (key !== '' && operator === 'Equal' && value === (taint.value ?? ''));
}
