import { oncePerObject } from '@apichain/meta';
import type { ResourceQuota } from '@apichain/api/core/v1';
import { readResourceList, type ResourceList } from '../../resource-list.ts';

/** A scope condition of a quota. */
export interface ScopeRequirement {
  readonly scope: string;
  /** In, NotIn, Exists, DoesNotExist */
  readonly operator: string;
  readonly values: readonly string[];
}

/** The fields of a ResourceQuota that accounting uses. */
export interface Quota {
  readonly name: string;
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly scopes: readonly ScopeRequirement[];
  /** From the status: the limits that the quota controller has copied from the spec. */
  readonly hard: ResourceList;
  readonly used: ResourceList;
}

/** The conditions under which a quota counts an object: all of its scopes. */
export const scopesOf = ({ scopes, scopeSelector }: NonNullable<ResourceQuota['spec']>): ScopeRequirement[] => [
  ...(scopes ?? []).map((scope) => ({ scope, operator: 'Exists', values: [] })),
  ...(scopeSelector?.matchExpressions ?? []).map((expression) => ({
    scope: expression.scopeName ?? '',
    operator: expression.operator ?? '',
    values: expression.values ?? [],
  })),
];

export const readQuota = oncePerObject(({ metadata, spec, status }: ResourceQuota): Quota => {
  const { hard, used } = status ?? {};
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    scopes: scopesOf(spec ?? {}),
    hard: readResourceList(hard),
    used: readResourceList(used),
  };
});

/** Whether the value (undefined = absent) fulfils the requirement. */
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
