import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@apichain/api/core/v1';

const int64 = /^[+-]?[0-9]{1,19}$/;

function compare(label: string, value: string, holds: (label: bigint, value: bigint) => boolean): boolean {
  return int64.test(label) && int64.test(value) && holds(BigInt(label), BigInt(value));
}

/** Whether a value, undefined for an absent label or field, meets a requirement. An unknown operator is met by nothing. */
function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && compare(value, values[0] ?? '', (label, bound) => label > bound);
    case 'Lt':
      return value !== undefined && compare(value, values[0] ?? '', (label, bound) => label < bound);
    default:
      return false;
  }
}

/** Whether a node meets all requirements of a term. A term without requirements is met by no node. */
export function matchesTerm(term: NodeSelectorTerm, { metadata }: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const { labels = {}, name } = metadata;
  return (
    matchExpressions.every((requirement) => {
      const { key = '' } = requirement;
      return meets(requirement, Object.hasOwn(labels, key) ? labels[key] : undefined);
    }) && matchFields.every((requirement) => meets(requirement, requirement.key === 'metadata.name' ? name : undefined))
  );
}

/** Whether a node meets one of the terms. */
export const matchesAnyTerm = (terms: readonly NodeSelectorTerm[] | null | undefined, node: Node): boolean =>
  (terms ?? []).some((term) => matchesTerm(term, node));

/** Whether a node is one of those that the pod demands, by `nodeSelector` and required node affinity. */
export function isDemandedNode({ spec }: Pod, node: Node): boolean {
  const { labels = {} } = node.metadata;
  const { nodeSelector = {}, affinity } = spec ?? {};
  for (const [key, value] of Object.entries(nodeSelector)) if (labels[key] !== value) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node);
}
