/** An address as a number, so that ranges can be iterated. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A network: an address and the number of its leading bits that all members share. */
export interface IpRange {
  readonly family: 4 | 6;
  /** The network address. */
  readonly base: bigint;
  readonly prefixLength: number;
}

const octets = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function parseV4(value: string, leadingZeros: boolean): bigint | undefined {
  const match = octets.exec(value);
  if (match === null) return undefined;
  let result = 0n;
  for (const part of match.slice(1)) {
    if (Number(part) > 255 || (!leadingZeros && part.length > 1 && part.startsWith('0'))) return undefined;
    result = (result << 8n) | BigInt(part);
  }
  return result;
}

function parseGroups(value: string): bigint[] | undefined {
  if (value === '') return [];
  const groups = value.split(':');
  const parsed: bigint[] = [];
  for (const [i, group] of groups.entries()) {
    if (i === groups.length - 1 && group.includes('.')) {
      const v4 = parseV4(group, false);
      if (v4 === undefined) return undefined;
      parsed.push(v4 >> 16n, v4 & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) parsed.push(BigInt(`0x${group}`));
    else return undefined;
  }
  return parsed;
}

function parseV6(value: string): bigint | undefined {
  const halves = value.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '');
  const tail = parseGroups(halves[1] ?? '');
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

const mappedPrefix = 0xffffn << 32n;
const isMapped = (value: bigint): boolean => value >> 32n === 0xffffn;

/** Go's net.ParseIP, which allows no leading zeros. IPv4-mapped IPv6 addresses count as IPv4. Undefined if the text is invalid. */
export function parseIp(value: string): IpAddress | undefined {
  return parse(value, false);
}

/** Like `parseIp`, but allows leading zeros in octets (read as decimal), as Kubernetes did for a long time. */
export function parseIpLoosely(value: string): IpAddress | undefined {
  return parse(value, true);
}

function parse(value: string, leadingZeros: boolean): IpAddress | undefined {
  if (!value.includes(':')) {
    const v4 = parseV4(value, leadingZeros);
    return v4 === undefined ? undefined : { family: 4, value: v4 };
  }
  const v6 = parseV6(value);
  if (v6 === undefined) return undefined;
  return isMapped(v6) ? { family: 4, value: v6 & 0xffffffffn } : { family: 6, value: v6 };
}

/** Whether text such as `::ffff:10.0.0.1` is an IPv4-mapped IPv6 address. */
export function isMappedIp(value: string): boolean {
  const address = value.split('/')[0] ?? '';
  const v6 = address.includes(':') ? parseV6(address) : undefined;
  return v6 !== undefined && (v6 & ~0xffffffffn) === mappedPrefix;
}

/** Whether an octet of an IPv4 address, or the prefix length of a CIDR, has leading zeros. */
export const hasLeadingZeros = (value: string): boolean => {
  const [address = '', length = ''] = value.split('/');
  return (!address.includes(':') && address.split('.').some((part) => /^0\d/.test(part))) || /^0\d/.test(length);
};

/** The canonical form of an address: dotted decimal, or RFC 5952. */
export function canonicalIp(address: IpAddress): string {
  if (address.family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => (address.value >> shift) & 0xffn).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, i) => ((address.value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const zeros = longestZeroRun(groups);
  if (zeros === undefined) return groups.join(':');
  return `${groups.slice(0, zeros.start).join(':')}::${groups.slice(zeros.start + zeros.length).join(':')}`;
}

function longestZeroRun(groups: readonly string[]): { start: number; length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === '0') length++;
    if (length > 1 && length > (best?.length ?? 0)) best = { start, length };
  }
  return best;
}

interface LooseCidr extends IpRange {
  /** The address as given, host bits included. */
  readonly given: IpAddress;
  readonly hostBits: boolean;
}

/** Parses a range in CIDR form; host bits and leading zeros are allowed. */
export function parseCidrLoosely(value: string): LooseCidr | undefined {
  const [address = '', length, ...rest] = value.split('/');
  if (length === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const given = parseIpLoosely(address);
  if (given === undefined) return undefined;
  const mapped = isMappedIp(address);
  const bits = given.family === 4 && !mapped ? 32 : 128;
  if (Number(length) > bits) return undefined;
  const prefixLength = mapped ? Math.max(0, Number(length) - 96) : Number(length);
  const hostSize = BigInt((given.family === 4 ? 32 : 128) - prefixLength);
  const base = (given.value >> hostSize) << hostSize;
  return { family: given.family, base, prefixLength, given, hostBits: base !== given.value };
}

/** Parses a range that is valid for a ServiceCIDR or a flag; undefined otherwise. */
export function parseCidr(value: string): IpRange | undefined {
  if (hasLeadingZeros(value)) return undefined;
  return parseCidrLoosely(value);
}

/** The canonical form of a range: its network address and prefix length. */
export const canonicalCidr = (range: IpRange): string =>
  `${canonicalIp({ family: range.family, value: range.base })}/${range.prefixLength}`;

/** The number of addresses in the range. */
export const rangeSize = (range: IpRange): bigint => 1n << BigInt((range.family === 4 ? 32 : 128) - range.prefixLength);

/** Whether a range contains an address. False if the families differ. */
export const contains = (range: IpRange, address: IpAddress): boolean =>
  address.family === range.family && address.value >= range.base && address.value < range.base + rangeSize(range);

/** The family as `spec.ipFamilies` of a Service names it. */
export const familyName = (family: 4 | 6): 'IPv4' | 'IPv6' => (family === 4 ? 'IPv4' : 'IPv6');

/** A host in front of a port: an IPv6 address is put in brackets. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `host:port`. Source: https://pkg.go.dev/net#JoinHostPort */
export const joinHostPort = (host: string, port: number | string): string => `${bracketed(host)}:${port}`;
