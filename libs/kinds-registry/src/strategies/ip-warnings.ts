import {
  canonicalCidr,
  canonicalIp,
  hasLeadingZeros,
  isMappedIp,
  parseCidrLoosely,
  parseIpLoosely,
} from '@apichain/go-text';

/** Warnings about an address that is valid but not in canonical form. Values that do not parse are left to validation. */
export function ipWarnings(path: string, value: string): string[] {
  const address = parseIpLoosely(value);
  if (address === undefined) return [];
  const canonical = canonicalIp(address);
  if (hasLeadingZeros(value) || isMappedIp(value)) {
    return [`${path}: non-standard IP address ${JSON.stringify(value)} is invalid: use "${canonical}"`];
  }
  if (address.family === 6 && value !== canonical) {
    return [`${path}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format ("${canonical}")`];
  }
  return [];
}

/** The same for a CIDR. */
export function cidrWarnings(path: string, value: string): string[] {
  const cidr = parseCidrLoosely(value);
  if (cidr === undefined) return [];
  const canonical = canonicalCidr(cidr);
  const quoted = JSON.stringify(value);
  if (cidr.hostBits) {
    const address = `${canonicalIp(cidr.given)}/${cidr.given.family === 4 ? 32 : 128}`;
    return [`${path}: CIDR value ${quoted} is ambiguous in this context (should be "${canonical}" or "${address}"?)`];
  }
  if (hasLeadingZeros(value) || isMappedIp(value)) {
    return [`${path}: non-standard CIDR value ${quoted} is invalid: use "${canonical}"`];
  }
  if (cidr.given.family === 6 && value !== canonical) {
    return [`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format ("${canonical}")`];
  }
  return [];
}
