import { field, type FieldError } from '@apichain/meta';
import { contains, type IpAddress, type IpRange, parseCidr, parseIpLoosely } from '@apichain/go-text';

const range = (cidr: string): IpRange => {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) throw new Error(`not a CIDR: ${cidr}`);
  return parsed;
};
const loopback = ['127.0.0.0/8', '::1/128'].map(range);
const linkLocal = ['169.254.0.0/16', 'fe80::/10'].map(range);
const linkLocalMulticast = ['224.0.0.0/24', 'ff02::/10'].map(range);
const within = (ranges: readonly IpRange[], address: IpAddress) => ranges.some((r) => contains(r, address));

/** The errors of an endpoint address. Loopback and link-local addresses are rejected, so that services cannot direct traffic to them. */
export function endpointIpErrors(path: string, value: string): FieldError[] {
  const address = parseIpLoosely(value);
  if (address === undefined) return [field.invalid(path, value, 'must be a valid IP address')];
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(field.invalid(path, value, detail));
  if (address.value === 0n) refuse(`may not be unspecified (${value})`);
  if (within(loopback, address)) refuse('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (within(linkLocal, address)) refuse('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  if (within(linkLocalMulticast, address)) {
    refuse('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  }
  return errors;
}
