import { goQuote } from '@apichain/go-text';
import { randomInt } from 'node:crypto';
import type { KubeObject } from '@apichain/meta';
import { KeyNotFoundError, type Storage } from '@apichain/storage';
import { AllocationError, rangeFull } from './cluster-ip-allocator.ts';

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

const rangeKey = '/ranges/servicenodeports';

/** The stored bitmap: bit n is port base + n, most significant byte first. */
const readBits = (object: KubeObject | undefined): bigint => {
  const data = typeof object?.data === 'string' ? Buffer.from(object.data, 'base64').toString('hex') : '';
  return data === '' ? 0n : BigInt(`0x${data}`);
};
const writeBits = (bits: bigint): string => {
  const hex = bits === 0n ? '' : bits.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64');
};

/** The first free port among `size` ports from `first`, starting at a random one. */
function pick(bits: bigint, first: number, size: number): number | undefined {
  if (size <= 0) return undefined;
  const start = randomInt(size);
  for (let i = 0; i < size; i++) {
    const candidate = first + ((start + i) % size);
    if ((bits >> BigInt(candidate)) % 2n === 0n) return candidate;
  }
  return undefined;
}

/**
 * Allocates node ports of services. The allocated ports are one bitmap in the store that is changed by compare-and-swap, so any number of
 * servers may allocate concurrently. https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
 */
export class NodePortAllocator {
  readonly #storage: Storage;
  readonly #range: PortRange;

  constructor(storage: Storage, range: PortRange) {
    this.#storage = storage;
    this.#range = range;
  }

  /** Allocates a specific port. Throws AllocationError. */
  async allocate(port: number): Promise<void> {
    const bit = this.#bit(port);
    await this.#change((bits) => {
      if (bits & bit) throw new AllocationError('provided port is already allocated');
      return bits | bit;
    });
  }

  /** Whether a port is allocated; false for a port outside the range. */
  async has(port: number): Promise<boolean> {
    const { base, size } = this.#range;
    if (port < base || port >= base + size) return false;
    try {
      const bits = readBits((await this.#storage.get(rangeKey, { resourceVersion: '' })).parse());
      return (bits >> BigInt(port - base)) % 2n === 1n;
    } catch (error) {
      if (error instanceof KeyNotFoundError) return false;
      throw error;
    }
  }

  /** Allocates any free port, from the upper part of the range first. Throws AllocationError. */
  async allocateNext(): Promise<number> {
    const { base, size } = this.#range;
    const offset = size <= 16 ? 0 : Math.min(128, Math.max(16, Math.trunc(size / 32)));
    let port = 0;
    await this.#change((bits) => {
      const free = pick(bits, offset, size - offset) ?? pick(bits, 0, offset);
      if (free === undefined) throw new AllocationError(rangeFull);
      port = base + free;
      return bits | (1n << BigInt(free));
    });
    return port;
  }

  /** Releases ports; ignores ports outside the range. */
  async release(ports: readonly number[]): Promise<void> {
    const { base, size } = this.#range;
    const freed = ports.filter((port) => port >= base && port < base + size);
    if (freed.length === 0) return;
    const mask = freed.reduce((sum, port) => sum | (1n << BigInt(port - base)), 0n);
    await this.#change((bits) => bits & ~mask);
  }

  #bit(port: number): bigint {
    const { base, size } = this.#range;
    if (port < base || port >= base + size) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${formatPortRange(this.#range)}`,
      );
    }
    return 1n << BigInt(port - base);
  }

  async #change(next: (bits: bigint) => bigint): Promise<void> {
    await this.#storage.guaranteedUpdate(rangeKey, {
      ignoreNotFound: true,
      tryUpdate: (current) => ({
        object: {
          apiVersion: 'v1',
          kind: 'RangeAllocation',
          metadata: {},
          range: formatPortRange(this.#range),
          data: writeBits(next(readBits(current?.parse()))),
        },
      }),
    });
  }
}
