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
import type { Quota } from './quota.ts';

function matches({ scopes, hard }: Quota, evaluator: Evaluator, object: NonNullable<AdmissionAttributes['object']>) {
  return (
    scopes.every((requirement) => evaluator.matchesScope(requirement, object)) &&
    evaluator.matching(hard.keys()).length > 0
  );
}

/** Throws Forbidden where the quota cannot account for the object. */
function expectCountable(quota: Quota, evaluator: Evaluator, attributes: AdmissionAttributes): void {
  const { object } = attributes;
  const restricted = evaluator.matching(quota.hard.keys());
  const complaint = object === undefined ? undefined : evaluator.complaint?.(restricted, object);
  if (complaint !== undefined) throw forbidden(attributes, `failed quota: ${quota.name}: ${complaint}`);
  if (restricted.every((name) => quota.used.has(name))) return;
  throw forbidden(attributes, `status unknown for quota: ${quota.name}, resources: ${printNames(restricted)}`);
}

/**
 * The quotas with what the request would add to their usage; the very same where it adds nothing. Throws Forbidden when one of them
 * would be exceeded. Source: CheckRequest of k8s.io/apiserver/pkg/admission/plugin/resourcequota.
 */
export function charge(quotas: readonly Quota[], evaluator: Evaluator, attributes: AdmissionAttributes): Quota[] {
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
  return quotas.map((quota) => {
    if (!interesting.has(quota)) return quota;
    // A quota that the object was not counted by so far counts all of it.
    const counted = before !== undefined && matches(quota, evaluator, before);
    const added = masked(withoutZeros(counted ? increase : usage), quota.hard.keys());
    return added.size === 0 ? quota : withUsage(quota, added, attributes);
  });
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
