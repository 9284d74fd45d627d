import type { ServiceSpec } from '@apichain/api/core/v1';
import { field, type FieldError } from '@apichain/meta';
import { canonicalIp, hasLeadingZeros, isMappedIp, parseIpLoosely } from '@apichain/go-text';
import { choice } from './common/rules.ts';

/** The problems of an address in a long-standing field; empty when it is valid. */
export function legacyIpMessages(value: string): string[] {
  if (parseIpLoosely(value) === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  if (hasLeadingZeros(value)) return ['must not have leading 0s'];
  return isMappedIp(value) ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

/** The same for newer fields and for names, which accept only the canonical form. */
export function canonicalIpMessages(value: string): string[] {
  const found = legacyIpMessages(value);
  const address = parseIpLoosely(value);
  if (found.length > 0 || address === undefined) return found;
  const canonical = canonicalIp(address);
  return canonical === value ? [] : [`must be in canonical form ("${canonical}")`];
}

const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

function agreementErrors(spec: ServiceSpec): FieldError[] {
  const ips = spec.clusterIPs ?? [];
  const clusterIp = spec.clusterIP ?? '';
  if (clusterIp !== '' && ips.length === 0) return [field.required('spec.clusterIPs')];
  if (clusterIp !== '' && ips[0] !== clusterIp) {
    return [field.invalid('spec.clusterIPs', ips, 'first value must match `clusterIP`')];
  }
  return clusterIp === '' && ips.length > 0
    ? [field.invalid('spec.clusterIPs', ips, 'must be empty when `clusterIP` is not specified')]
    : [];
}

function familyErrors(spec: ServiceSpec): FieldError[] {
  const seen = new Set<string>();
  const errors = field.collectEach(spec.ipFamilies ?? [], (family, i) => {
    const path = `spec.ipFamilies[${i}]`;
    const repeated = seen.has(family);
    seen.add(family);
    return [
      ...(families.includes(family) ? [] : [field.notSupported(path, family, families)]),
      ...(repeated ? [field.duplicate(path, family)] : []),
    ];
  });
  choice(errors, 'spec.ipFamilyPolicy', spec.ipFamilyPolicy, policies);
  return errors;
}

function addressErrors(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const ips = spec.clusterIPs ?? [];
  const stored = new Set(old?.clusterIPs ?? []);
  const errors = field.collectEach(ips, (ip, i) => {
    if (i === 0 && ip === 'None') {
      return ips.length > 1 ? [field.invalid('spec.clusterIPs', ips, "'None' must be the first and only value")] : [];
    }
    if (stored.has(ip)) return [];
    return legacyIpMessages(ip).map((message) => field.invalid(`spec.clusterIPs[${i}]`, ip, message));
  });
  return errors;
}

function familyAgreementErrors(spec: ServiceSpec): FieldError[] {
  const ips = spec.clusterIPs ?? [];
  const errors: FieldError[] = [];
  const used = ips.map((ip) => parseIpLoosely(ip)?.family);
  if (ips.length > 1 && new Set(used).size < 2) {
    errors.push(field.invalid('spec.clusterIPs', ips, 'may specify no more than one IP for each IP family'));
  }
  const wanted = spec.ipFamilies ?? [];
  for (const [i, ip] of ips.entries()) {
    const family = wanted[i] ?? '';
    if (ip === 'None' || used[i] === undefined || !families.includes(family)) continue;
    if (family === `IPv${used[i]}`) continue;
    errors.push(
      field.invalid(`spec.clusterIPs[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``),
    );
  }
  return errors;
}

/** Checks that the cluster IPs and IP families of a service match. `old` is the stored spec; its addresses are accepted. */
export function clusterIpErrors(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const addresses = addressErrors(spec, old);
  const errors = [...agreementErrors(spec), ...familyErrors(spec), ...addresses];
  const ips = spec.clusterIPs ?? [];
  if (ips.length > 2) errors.push(field.invalid('spec.clusterIPs', ips, 'may only hold up to 2 values'));
  return addresses.length > 0 ? errors : [...errors, ...familyAgreementErrors(spec)];
}
