import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '@apichain/api/core/v1';

/** An integer of 64 bits, as Go parses it. */
function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function compares(label: string | undefined, bound: string | undefined, operator: 'Gt' | 'Lt'): boolean {
  const [a, b] = [parseInt64(label), parseInt64(bound)];
  if (a === undefined || b === undefined) return false;
  return operator === 'Gt' ? a > b : a < b;
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
    case 'Lt':
      return compares(value, values[0], operator);
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
export function isDemandedNode({ spec }: { readonly spec?: PodSpec }, node: Node): boolean {
  const { labels = {} } = node.metadata;
  const { nodeSelector = {}, affinity } = spec ?? {};
  for (const [key, value] of Object.entries(nodeSelector)) if (labels[key] !== value) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node);
}
