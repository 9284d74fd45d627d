import {
  type Evaluator,
  type ResourceList,
  addTo,
  masked,
  readResourceList,
  sameAmounts,
  scopesOf,
  writeResourceList,
} from '@apichain/admission/quota';
import type { ResourceQuota } from '@apichain/api/core/v1';
import { type KubeObject, newQuantity, semanticEqual } from '@apichain/meta';

/** The objects of one resource in a namespace, and how quotas count them. */
export interface Counted {
  readonly evaluator: Evaluator;
  readonly objects: readonly KubeObject[];
}

/** The amounts that a quota limits. */
export const limitsOf = ({ spec }: ResourceQuota): ResourceList => readResourceList(spec?.hard);

/** The usage of all that a quota limits and that `counted` can count. What it counts and nobody uses is zero. */
export function usageOf(quota: ResourceQuota, counted: readonly Counted[]): ResourceList {
  const hard = limitsOf(quota);
  const scopes = scopesOf(quota.spec ?? {});
  const usage: ResourceList = new Map();
  for (const { evaluator, objects } of counted) {
    const names = evaluator.matching(hard.keys());
    if (names.length === 0) continue;
    const used: ResourceList = new Map(names.map((name) => [name, newQuantity(0)]));
    for (const object of objects)
      if (scopes.every((scope) => evaluator.matchesScope(scope, object))) addTo(used, evaluator.usage(object));
    addTo(usage, masked(used, names));
  }
  return usage;
}

/**
 * The status of a quota with a new usage; undefined if it is as it should be. What nobody can count keeps its former usage.
 * Source: syncResourceQuota in k8s.io/kubernetes/pkg/controller/resourcequota.
 */
export function statusWith(quota: ResourceQuota, usage: ResourceList): ResourceQuota['status'] | undefined {
  const { spec, status } = quota;
  const hard = limitsOf(quota);
  const before = readResourceList(status?.used);
  const used = masked(new Map([...before, ...usage]), hard.keys());
  const isCurrent = status?.used !== undefined && hasCurrentLimits(quota) && sameAmounts(used, before);
  return isCurrent ? undefined : { hard: { ...spec?.hard }, used: writeResourceList(used) };
}

const hasCurrentLimits = ({ spec, status }: ResourceQuota): boolean =>
  status?.hard !== undefined && semanticEqual(spec?.hard ?? {}, status.hard);

/** Whether the usage of a quota is missing, so that nothing can be created in its namespace until it is known. */
export function isUsageMissing(quota: ResourceQuota, evaluators: Iterable<Evaluator>): boolean {
  if (!hasCurrentLimits(quota)) return true;
  const { hard = {}, used = {} } = quota.status ?? {};
  const missing = Object.keys(hard).filter((name) => !(name in used));
  return missing.length > 0 && [...evaluators].some((evaluator) => evaluator.matching(missing).length > 0);
}

/** Scopes in or out of which an update may move an object. */
const variableScopes = ['Terminating', 'VolumeAttributesClass'].map((scope) => ({
  scope,
  operator: 'Exists',
  values: [],
}));

/** Whether quotas count an object differently after an update. */
export const countsDifferently = (evaluator: Evaluator, object: KubeObject, old: KubeObject): boolean =>
  !sameAmounts(evaluator.usage(object), evaluator.usage(old)) ||
  variableScopes.some((scope) => evaluator.matchesScope(scope, object) !== evaluator.matchesScope(scope, old));
