import { isIP } from 'node:net';
import { canonicalIp, goQuote, isMappedIp, parseIp as readIp } from '@apichain/go-text';
import { asCidr, asIp, asText, global, member, type Library } from '../overload.ts';
import * as types from '../types.ts';
import { EvaluationError, noSuchOverload, type Value } from '../values.ts';
import { addressProblem } from './address-problem.ts';
import { Cidr, IpAddress } from './extension-values.ts';

export const ipType = types.opaque('net.IP');
export const cidrType = types.opaque('net.CIDR');

/** An address of either family. Throws EvaluationError with Go's message. */
export function parseIp(text: string): IpAddress {
  const unreadable = () =>
    new EvaluationError(
      `IP Address ${goQuote(text)} parse error during conversion from string: ${addressProblem(text)}`,
    );
  if (isIP(text) === 0) throw unreadable();
  if (text.includes('%')) throw new EvaluationError(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMappedIp(text)) throw new EvaluationError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  const address = readIp(text);
  if (address === undefined) throw unreadable();
  return new IpAddress(address.value, address.family);
}

/** The canonical text (RFC 5952 for IPv6). */
export const formatIp = ({ bits, family }: IpAddress): string => canonicalIp({ family, value: bits });
export const formatCidr = ({ address, prefixLength }: Cidr): string => `${formatIp(address)}/${prefixLength}`;

function parseCidr(text: string): Cidr {
  const fail = (why: string) =>
    new EvaluationError(
      `network address parse error during conversion from string: netip.ParsePrefix(${goQuote(text)}): ${why}`,
    );
  const slash = text.lastIndexOf('/');
  if (slash < 0) throw fail("no '/'");
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (isIP(address) === 0) throw fail(addressProblem(address));
  if (address.includes('%')) throw fail('IPv6 zones cannot be present in a prefix');
  if (!/^(0|[1-9]\d{0,2})$/.test(bits)) throw fail(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > (isIP(address) === 4 ? 32 : 128)) throw fail('prefix length out of range');
  return new Cidr(parseIp(address), Number(bits));
}
/** As in kube-apiserver, the message says twice that parsing failed. */
function cidrFromText(text: string): Cidr {
  try {
    return parseCidr(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new EvaluationError(`network address parse error during conversion from string: ${why}`);
  }
}

const width = (address: IpAddress) => (address.family === 4 ? 32 : 128);
const network = (address: IpAddress, prefix: number): bigint => address.bits >> BigInt(width(address) - prefix);
const contains = ({ address, prefixLength }: Cidr, ip: IpAddress): boolean =>
  address.family === ip.family && network(address, prefixLength) === network(ip, prefixLength);
const containsCidr = (outer: Cidr, inner: Cidr) =>
  outer.prefixLength <= inner.prefixLength && contains(outer, inner.address);
function masked({ address, prefixLength }: Cidr): Cidr {
  const shift = BigInt(width(address) - prefixLength);
  return new Cidr(new IpAddress((address.bits >> shift) << shift, address.family), prefixLength);
}

const inRange = (ip: IpAddress, v4: string, v6: string) => contains(parseCidr(ip.family === 4 ? v4 : v6), ip);
const isLoopback = (ip: IpAddress) => inRange(ip, '127.0.0.0/8', '::1/128');
const isMulticast = (ip: IpAddress) => inRange(ip, '224.0.0.0/4', 'ff00::/8');
const isLinkLocalUnicast = (ip: IpAddress) => inRange(ip, '169.254.0.0/16', 'fe80::/10');
const isLinkLocalMulticast = (ip: IpAddress) =>
  ip.family === 4 ? inRange(ip, '224.0.0.0/24', '') : ((ip.bits >> 112n) & 0xff0fn) === 0xff02n;
const isGlobalUnicast = (ip: IpAddress) =>
  ip.bits !== 0n &&
  !(ip.family === 4 && ip.bits === 0xffffffffn) &&
  !isLoopback(ip) &&
  !isMulticast(ip) &&
  !isLinkLocalUnicast(ip);

const succeeds = (parse: (text: string) => unknown) => (v: Value | undefined) => {
  try {
    parse(asText(v));
    return true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
};
/** A text that is not an address matches no overload of the contains functions. */
function containedIp(text: string): IpAddress {
  if (!succeeds(parseIp)(text)) throw noSuchOverload();
  return parseIp(text);
}
const property = (id: string, holds: (ip: IpAddress) => boolean) => [
  member(id, [ipType], types.bool, (ip) => holds(asIp(ip))),
];
const { bool, int, string } = types;

/** https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library and -cidr-library */
export const addressLibrary: Library = {
  ip: [
    global('string_to_ip', [string], ipType, (v) => parseIp(asText(v))),
    member('cidr_ip', [cidrType], ipType, (v) => asCidr(v).address),
  ],
  isIP: [global('is_ip', [string], bool, succeeds(parseIp))],
  'ip.isCanonical': [global('ip_is_canonical', [string], bool, (v) => formatIp(parseIp(asText(v))) === asText(v))],
  family: [member('ip_family', [ipType], int, (v) => BigInt(asIp(v).family))],
  isUnspecified: property('ip_is_unspecified', (ip) => ip.bits === 0n),
  isLoopback: property('ip_is_loopback', isLoopback),
  isLinkLocalMulticast: property('ip_is_link_local_multicast', isLinkLocalMulticast),
  isLinkLocalUnicast: property('ip_is_link_local_unicast', isLinkLocalUnicast),
  isGlobalUnicast: property('ip_is_global_unicast', isGlobalUnicast),
  cidr: [global('string_to_cidr', [string], cidrType, (v) => cidrFromText(asText(v)))],
  isCIDR: [global('is_cidr', [string], bool, succeeds(parseCidr))],
  containsIP: [
    member('cidr_contains_ip_string', [cidrType, string], bool, (c, v) => contains(asCidr(c), containedIp(asText(v)))),
    member('cidr_contains_ip_ip', [cidrType, ipType], bool, (c, v) => contains(asCidr(c), asIp(v))),
  ],
  containsCIDR: [
    member('cidr_contains_cidr_string', [cidrType, string], bool, (c, v) =>
      containsCidr(asCidr(c), cidrFromText(asText(v))),
    ),
    member('cidr_contains_cidr', [cidrType, cidrType], bool, (c, v) => containsCidr(asCidr(c), asCidr(v))),
  ],
  prefixLength: [member('cidr_prefix_length', [cidrType], int, (c) => BigInt(asCidr(c).prefixLength))],
  masked: [member('cidr_masked', [cidrType], cidrType, (c) => masked(asCidr(c)))],
};
