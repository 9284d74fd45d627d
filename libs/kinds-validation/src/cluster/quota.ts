import type { ResourceQuota } from '@apichain/api/core/v1';
import { field, type FieldError } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { quotaResourceName, resourceQuantity } from '../common/resources.ts';
import { checkEach, collect, immutableDetail, type Out, shownList, sortedEntries } from '../common/rules.ts';

const scopes = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]);
const podResources = new Set([
  'pods',
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);
const claimResources = new Set(['persistentvolumeclaims', 'requests.storage']);
const existsOnly = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const standard =
  /^(?:pods|services|replicationcontrollers|resourcequotas|secrets|configmaps|persistentvolumeclaims|services\.nodeports|services\.loadbalancers|cpu|memory|ephemeral-storage|(?:requests|limits)\.(?:cpu|memory|ephemeral-storage)|requests\.storage|(?:requests\.)?hugepages-.*)$/s;

function fits(scope: string, resource: string): boolean {
  if (scope === 'BestEffort') return resource === 'pods';
  return scope === 'VolumeAttributesClass' ? claimResources.has(resource) : podResources.has(resource);
}

/** The error shows the scopes of the spec, even if the conflict is in those of the scope selector. */
function conflictErrors(out: Out, path: string, found: ReadonlySet<string>, quota: ResourceQuota): void {
  for (const [scope, opposite] of opposites) {
    if (found.has(scope) && found.has(opposite)) {
      out.push(field.invalid(path, shownList(quota.spec, 'scopes'), 'conflicting scopes'));
    }
  }
}

function amountErrors(out: Out, path: string, amounts: Record<string, string> | undefined): void {
  checkEach(out, sortedEntries(amounts), (out, [name, value]) => {
    quotaResourceName(out, `${path}[${name}]`, name);
    resourceQuantity(out, `${path}[${name}]`, name, value);
  });
}

/** The number of resources of the quota to which a scope does not apply. Counted once for each scope, because the spec may name it many times. */
function misfitsOf(quota: ResourceQuota): (scope: string) => number {
  const names = Object.keys(quota.spec?.hard ?? {}).filter((name) => standard.test(name));
  const counts = new Map<string, number>();
  return (scope) => {
    if (!scopes.has(scope)) return 0;
    const known = counts.get(scope) ?? names.filter((name) => !fits(scope, name)).length;
    counts.set(scope, known);
    return known;
  };
}

function scopeErrors(out: Out, quota: ResourceQuota): void {
  const given = quota.spec?.scopes ?? [];
  if (given.length === 0) return;
  const path = 'spec.scopes';
  const misfits = misfitsOf(quota);
  for (const scope of given) {
    if (!scopes.has(scope)) out.push(field.invalid(path, given, 'unsupported scope'));
    for (let i = misfits(scope); i > 0; i--) {
      out.push(field.invalid(path, given, 'unsupported scope applied to resource'));
    }
  }
  conflictErrors(out, path, new Set(given), quota);
}

function selectorErrors(out: Out, quota: ResourceQuota): void {
  const expressions = quota.spec?.scopeSelector?.matchExpressions ?? [];
  const path = 'spec.scopeSelector.matchExpressions';
  const shown = () => goValue('core.v1.ScopeSelector', quota.spec?.scopeSelector);
  const found = new Set<string>();
  const misfits = misfitsOf(quota);
  checkEach(out, expressions, (out, { scopeName, operator, values }) => {
    const scope = scopeName ?? '';
    if (!scopes.has(scope)) out.push(field.invalid(`${path}.scopeName`, scope, 'unsupported scope'));
    for (let i = misfits(scope); i > 0; i--) {
      out.push(field.invalid(path, shown(), 'unsupported scope applied to resource'));
    }
    if (existsOnly.has(scope) && operator !== 'Exists') {
      const detail =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
      out.push(field.invalid(`${path}.operator`, operator ?? '', detail));
    }
    operatorErrors(out, path, operator ?? '', values);
    found.add(scope);
  });
  conflictErrors(out, path, found, quota);
}

function operatorErrors(out: Out, path: string, operator: string, values: readonly string[] | undefined): void {
  const count = (values ?? []).length;
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) {
      const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      out.push(field.required(`${path}.values`, detail));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      out.push(field.invalid(`${path}.values`, values, detail));
    }
  } else out.push(field.invalid(`${path}.operator`, operator, 'not a valid selector operator'));
}

function specErrors(out: Out, quota: ResourceQuota): void {
  amountErrors(out, 'spec.hard', quota.spec?.hard);
  scopeErrors(out, quota);
  selectorErrors(out, quota);
}

function statusErrors(out: Out, quota: ResourceQuota): void {
  amountErrors(out, 'status.hard', quota.status?.hard);
  amountErrors(out, 'status.used', quota.status?.used);
}

/** https://kubernetes.io/docs/concepts/policy/resource-quotas/ */
export const validateQuota = (quota: ResourceQuota): FieldError[] =>
  collect((out) => {
    specErrors(out, quota);
    statusErrors(out, quota);
  });

export function validateQuotaUpdate(quota: ResourceQuota, old: ResourceQuota): FieldError[] {
  return collect((out) => {
    specErrors(out, quota);
    const now = new Set(quota.spec?.scopes ?? []);
    const before = new Set(old.spec?.scopes ?? []);
    if (now.size !== before.size || [...now].some((scope) => !before.has(scope))) {
      out.push(field.invalid('spec.scopes', shownList(quota.spec, 'scopes'), immutableDetail));
    }
  });
}

export function validateQuotaStatus(quota: ResourceQuota): FieldError[] {
  return collect((out) => {
    if ((quota.metadata.resourceVersion ?? '') === '') out.push(field.required('resourceVersion'));
    statusErrors(out, quota);
  });
}
