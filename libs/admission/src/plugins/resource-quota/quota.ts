import type { ResourceQuota } from '@apichain/api/core/v1';
import { oncePerObject } from '../../object-lookup.ts';
import { readResourceList, type ResourceList } from '../../resource-list.ts';

/** One condition on the objects that a quota is for. */
export interface ScopeRequirement {
  readonly scope: string;
  /** In, NotIn, Exists, DoesNotExist */
  readonly operator: string;
  readonly values: readonly string[];
}

/** A ResourceQuota as accounting sees it. */
export interface Quota {
  readonly name: string;
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly scopes: readonly ScopeRequirement[];
  /** Of the status: what the quota controller has taken over from the spec. */
  readonly hard: ResourceList;
  readonly used: ResourceList;
}

export const readQuota = oncePerObject(({ metadata, spec, status }: ResourceQuota): Quota => {
  const { scopes, scopeSelector } = spec ?? {};
  const { hard, used } = status ?? {};
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    scopes: [
      ...(scopes ?? []).map((scope) => ({ scope, operator: 'Exists', values: [] })),
      ...(scopeSelector?.matchExpressions ?? []).map((expression) => ({
        scope: expression.scopeName ?? '',
        operator: expression.operator ?? '',
        values: expression.values ?? [],
      })),
    ],
    hard: readResourceList(hard),
    used: readResourceList(used),
  };
});

/** Whether a value, absent when undefined, is one that the requirement is for. */
export function valueMatches({ operator, values }: ScopeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
