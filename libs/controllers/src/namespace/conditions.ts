import { currentTimestamp, type GroupVersionResource, deepEqual } from '@apichain/meta';
import type { NamespaceCondition } from '@apichain/api/core/v1';

/** The findings of one pass over the content of a namespace. */
export interface DeletionFindings {
  /** Why some resources could not be discovered. */
  readonly discoveryErrors: string[];
  readonly contentErrors: string[];
  readonly remaining: { readonly resource: GroupVersionResource; readonly count: number }[];
  /** The number of remaining objects by finalizer. */
  readonly finalizers: Map<string, number>;
}

/** The condition types in the order in which they are listed, with reason and message for the case without problems. */
const fine: readonly { type: string; reason: string; message: string }[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  { type: 'NamespaceContentRemaining', reason: 'ContentRemoved', message: 'All content successfully removed' },
  {
    type: 'NamespaceFinalizersRemaining',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
];

/**
 * The conditions of a namespace after a pass, computed from its previous conditions. The five conditions of this controller are replaced;
 * others are kept. Undefined when nothing changes. Messages are those of kube-controller-manager.
 * Source: https://pkg.go.dev/k8s.io/api/core/v1#NamespaceConditionType
 */
export function updatedConditions(
  old: readonly NamespaceCondition[],
  findings: DeletionFindings,
): NamespaceCondition[] | undefined {
  const bad = problems(findings);
  const conditions = [...old];
  for (const { type, ...ok } of fine) {
    const problem = bad.get(type);
    const status = problem === undefined ? 'False' : 'True';
    const position = conditions.findIndex((condition) => condition.type === type);
    const before = conditions[position];
    const lastTransitionTime =
      before?.status === status && before.lastTransitionTime !== undefined
        ? before.lastTransitionTime
        : currentTimestamp();
    const condition: NamespaceCondition = { type, status, lastTransitionTime, ...(problem ?? ok) };
    if (before === undefined) conditions.push(condition);
    else conditions[position] = condition;
  }
  return deepEqual(conditions, old) ? undefined : conditions;
}

function problems(findings: DeletionFindings): Map<string, { reason: string; message: string }> {
  const { discoveryErrors, contentErrors, remaining, finalizers } = findings;
  const found = new Map<string, { reason: string; message: string }>();
  const [discoveryError] = discoveryErrors;
  if (discoveryError !== undefined)
    found.set('NamespaceDeletionDiscoveryFailure', { reason: 'DiscoveryFailed', message: discoveryError });
  if (contentErrors.length > 0)
    found.set('NamespaceDeletionContentFailure', {
      reason: 'ContentDeletionFailed',
      message: `Failed to delete all resource types, ${contentErrors.length} remaining: ${sorted(contentErrors)}`,
    });
  const resources = remaining.map(
    ({ resource: { resource, group }, count }) => `${resource}.${group} has ${count} resource instances`,
  );
  if (resources.length > 0)
    found.set('NamespaceContentRemaining', {
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${sorted(resources)}`,
    });
  const held = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  if (held.length > 0)
    found.set('NamespaceFinalizersRemaining', {
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${sorted(held)}`,
    });
  return found;
}

function sorted(texts: readonly string[]): string {
  return [...texts].sort().join(', ');
}
