import {
  canonicalCidr,
  canonicalIp,
  hasLeadingZeros,
  isMappedIp,
  parseCidrLoosely,
  parseIpLoosely,
} from '@apichain/go-text';

/** The problems of a CIDR in a long-standing field; empty when it is valid. */
export function legacyCidrMessages(value: string): string[] {
  const cidr = parseCidrLoosely(value);
  if (cidr === undefined) return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  if (hasLeadingZeros(value)) return ['must not have leading 0s in IP or prefix length'];
  if (isMappedIp(value)) return ['must not have an IPv4-mapped IPv6 address'];
  return cidr.hostBits ? ['must not have bits set beyond the prefix length'] : [];
}

/** The same for newer fields, which accept only the canonical form. */
export function canonicalCidrMessages(value: string): string[] {
  const found = legacyCidrMessages(value);
  const cidr = parseCidrLoosely(value);
  if (found.length > 0 || cidr === undefined) return found;
  const canonical = canonicalCidr(cidr);
  return canonical === value ? [] : [`must be in canonical form ("${canonical}")`];
}

/** The problems of an interface address with its prefix length; host bits are allowed. */
export function interfaceAddressMessages(value: string): string[] {
  const address = parseIpLoosely(value.split('/', 1)[0] ?? '');
  const network = parseCidrLoosely(value);
  if (address === undefined || network === undefined) {
    return ['must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'];
  }
  const canonical = `${canonicalIp(address)}/${network.prefixLength}`;
  return canonical === value ? [] : [`must be in canonical form ("${canonical}")`];
}
