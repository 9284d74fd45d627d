import type { GroupResource, KubeObject } from '@apichain/meta';
import type { ResourceList } from '../../resource-list.ts';
import type { Evaluator } from './evaluator.ts';
import type { ScopeRequirement } from './quota.ts';

/** Resources that may only be consumed where a quota covers them: https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/ */
export interface LimitedResource extends GroupResource {
  /** Substrings of the resource names. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly ScopeRequirement[];
}

/** The names of the resources that the object consumes and that a quota must cover. */
export function limitedNames(
  limited: readonly LimitedResource[],
  { group, resource }: GroupResource,
  usage: ResourceList,
): Set<string> {
  const names = new Set<string>();
  for (const { matchContains } of limited.filter((given) => given.group === group && given.resource === resource))
    for (const [name, amount] of usage)
      if (amount.sign > 0 && matchContains.some((part) => name.includes(part))) names.add(name);
  return names;
}

/** The scopes of the object that a quota must cover. */
export const limitedScopes = (
  limited: readonly LimitedResource[],
  evaluator: Evaluator,
  object: KubeObject,
): ScopeRequirement[] =>
  limited.flatMap(({ matchScopes }) => matchScopes.filter((scope) => evaluator.matchesScope(scope, object)));

/** As Go prints them. */
export const printScopes = (scopes: readonly ScopeRequirement[]): string =>
  `[${scopes.map(({ scope, operator, values }) => `{${scope} ${operator} [${values.join(' ')}]}`).join(' ')}]`;
