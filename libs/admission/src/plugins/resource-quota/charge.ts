import { newUnknownError } from '@apichain/meta';
import { forbidden } from '../../forbidden.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import {
  difference,
  exceededNames,
  masked,
  negativeNames,
  printAmounts,
  printNames,
  sum,
  withoutZeros,
  type ResourceList,
} from '../../resource-list.ts';
import type { Evaluator } from './evaluator.ts';
import { limitedNames, limitedScopes, printScopes, type LimitedResource } from './limited-resources.ts';
import type { Quota } from './quota.ts';

function matches({ scopes, hard }: Quota, evaluator: Evaluator, object: NonNullable<AdmissionAttributes['object']>) {
  return (
    scopes.every((requirement) => evaluator.matchesScope(requirement, object)) &&
    evaluator.matching(hard.keys()).length > 0
  );
}

/** Throws Forbidden when the quota cannot account for the object. */
function expectCountable(quota: Quota, evaluator: Evaluator, attributes: AdmissionAttributes): void {
  const { object } = attributes;
  const restricted = evaluator.matching(quota.hard.keys());
  const complaint = object === undefined ? undefined : evaluator.complaint?.(restricted, object);
  if (complaint !== undefined) throw forbidden(attributes, `failed quota: ${quota.name}: ${complaint}`);
  if (restricted.every((name) => quota.used.has(name))) return;
  throw forbidden(attributes, `status unknown for quota: ${quota.name}, resources: ${printNames(restricted)}`);
}

/**
 * The quotas with the usage of the request added; a quota whose usage does not change is returned as is. Throws Forbidden when the request
 * would exceed a quota. Source: CheckRequest of k8s.io/apiserver/pkg/admission/plugin/resourcequota.
 */
export function charge(
  quotas: readonly Quota[],
  evaluator: Evaluator,
  attributes: AdmissionAttributes,
  limited: readonly LimitedResource[] = [],
): Quota[] {
  const { object, oldObject, operation } = attributes;
  if (object === undefined || !evaluator.handles(attributes)) return [...quotas];
  const interesting = new Set(quotas.filter((quota) => matches(quota, evaluator, object)));
  for (const quota of interesting) expectCountable(quota, evaluator, attributes);
  const usage = evaluator.usage(object);
  const negative = negativeNames(usage);
  if (negative.length > 0) {
    throw forbidden(attributes, `quota usage is negative for resource(s): ${printNames(negative)}`);
  }
  const before = operation === 'UPDATE' && isStored(oldObject) ? oldObject : undefined;
  const increase = before === undefined ? usage : difference(usage, evaluator.usage(before));
  if (limited.length > 0) {
    // If a quota did not count the old object, the whole usage of the object is new.
    const isNew = [...interesting].some((quota) => before === undefined || !matches(quota, evaluator, before));
    const chargeable = isNew ? usage : increase;
    expectCovered({ quotas, interesting, increase: chargeable }, evaluator, attributes, limited);
  }
  return quotas.map((quota) => {
    if (!interesting.has(quota)) return quota;
    // A quota that did not count the old object is charged the whole usage.
    const counted = before !== undefined && matches(quota, evaluator, before);
    const added = masked(withoutZeros(counted ? increase : usage), quota.hard.keys());
    return added.size === 0 ? quota : withUsage(quota, added, attributes);
  });
}

/** Throws when the request consumes a limited resource that no quota covers. */
function expectCovered(
  {
    quotas,
    interesting,
    increase,
  }: { quotas: readonly Quota[]; interesting: ReadonlySet<Quota>; increase: ResourceList },
  evaluator: Evaluator,
  attributes: AdmissionAttributes,
  limited: readonly LimitedResource[],
): void {
  const { object, resource } = attributes;
  if (object === undefined || withoutZeros(increase).size === 0) return;
  const covered = new Set([...interesting].flatMap((quota) => evaluator.matching(quota.hard.keys())));
  const uncovered = [...limitedNames(limited, resource, evaluator.usage(object))].filter((name) => !covered.has(name));
  if (uncovered.length > 0)
    throw forbidden(attributes, `insufficient quota to consume: ${uncovered.toSorted().join(',')}`);
  const scopes = quotas.flatMap((quota) => quota.scopes.filter((scope) => evaluator.matchesScope(scope, object)));
  const open = limitedScopes(limited, evaluator, object).filter(
    ({ scope }) => !scopes.some((other) => other.scope === scope),
  );
  // As in kube-apiserver, this error is not a Forbidden.
  if (open.length > 0) throw newUnknownError(`insufficient quota to match these scopes: ${printScopes(open)}`);
}

const isStored = (object: AdmissionAttributes['oldObject']): boolean => (object?.metadata.resourceVersion ?? '') !== '';

function withUsage(quota: Quota, added: ResourceList, attributes: AdmissionAttributes): Quota {
  const used = sum(quota.used, added);
  if (attributes.subresource !== 'status') {
    const exceeded = exceededNames(masked(used, added.keys()), quota.hard);
    if (exceeded.length > 0) {
      const print = (amounts: ResourceList) => printAmounts(masked(amounts, exceeded));
      throw forbidden(
        attributes,
        `exceeded quota: ${quota.name}, requested: ${print(added)}, used: ${print(quota.used)}, limited: ${print(quota.hard)}`,
      );
    }
  }
  return { ...quota, used };
}
