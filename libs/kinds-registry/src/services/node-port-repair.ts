import type { Service } from '@apichain/api/core/v1';
import type { NodePortAllocator } from './node-port-allocator.ts';
import { PortBitmap } from './port-bitmap.ts';
import { formatPortRange, inRange } from './port-range.ts';
import type { RepairEvent } from './repair-events.ts';
import { allNodePorts } from './service-node-ports.ts';

/** A port without a service is released by the pass after this many that found it: a service that is being created may get it. */
const passesBeforeRelease = 3;

/**
 * Keeps the bitmap of node ports in agreement with the services: adds ports that are missing, releases ports that no service has.
 * Source: pkg/registry/core/service/portallocator/controller of kubernetes 1.36.
 */
export class NodePortRepair {
  readonly #allocator: NodePortAllocator;
  /** How many passes have found the port without a service. */
  #unowned: ReadonlyMap<number, number> = new Map();

  constructor(allocator: NodePortAllocator) {
    this.#allocator = allocator;
  }

  /** One pass. Returns what it found. Throws the errors of the store. */
  async pass(): Promise<RepairEvent[]> {
    let found: RepairEvent[] = [];
    let unowned = this.#unowned;
    await this.#allocator.rebuild(async (stored, services) => {
      found = [];
      const rebuilt = new PortBitmap(stored.range);
      await services((service) => {
        for (const port of allNodePorts(service.spec ?? {})) {
          const problem = addPort(rebuilt, stored, port);
          if (problem !== undefined) found.push({ ...about(service), ...problem });
        }
      });
      unowned = this.#keepUnowned(stored, rebuilt);
      return rebuilt;
    });
    this.#unowned = unowned;
    return found;
  }

  /** Adds the stored ports that no service has to the rebuilt ones, until they have been found often enough. */
  #keepUnowned(stored: PortBitmap, rebuilt: PortBitmap): Map<number, number> {
    const unowned = new Map<number, number>();
    for (const port of stored.ports().filter((candidate) => !rebuilt.has(candidate))) {
      const passes = this.#unowned.get(port) ?? 0;
      if (passes < passesBeforeRelease) unowned.set(port, passes + 1);
    }
    for (const port of unowned.keys()) rebuilt.add(port);
    return unowned;
  }
}

const about = (object: Service) =>
  ({ object, controller: 'portallocator-repair-controller', action: 'PortAllocation' }) as const;

/** Adds a port of a service. Returns what is wrong with it, if anything. */
function addPort(
  rebuilt: PortBitmap,
  stored: PortBitmap,
  port: number,
): Pick<RepairEvent, 'reason' | 'note'> | undefined {
  if (!inRange(stored.range, port)) {
    const range = formatPortRange(stored.range);
    return {
      reason: 'PortOutOfRange',
      note: `Port ${port} is not within the port range ${range}; please recreate service`,
    };
  }
  if (!rebuilt.add(port)) {
    return {
      reason: 'PortAlreadyAllocated',
      note: `Port ${port} was assigned to multiple services; please recreate service`,
    };
  }
  if (stored.has(port)) return undefined;
  return { reason: 'PortNotAllocated', note: `Port ${port} is not allocated; repairing` };
}
