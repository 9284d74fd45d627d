import { goQuote } from '@apichain/go-text';

export interface PortRange {
  /** First port. */
  readonly base: number;
  readonly size: number;
}

/** The default of `--service-node-port-range`. */
export const defaultServiceNodePortRange = '30000-32767';

/**
 * Parses a port, `first-last` or `first+offset`; empty = the default. Throws Error. Source:
 * staging/src/k8s.io/apimachinery/pkg/util/net/port_range.go of kubernetes 1.36.
 */
export function parsePortRange(flag: string): PortRange {
  const value = flag.trim() === '' ? defaultServiceNodePortRange : flag.trim();
  const [low = '', high, ...more] = value.split(/[-+]/);
  if (more.length > 0 && value.includes('+') && value.includes('-'))
    throw new Error(`unable to parse port range: ${value}`);
  const base = atoi(low);
  const given = high === undefined ? base : atoi([high, ...more].join('-'));
  const last = value.includes('+') ? base + given : given;
  if (base > 65535 || last > 65535) throw new Error(`the port range cannot be greater than 65535: ${value}`);
  if (last < base) throw new Error(`end port cannot be less than start port: ${value}`);
  return { base, size: last - base + 1 };
}

function atoi(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
}

/** A range as `--service-node-port-range` takes it: `30000-32767`, both ends included. */
export const formatPortRange = ({ base, size }: PortRange): string => `${base}-${base + size - 1}`;

/** Whether a port is in the range. */
export const inRange = ({ base, size }: PortRange, port: number): boolean => port >= base && port < base + size;
