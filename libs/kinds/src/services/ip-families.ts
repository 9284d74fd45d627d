import { field, newInvalid, type FieldError, type KubeObject } from '@apichain/meta';
import { ensureRecord, isSet, list, type Plain, record, texts } from '../fields.ts';
import { semanticEqual } from '../strategies/equality.ts';
import { clusterIpErrors } from '../validation/service-cluster-ips.ts';
import { familyName, parseIpLoosely } from './ip.ts';
import { isHeadless } from './type-change.ts';

export type IpFamily = 'IPv4' | 'IPv6';

const serviceKind = { group: '', kind: 'Service' };
const other = (family: string): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');
const isDual = (policy: unknown): boolean => policy === 'PreferDualStack' || policy === 'RequireDualStack';

const refuse = (service: KubeObject, errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw newInvalid(serviceKind, service.metadata.name ?? '', errors);
};

/** A PreferDualStack service that changes nothing of this keeps what it has, even on a cluster that has changed. */
function unchangedPreferDualStack(spec: Plain, old: Plain | undefined): boolean {
  if (old === undefined) return false;
  const members = ['type', 'ipFamilyPolicy', 'clusterIP', 'clusterIPs', 'ipFamilies'];
  return spec.ipFamilyPolicy === 'PreferDualStack' && members.every((name) => semanticEqual(spec[name], old[name]));
}

/** Going to SingleStack without touching the lists gives the second address and family up. */
function releaseSecondary(spec: Plain, old: Plain): void {
  if (spec.ipFamilyPolicy !== 'SingleStack' || !isDual(old.ipFamilyPolicy)) return;
  for (const name of ['clusterIPs', 'ipFamilies']) {
    const values = list(spec[name]);
    if (values.length === 2 && semanticEqual(values, old[name])) spec[name] = values.slice(0, 1);
  }
}

function shrinkErrors(spec: Plain, old: Plain): FieldError[] {
  const policy = spec.ipFamilyPolicy;
  if (policy === undefined || policy === 'SingleStack' || !semanticEqual(policy, old.ipFamilyPolicy)) return [];
  const shrunk = (name: string) => list(old[name]).length > 1 && list(spec[name]).length === 1;
  const path = 'spec.ipFamilyPolicy';
  return [
    ...(shrunk('clusterIPs')
      ? [field.invalid(path, policy, "must be 'SingleStack' to release the secondary cluster IP")]
      : []),
    ...(shrunk('ipFamilies')
      ? [field.invalid(path, policy, "must be 'SingleStack' to release the secondary IP family")]
      : []),
  ];
}

function policyErrors(spec: Plain): FieldError[] {
  if (isDual(spec.ipFamilyPolicy)) return [];
  const wanted = (what: string) =>
    `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
  const value = spec.ipFamilyPolicy ?? null;
  const path = 'spec.ipFamilyPolicy';
  return [
    ...(list(spec.clusterIPs).length === 2 ? [field.invalid(path, value, wanted('cluster IPs'))] : []),
    ...(list(spec.ipFamilies).length === 2 ? [field.invalid(path, value, wanted('IP families'))] : []),
  ];
}

/** Families that the given addresses are of and the service does not name yet. */
function inferFamilies(spec: Plain, configured: readonly IpFamily[]): FieldError[] {
  const families = texts(spec.ipFamilies);
  const errors: FieldError[] = [];
  for (const [i, ip] of texts(spec.clusterIPs).entries()) {
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
function initSelectorless(spec: Plain, configured: readonly IpFamily[]): void {
  spec.ipFamilyPolicy ??= 'RequireDualStack';
  if (list(spec.ipFamilies).length === 0) spec.ipFamilies = [configured[0] ?? 'IPv4'];
  const families = texts(spec.ipFamilies);
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1) {
    spec.ipFamilies = [...families, other(families[0] ?? 'IPv4')];
  }
}

function initFamilies(spec: Plain, configured: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  spec.ipFamilyPolicy ??= 'SingleStack';
  if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2) {
    errors.push(
      field.invalid(
        'spec.ipFamilyPolicy',
        spec.ipFamilyPolicy,
        'this cluster is not configured for dual-stack services',
      ),
    );
  }
  for (const [i, family] of texts(spec.ipFamilies).entries()) {
    if (configured.some((known) => known === family)) continue;
    errors.push(field.invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'));
  }
  if (errors.length > 0) return errors;
  if (list(spec.ipFamilies).length === 0) spec.ipFamilies = [configured[0] ?? 'IPv4'];
  const families = texts(spec.ipFamilies);
  if (isDual(spec.ipFamilyPolicy) && families.length === 1 && configured.length > 1) {
    spec.ipFamilies = [...families, other(families[0] ?? 'IPv4')];
  }
  return [];
}

/**
 * Completes ipFamilyPolicy and ipFamilies of a service. `configured` are the families of the cluster, its default first.
 * Throws Invalid for what the cluster can not give.
 * https://kubernetes.io/docs/concepts/services-networking/dual-stack/#services
 */
export function initIpFamilies(
  service: KubeObject,
  old: KubeObject | undefined,
  configured: readonly IpFamily[],
): void {
  const spec = ensureRecord(service, 'spec');
  if (spec.type === 'ExternalName') return;
  const before = old === undefined ? undefined : record(old.spec);
  if (unchangedPreferDualStack(spec, before)) return;
  if (before !== undefined && before.type !== 'ExternalName') {
    if (!isSet(spec.ipFamilyPolicy) && isSet(before.ipFamilyPolicy)) spec.ipFamilyPolicy = before.ipFamilyPolicy;
    releaseSecondary(spec, before);
    refuse(service, shrinkErrors(spec, before));
  }
  refuse(service, clusterIpErrors(spec, before));
  const selectorless = isHeadless(spec) && Object.keys(record(spec.selector)).length === 0;
  refuse(service, [...(selectorless ? [] : policyErrors(spec)), ...inferFamilies(spec, configured)]);
  if (selectorless) initSelectorless(spec, configured);
  else refuse(service, initFamilies(spec, configured));
}
