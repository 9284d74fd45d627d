import { field, newInternalError, newInvalid, newUnknownError } from '@apichain/meta';
import type { Service, ServicePort, ServiceSpec } from '@apichain/api/core/v1';
import { AllocationError } from './cluster-ip-allocator.ts';
import type { NodePortAllocator } from './node-port-allocator.ts';
import { explicitNodePorts } from './service-node-ports.ts';
import { needsHealthCheckNodePort, needsNodePort } from './type-change.ts';

/** A dry run that has no port to count from shows the port after this one. */
const beforeDryRunPort = 32_768;

const portsOf = (spec: ServiceSpec): readonly ServicePort[] => spec.ports ?? [];

/** Allocates ports for one write. When the write fails, the allocated ports are released; when it succeeds, the freed ports are released. */
export class NodePortOperation {
  readonly #allocator: NodePortAllocator;
  readonly #dryRun: boolean;
  readonly #taken = new Set<number>();
  #highest = beforeDryRunPort;
  readonly #freed: number[] = [];

  constructor(allocator: NodePortAllocator, dryRun: boolean) {
    this.#allocator = allocator;
    this.#dryRun = dryRun;
  }

  /** Allocates a specific port. A dry run does not check the range. Throws AllocationError. */
  async allocate(port: number): Promise<void> {
    if (!this.#dryRun) await this.#allocator.allocate(port);
    else if (this.#taken.has(port) || (await this.#allocator.has(port))) {
      throw new AllocationError('provided port is already allocated');
    }
    this.#take(port);
  }

  /** Allocates any port; a dry run returns a made-up port. Throws AllocationError. */
  async allocateNext(): Promise<number> {
    const port = this.#dryRun ? this.#highest + 1 : await this.#allocator.allocateNext();
    this.#take(port);
    return port;
  }

  free(ports: readonly number[]): void {
    for (const port of ports) this.#freed.push(port);
  }

  #take(port: number): void {
    this.#highest = this.#taken.size === 0 ? port : Math.max(this.#highest, port);
    this.#taken.add(port);
  }

  async settle(ok: boolean): Promise<void> {
    if (!this.#dryRun) await this.#allocator.release(ok ? this.#freed : [...this.#taken]);
  }
}

async function takeAsked(service: Service, i: number, port: number, operation: NodePortOperation): Promise<void> {
  try {
    await operation.allocate(port);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw newInvalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [
      field.invalid(`spec.ports[${i}].nodePort`, port, error.message),
    ]);
  }
}

async function takeNext(operation: NodePortOperation): Promise<number> {
  try {
    return await operation.allocateNext();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw newInternalError(`failed to allocate a nodePort: ${error.message}`);
  }
}

const hasNodePorts = (spec: ServiceSpec): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer';

/** Node ports of a new service. Ports with the same `port` share a node port, the requested one if any, unless they request different ones. */
export async function takeNodePorts(service: Service, operation: NodePortOperation): Promise<void> {
  const spec = service.spec ?? {};
  if (!hasNodePorts(spec)) return;
  const picks = needsNodePort(spec);
  const ports = portsOf(spec);
  const byNumber = new Map<number, number>();
  const askedPorts = new Map(
    ports
      .filter((port) => (port.nodePort ?? 0) !== 0)
      .map((port): [number, ServicePort] => [port.port ?? 0, port])
      .toReversed(),
  );
  for (const [i, port] of ports.entries()) {
    const asked = port.nodePort ?? 0;
    if (asked === 0 && !picks) continue;
    const number = port.port ?? 0;
    const shared = byNumber.get(number);
    if (shared === undefined) {
      const wanted = askedPorts.get(number);
      if (wanted !== undefined) await takeAsked(service, i, wanted.nodePort ?? 0, operation);
      port.nodePort = wanted === undefined ? await takeNext(operation) : wanted.nodePort;
      byNumber.set(number, port.nodePort ?? 0);
    } else if (asked === 0) port.nodePort = shared;
    else if (asked !== shared) await takeAsked(service, i, asked, operation);
  }
}

/** Node ports of an updated service: each port that names none gets a new one. `before` is the stored spec. */
export async function changeNodePorts(
  service: Service,
  before: ServiceSpec,
  operation: NodePortOperation,
): Promise<void> {
  const spec = service.spec ?? {};
  const held = explicitNodePorts(before);
  if (!hasNodePorts(spec)) {
    if (hasNodePorts(before)) operation.free(held);
    return;
  }
  const picks = needsNodePort(spec);
  const taken = new Set(held);
  const seen = new Set<string>();
  for (const [i, port] of portsOf(spec).entries()) {
    const asked = port.nodePort ?? 0;
    if (asked === 0 && !picks) continue;
    if (asked === 0) port.nodePort = await takeNext(operation);
    else if (!taken.has(asked)) await takeAsked(service, i, asked, operation);
    taken.add(asked);
    const pair = `{${port.protocol ?? ''} ${port.nodePort ?? 0}}`;
    if (seen.has(pair)) throw newUnknownError(`duplicate nodePort: ${pair}`);
    seen.add(pair);
  }
  const kept = new Set(explicitNodePorts(spec));
  operation.free(held.filter((port) => !kept.has(port)));
}

/** The port for the health checks of a load balancer: the requested one, or any. */
export async function takeHealthCheckPort(service: Service, operation: NodePortOperation): Promise<void> {
  const spec = service.spec ?? {};
  const asked = spec.healthCheckNodePort ?? 0;
  try {
    if (asked === 0) spec.healthCheckNodePort = await operation.allocateNext();
    else await operation.allocate(asked);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const what = asked === 0 ? 'a HealthCheck NodePort 0' : `requested HealthCheck NodePort ${asked}`;
    throw newInternalError(`failed to allocate ${what}: ${error.message}`);
  }
}

/**
 * Allocates the health check port when an update begins to need it, and releases it when
 * an update no longer does. A changed port is rejected by validation.
 */
export async function changeHealthCheckPort(
  service: Service,
  before: ServiceSpec,
  operation: NodePortOperation,
): Promise<void> {
  const needed = needsHealthCheckNodePort(before);
  const needs = needsHealthCheckNodePort(service.spec ?? {});
  if (!needed && needs) await takeHealthCheckPort(service, operation);
  if (needed && !needs) operation.free([before.healthCheckNodePort ?? 0]);
}
