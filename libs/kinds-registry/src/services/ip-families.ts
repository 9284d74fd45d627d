import { field, newInvalid, type FieldError, isSet, semanticEqual } from '@apichain/meta';
import { clusterIpErrors } from '@apichain/kinds-validation';
import { familyName, parseIpLoosely } from '@apichain/go-text';
import type { Service, ServiceSpec } from '@apichain/api/core/v1';
import { isHeadless } from './type-change.ts';

export type IpFamily = 'IPv4' | 'IPv6';

const policyPath = 'spec.ipFamilyPolicy';
const serviceKind = { group: '', kind: 'Service' };
const other = (family: string): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');
const isDual = (policy: string | undefined): boolean => policy === 'PreferDualStack' || policy === 'RequireDualStack';

/** A headless service without selector: its endpoints may be of any family. */
const isSelectorless = (spec: ServiceSpec): boolean =>
  isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;

const refuse = (service: Service, errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw newInvalid(serviceKind, service.metadata.name ?? '', errors);
};

/** A PreferDualStack service is left as it is when none of these fields change, even if the families of the cluster have changed. */
function unchangedPreferDualStack(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  if (old === undefined) return false;
  const members = ['type', 'ipFamilyPolicy', 'clusterIP', 'clusterIPs', 'ipFamilies'] as const;
  return spec.ipFamilyPolicy === 'PreferDualStack' && members.every((name) => semanticEqual(spec[name], old[name]));
}

/** The default policy: that of the stored service, else RequireDualStack without selector, else SingleStack. */
function initPolicy(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (isSet(spec.ipFamilyPolicy)) return;
  spec.ipFamilyPolicy = old?.ipFamilyPolicy ?? (isSelectorless(spec) ? 'RequireDualStack' : 'SingleStack');
}

/** Changing to SingleStack with unchanged lists releases the second address and family; with any other policy they cannot be released. */
function releaseErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const names = ['clusterIPs', 'ipFamilies'] as const;
  const policy = spec.ipFamilyPolicy;
  if (policy === 'SingleStack') {
    for (const name of names) {
      const values = spec[name] ?? [];
      if (values.length > 1 && semanticEqual(values, old[name])) spec[name] = values.slice(0, 1);
    }
    return [];
  }
  const words = { clusterIPs: 'cluster IP', ipFamilies: 'IP family' };
  return names
    .filter((name) => (spec[name] ?? []).length > 0 && (spec[name] ?? []).length < (old[name] ?? []).length)
    .map((name) => field.invalid(policyPath, policy, `must be 'SingleStack' to release the secondary ${words[name]}`));
}

function policyErrors(spec: ServiceSpec): FieldError[] {
  const { ipFamilyPolicy } = spec;
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const wanted = (what: string) =>
    field.invalid(
      policyPath,
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...((spec.clusterIPs ?? []).length === 2 ? [wanted('cluster IPs')] : []),
    ...((spec.ipFamilies ?? []).length === 2 ? [wanted('IP families')] : []),
  ];
}

/** Adds the families of given addresses that the service does not name yet. */
function inferFamilies(spec: ServiceSpec, configured: readonly IpFamily[]): FieldError[] {
  const families = spec.ipFamilies ?? [];
  const errors: FieldError[] = [];
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    const address = ip === 'None' ? undefined : parseIpLoosely(ip);
    if (address === undefined || i < families.length) continue;
    const family = familyName(address.family);
    if (configured.includes(family)) families.push(family);
    else {
      errors.push(
        field.invalid(`spec.clusterIPs[${i}]`, spec.clusterIPs, `${family} is not configured on this cluster`),
      );
    }
  }
  if (families.length > 0) spec.ipFamilies = families;
  return errors;
}

/** A headless service without selector may have addresses of any family. */
function initSelectorless(spec: ServiceSpec, configured: readonly IpFamily[]): void {
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [configured[0] ?? 'IPv4'];
  const families = spec.ipFamilies ?? [];
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1) {
    spec.ipFamilies = [...families, other(families[0] ?? 'IPv4')];
  }
}

function initFamilies(spec: ServiceSpec, configured: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2) {
    errors.push(
      field.invalid(policyPath, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'),
    );
  }
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    if (configured.some((known) => known === family)) continue;
    errors.push(field.invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'));
  }
  if (errors.length > 0) return errors;
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [configured[0] ?? 'IPv4'];
  const families = spec.ipFamilies ?? [];
  if (isDual(spec.ipFamilyPolicy) && families.length === 1 && configured.length > 1) {
    spec.ipFamilies = [...families, other(families[0] ?? 'IPv4')];
  }
  return [];
}

/**
 * Completes ipFamilyPolicy and ipFamilies of a service. `configured` are the families of the cluster, the default first.
 * Throws Invalid when the cluster does not support the service.
 * https://kubernetes.io/docs/concepts/services-networking/dual-stack/#services
 */
export function initIpFamilies(service: Service, old: Service | undefined, configured: readonly IpFamily[]): void {
  const spec = (service.spec ??= {});
  if (spec.type === 'ExternalName') return;
  const before = old === undefined ? undefined : (old.spec ?? {});
  if (unchangedPreferDualStack(spec, before)) return;
  initPolicy(spec, before);
  refuse(service, clusterIpErrors(spec, before));
  refuse(service, [
    ...(before === undefined ? [] : releaseErrors(spec, before)),
    ...policyErrors(spec),
    ...inferFamilies(spec, configured),
  ]);
  if (isSelectorless(spec)) initSelectorless(spec, configured);
  else refuse(service, initFamilies(spec, configured));
}
