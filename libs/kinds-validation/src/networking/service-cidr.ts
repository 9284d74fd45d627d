import type { ServiceCIDR } from '@apichain/api/networking/v1';
import { parseCidrLoosely } from '@apichain/go-text';
import { field, type FieldError } from '@apichain/meta';
import { canonicalCidrMessages } from '../cidr.ts';
import { goValue } from '../common/go-value.ts';
import { immutableDetail, isGivenEmpty } from '../common/rules.ts';

const messages = (path: string, value: unknown, found: readonly string[]): FieldError[] =>
  found.map((message) => field.invalid(path, value, message));

/** One range, or two of different families, in canonical form. */
export function validateServiceCidr(cidr: ServiceCIDR): FieldError[] {
  const cidrs = cidr.spec?.cidrs ?? [];
  const path = 'spec.cidrs';
  if (cidrs.length === 0) return [field.required(path, 'at least one CIDR required')];
  if (cidrs.length > 2) {
    const shown = goValue('networking.k8s.io.v1.ServiceCIDRSpec', cidr.spec);
    return [field.invalid(path, shown, 'may only hold up to 2 values')];
  }
  const errors = field.collectEach(cidrs, (text, i) => messages(`${path}[${i}]`, text, canonicalCidrMessages(text)));
  const families = cidrs.map((text) => parseCidrLoosely(text)?.family);
  if (cidrs.length === 2 && families[0] !== undefined && families[0] === families[1]) {
    errors.push(
      field.invalid(
        path,
        cidrs,
        'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ),
    );
  }
  return errors;
}

/** An update may only add a second range of the other family. */
export function validateServiceCidrUpdate(cidr: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const now = cidr.spec?.cidrs ?? [];
  const before = old.spec?.cidrs ?? [];
  const changed = (i: number) =>
    now[i] === before[i] ? [] : [field.invalid(`spec.cidrs[${i}]`, now[i] ?? null, immutableDetail)];
  if (now.length === before.length) return field.collectEach(now, (_, i) => changed(i));
  return before.length === 1 && now.length === 2
    ? [...changed(0), ...validateServiceCidr(cidr)]
    : [
        field.invalid(
          'spec.cidrs',
          now.length === 0 && !isGivenEmpty(cidr.spec, 'cidrs') ? null : now,
          immutableDetail,
        ),
      ];
}
