import type { RangeAllocation } from '@apichain/api/core/v1';
import type { KubeObject } from '@apichain/meta';
import { formatPortRange, inRange, parsePortRange, type PortRange } from './port-range.ts';

/**
 * The ports of a range that are allocated, as kube-apiserver stores them in a RangeAllocation: bit n is port base + n, most significant byte first,
 * no leading zero bytes. Source: pkg/registry/core/service/allocator/bitmap.go of kubernetes 1.36.
 */
export class PortBitmap {
  readonly range: PortRange;
  #bits: bigint;

  constructor(range: PortRange, bits = 0n) {
    this.range = range;
    this.#bits = bits;
  }

  /**
   * The allocated ports of a stored object that are in `range`. The object may be of another range, that of a server with another
   * `--service-node-port-range`. Throws Error when its range is not one.
   */
  static read(object: KubeObject | undefined, range: PortRange): PortBitmap {
    const { range: storedRange = '', data } = (object ?? {}) as Partial<RangeAllocation>;
    const hex = Buffer.from(data ?? '', 'base64').toString('hex');
    const bits = hex === '' ? 0n : BigInt(`0x${hex}`);
    const { base } = storedRange === '' ? range : parsePortRange(storedRange);
    const moved = base < range.base ? bits >> BigInt(range.base - base) : bits << BigInt(base - range.base);
    return new PortBitmap(range, moved & ((1n << BigInt(range.size)) - 1n));
  }

  /** False for a port outside of the range. */
  has(port: number): boolean {
    return inRange(this.range, port) && (this.#bits & this.#bit(port)) !== 0n;
  }

  /** False if the port is allocated. The port must be in the range. */
  add(port: number): boolean {
    if (this.has(port)) return false;
    this.#bits |= this.#bit(port);
    return true;
  }

  delete(port: number): void {
    if (this.has(port)) this.#bits ^= this.#bit(port);
  }

  /** The number of ports. */
  get count(): number {
    return this.#bits.toString(2).replaceAll('0', '').length;
  }

  /** The allocated ports in ascending order. */
  ports(): number[] {
    const { base, size } = this.range;
    return Array.from({ length: size }, (_, offset) => base + offset).filter((port) => this.has(port));
  }

  /** The object to store. `stored` is the present one, whose metadata stays. */
  write(stored: KubeObject | undefined): KubeObject {
    const hex = this.#bits === 0n ? '' : this.#bits.toString(16);
    return {
      apiVersion: 'v1',
      kind: 'RangeAllocation',
      metadata: stored?.metadata ?? {},
      range: formatPortRange(this.range),
      data: Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64'),
    };
  }

  #bit(port: number): bigint {
    return 1n << BigInt(port - this.range.base);
  }
}
