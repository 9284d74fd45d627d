import type { Service } from '@apichain/api/core/v1';
import { randomBelow, type KubeObject } from '@apichain/meta';
import { KeyNotFoundError, type Storage } from '@apichain/storage';
import { AllocationCounts } from './allocation-counts.ts';
import { AllocationError, rangeFull } from './cluster-ip-allocator.ts';
import { PortBitmap } from './port-bitmap.ts';
import { formatPortRange, inRange, type PortRange } from './port-range.ts';
import { allNodePorts } from './service-node-ports.ts';

const rangeKey = '/ranges/servicenodeports';

/** Reads every Service of the cluster, each as it is now or later. */
export type EachService = (visit: (service: Service) => void) => Promise<void>;

/** The first free port among `size` ports from `first`, starting at a random one. */
function pick(ports: PortBitmap, first: number, size: number): number | undefined {
  if (size <= 0) return undefined;
  const start = randomBelow(size);
  for (let i = 0; i < size; i++) {
    const candidate = first + ((start + i) % size);
    if (!ports.has(candidate)) return candidate;
  }
  return undefined;
}

/**
 * Allocates node ports of services. The allocated ports are one bitmap in the store that is changed by compare-and-swap, so any number of
 * servers, kube-apiservers among them, may allocate concurrently. Without a stored bitmap the ports of the stored services are the allocated ones.
 * https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
 */
export class NodePortAllocator {
  readonly range: PortRange;
  readonly #storage: Storage;
  readonly #services: EachService;
  readonly counts = new AllocationCounts();
  /** The number of allocated ports after the last change by this server; undefined = it has changed nothing yet. */
  #allocated: number | undefined;

  constructor(storage: Storage, range: PortRange, services: EachService) {
    this.#storage = storage;
    this.range = range;
    this.#services = services;
  }

  /** As of the last change by this server; undefined = it has changed nothing yet. */
  get allocated(): number | undefined {
    return this.#allocated;
  }

  /** Allocates a specific port. Throws AllocationError. */
  allocate(port: number): Promise<void> {
    return this.counts.of('static', () => this.#allocate(port));
  }

  async #allocate(port: number): Promise<void> {
    if (!inRange(this.range, port)) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${formatPortRange(this.range)}`,
      );
    }
    await this.#change((ports) => {
      if (!ports.add(port)) throw new AllocationError('provided port is already allocated');
    });
  }

  /** Whether a port is allocated; false for a port outside the range. */
  async has(port: number): Promise<boolean> {
    if (!inRange(this.range, port)) return false;
    try {
      const stored = (await this.#storage.get(rangeKey, { resourceVersion: '' })).parse();
      return PortBitmap.read(stored, this.range).has(port);
    } catch (error) {
      if (!(error instanceof KeyNotFoundError)) throw error;
      return (await this.#portsOfServices()).has(port);
    }
  }

  /** Allocates any free port, from the upper part of the range first. Throws AllocationError. */
  allocateNext(): Promise<number> {
    return this.counts.of('dynamic', () => this.#allocateNext());
  }

  async #allocateNext(): Promise<number> {
    const { base, size } = this.range;
    const offset = size <= 16 ? 0 : Math.min(128, Math.max(16, Math.trunc(size / 32)));
    let port = 0;
    await this.#change((ports) => {
      const free = pick(ports, base + offset, size - offset) ?? pick(ports, base, offset);
      if (free === undefined) throw new AllocationError(rangeFull);
      port = free;
      ports.add(free);
    });
    return port;
  }

  /** Releases ports; ignores ports outside the range. */
  async release(freed: readonly number[]): Promise<void> {
    if (!freed.some((port) => inRange(this.range, port))) return;
    await this.#change((ports) => {
      for (const port of freed) ports.delete(port);
    });
  }

  /**
   * Replaces the bitmap by the result of `rebuild`, which gets the stored ports and reads the services after them. It is called again when another
   * server changes the bitmap in the meantime.
   */
  async rebuild(rebuild: (stored: PortBitmap, services: EachService) => Promise<PortBitmap>): Promise<void> {
    await this.#storage.guaranteedUpdate(rangeKey, {
      ignoreNotFound: true,
      tryUpdate: async (current) => {
        const object = current?.parse();
        const stored = PortBitmap.read(object, this.range);
        return { object: (await rebuild(stored, this.#services)).write(object) };
      },
    });
  }

  async #change(change: (ports: PortBitmap) => void): Promise<void> {
    let allocated = 0;
    const next = (object: KubeObject | undefined, ports: PortBitmap) => {
      change(ports);
      allocated = ports.count;
      return { object: ports.write(object) };
    };
    await this.#storage.guaranteedUpdate(rangeKey, {
      ignoreNotFound: true,
      tryUpdate: async (current) => {
        const object = current?.parse();
        return next(object, object === undefined ? await this.#portsOfServices() : PortBitmap.read(object, this.range));
      },
    });
    this.#allocated = allocated;
  }

  async #portsOfServices(): Promise<PortBitmap> {
    const ports = new PortBitmap(this.range);
    await this.#services((service) => {
      for (const port of allNodePorts(service.spec ?? {})) if (inRange(this.range, port)) ports.add(port);
    });
    return ports;
  }
}
