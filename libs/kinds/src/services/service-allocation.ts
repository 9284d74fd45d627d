import type { Strategy } from '@apichain/apiserver';
import { field, newInvalid, newUnknownError, type FieldError, type KubeObject } from '@apichain/meta';
import { ensureRecord, integer, isSet, list, type Plain, record, records, text, texts } from '../fields.ts';
import { AllocationError, type ClusterIpAllocator, rangeFull } from './cluster-ip-allocator.ts';
import { initIpFamilies, type IpFamily } from './ip-families.ts';
import type { NodePortAllocator } from './node-port-allocator.ts';
import {
  isHeadless,
  keepAllocatedValues,
  needsClusterIp,
  needsHealthCheckNodePort,
  needsNodePort,
  syncClusterIps,
} from './type-change.ts';

/** What a write has taken and may have to give back, and what it gives back once it is done. */
class Ledger {
  readonly takenIps: string[] = [];
  readonly takenPorts: number[] = [];
  readonly freedIps: string[] = [];
  readonly freedPorts: number[] = [];
}

export interface ServiceAllocators {
  readonly clusterIps: ClusterIpAllocator;
  readonly nodePorts: NodePortAllocator;
  /** Removes the Endpoints of a deleted service; an absent one is fine. */
  readonly deleteEndpoints: (namespace: string, name: string) => Promise<void>;
}

const refuse = (service: KubeObject, error: FieldError): never => {
  throw newInvalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [error]);
};

/** A dynamic node port that a dry run shows. */
const dryRunPort = 32769;

const explicitPorts = (spec: Plain): number[] =>
  records(spec.ports)
    .map((port) => integer(port.nodePort))
    .filter((p) => p !== 0);

/**
 * The parts of the Service strategy that take addresses and ports from the cluster, before a service is validated and written.
 * After pkg/registry/core/service/storage.
 */
export function serviceAllocationHooks(
  allocators: ServiceAllocators,
): Pick<Strategy, 'beginCreate' | 'beginUpdate' | 'afterDelete'> {
  const allocation = new ServiceAllocation(allocators);
  return {
    beginCreate: (_ctx, service, dryRun) => allocation.beginCreate(service, dryRun),
    beginUpdate: (_ctx, service, old, dryRun) => allocation.beginUpdate(service, old, dryRun),
    afterDelete: (_ctx, service, dryRun) => (dryRun ? undefined : allocation.afterDelete(service)),
  };
}

class ServiceAllocation {
  readonly #allocators: ServiceAllocators;

  constructor(allocators: ServiceAllocators) {
    this.#allocators = allocators;
  }

  async beginCreate(service: KubeObject, dryRun: boolean): Promise<(ok: boolean) => Promise<void>> {
    const spec = ensureRecord(service, 'spec');
    if (text(spec.clusterIP) !== '' && list(spec.clusterIPs).length === 0) spec.clusterIPs = [spec.clusterIP];
    initIpFamilies(service, undefined, this.#allocators.clusterIps.families);
    return this.#guarded(dryRun, async (ledger) => {
      await this.#allocateClusterIps(service, ledger, dryRun);
      await this.#allocateNodePorts(service, new Set(), ledger, dryRun);
      await this.#allocateHealthCheckPort(service, 0, ledger, dryRun);
    });
  }

  async beginUpdate(service: KubeObject, old: KubeObject, dryRun: boolean): Promise<(ok: boolean) => Promise<void>> {
    const spec = ensureRecord(service, 'spec');
    const before = record(old.spec);
    keepAllocatedValues(spec, before);
    syncClusterIps(spec, before);
    initIpFamilies(service, old, this.#allocators.clusterIps.families);
    return this.#guarded(dryRun, async (ledger) => {
      await this.#updateClusterIps(service, before, ledger, dryRun);
      await this.#updateNodePorts(service, before, ledger, dryRun);
      await this.#updateHealthCheckPort(service, before, ledger, dryRun);
    });
  }

  async afterDelete(service: KubeObject): Promise<void> {
    const spec = record(service.spec);
    await this.#allocators.deleteEndpoints(service.metadata.namespace ?? '', service.metadata.name ?? '');
    if (needsClusterIp(spec) && !isHeadless(spec)) await this.#releaseIps(texts(spec.clusterIPs));
    await this.#allocators.nodePorts.release([...explicitPorts(spec), integer(spec.healthCheckNodePort)]);
  }

  /** Runs the allocations; what they took is given back when one of them or the write after them fails. */
  async #guarded(
    dryRun: boolean,
    allocate: (ledger: Ledger) => Promise<void>,
  ): Promise<(ok: boolean) => Promise<void>> {
    const ledger = new Ledger();
    const settle = async (ok: boolean): Promise<void> => {
      if (dryRun) return;
      await this.#releaseIps(ok ? ledger.freedIps : ledger.takenIps);
      await this.#allocators.nodePorts.release(ok ? ledger.freedPorts : ledger.takenPorts);
    };
    try {
      await allocate(ledger);
    } catch (error) {
      await settle(false);
      throw error;
    }
    return settle;
  }

  async #releaseIps(ips: readonly string[]): Promise<void> {
    for (const ip of ips) await this.#allocators.clusterIps.release(ip);
  }

  /** Takes the addresses a service asks for, and one of each family it has no address of. */
  async #allocateClusterIps(
    service: KubeObject,
    ledger: Ledger,
    dryRun: boolean,
    keep: readonly string[] = [],
  ): Promise<void> {
    const spec = record(service.spec);
    if (!needsClusterIp(spec) || isHeadless(spec)) return;
    const given = texts(spec.clusterIPs);
    const result: string[] = [];
    for (const [i, family] of texts(spec.ipFamilies).entries()) {
      const asked = given[i];
      if (asked === undefined)
        result.push(await this.#takeNext(service, family === 'IPv6' ? 'IPv6' : 'IPv4', ledger, dryRun));
      else {
        if (!keep.includes(asked)) await this.#take(service, asked, ledger, dryRun);
        result.push(asked);
      }
    }
    spec.clusterIPs = result;
    spec.clusterIP = result[0] ?? '';
  }

  async #take(service: KubeObject, ip: string, ledger: Ledger, dryRun: boolean): Promise<void> {
    try {
      await this.#allocators.clusterIps.allocate(ip, service, dryRun);
      if (!dryRun) ledger.takenIps.push(ip);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      refuse(
        service,
        field.invalid(
          'spec.clusterIPs',
          record(service.spec).clusterIPs,
          `failed to allocate IP ${ip}: ${error.message}`,
        ),
      );
    }
  }

  async #takeNext(service: KubeObject, family: IpFamily, ledger: Ledger, dryRun: boolean): Promise<string> {
    try {
      const ip = await this.#allocators.clusterIps.allocateNext(family, service, dryRun);
      if (!dryRun) ledger.takenIps.push(ip);
      return ip;
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      if (error.message === rangeFull) {
        const name = JSON.stringify(service.metadata.name ?? '');
        throw newUnknownError(`failed to allocate a serviceIP for Service ${name}: ${rangeFull}`);
      }
      const given = record(service.spec).clusterIPs ?? null;
      return refuse(service, field.invalid('spec.clusterIPs', given, `failed to allocate IP: ${error.message}`));
    }
  }

  async #updateClusterIps(service: KubeObject, before: Plain, ledger: Ledger, dryRun: boolean): Promise<void> {
    const spec = record(service.spec);
    const stored = needsClusterIp(before) && !isHeadless(before) ? texts(before.clusterIPs) : [];
    if (!needsClusterIp(spec)) {
      ledger.freedIps.push(...stored);
      return;
    }
    if (isHeadless(spec)) return;
    // A changed address is for validation to refuse: nothing is taken for it.
    const changedPrimary = stored.length > 0 && texts(spec.clusterIPs)[0] !== stored[0];
    if (changedPrimary) return;
    await this.#allocateClusterIps(service, ledger, dryRun, stored);
    const kept = texts(spec.clusterIPs);
    ledger.freedIps.push(...stored.filter((ip) => !kept.includes(ip)));
  }

  /** Ports of one number share a node port whatever their protocol; explicit values win. */
  async #allocateNodePorts(
    service: KubeObject,
    held: ReadonlySet<number>,
    ledger: Ledger,
    dryRun: boolean,
  ): Promise<void> {
    const spec = record(service.spec);
    if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return;
    const ports = records(spec.ports);
    const byNumber = new Map<number, number>();
    const taken = new Set(held);
    for (const [i, port] of ports.entries()) {
      const asked = integer(port.nodePort);
      if (asked === 0) continue;
      const shared = byNumber.get(integer(port.port)) === asked;
      if (!shared && !taken.has(asked)) await this.#takePort(service, i, asked, ledger, dryRun);
      taken.add(asked);
      byNumber.set(integer(port.port), asked);
    }
    if (!needsNodePort(spec)) return;
    let shown = Math.max(dryRunPort - 1, ...explicitPorts(spec));
    for (const port of ports) {
      if (integer(port.nodePort) !== 0) continue;
      const sibling = byNumber.get(integer(port.port));
      const sharedProtocol = ports.some(
        (p) => p !== port && integer(p.nodePort) === sibling && p.protocol === port.protocol,
      );
      if (sibling !== undefined && !sharedProtocol) port.nodePort = sibling;
      else port.nodePort = dryRun ? (shown += 1) : await this.#takeNextPort(ledger);
      byNumber.set(integer(port.port), integer(port.nodePort));
    }
  }

  async #takePort(service: KubeObject, i: number, port: number, ledger: Ledger, dryRun: boolean): Promise<void> {
    try {
      await this.#allocators.nodePorts.allocate(port, dryRun);
      if (!dryRun) ledger.takenPorts.push(port);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      refuse(service, field.invalid(`spec.ports[${i}].nodePort`, port, error.message));
    }
  }

  async #takeNextPort(ledger: Ledger): Promise<number> {
    try {
      const port = await this.#allocators.nodePorts.allocateNext();
      ledger.takenPorts.push(port);
      return port;
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      throw newUnknownError(`failed to allocate a nodePort: ${error.message}`);
    }
  }

  async #updateNodePorts(service: KubeObject, before: Plain, ledger: Ledger, dryRun: boolean): Promise<void> {
    const held = new Set(explicitPorts(before));
    await this.#allocateNodePorts(service, held, ledger, dryRun);
    const kept = new Set(explicitPorts(record(service.spec)));
    ledger.freedPorts.push(...[...held].filter((port) => !kept.has(port)));
  }

  async #allocateHealthCheckPort(service: KubeObject, held: number, ledger: Ledger, dryRun: boolean): Promise<void> {
    const spec = record(service.spec);
    if (!needsHealthCheckNodePort(spec)) return;
    const asked = integer(spec.healthCheckNodePort);
    if (asked !== 0 && asked === held) return;
    if (asked === 0) {
      spec.healthCheckNodePort = dryRun ? dryRunPort : await this.#takeNextPort(ledger);
      return;
    }
    try {
      await this.#allocators.nodePorts.allocate(asked, dryRun);
      if (!dryRun) ledger.takenPorts.push(asked);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      throw newUnknownError(`failed to allocate requested HealthCheck NodePort ${asked}: ${error.message}`);
    }
  }

  async #updateHealthCheckPort(service: KubeObject, before: Plain, ledger: Ledger, dryRun: boolean): Promise<void> {
    const held = integer(before.healthCheckNodePort);
    // Changing the port of a service that keeps needing one is for validation to refuse.
    const keepsNeeding = needsHealthCheckNodePort(before) && needsHealthCheckNodePort(record(service.spec));
    if (!keepsNeeding) await this.#allocateHealthCheckPort(service, held, ledger, dryRun);
    const kept = integer(record(service.spec).healthCheckNodePort);
    if (isSet(before.healthCheckNodePort) && held !== kept && !keepsNeeding) ledger.freedPorts.push(held);
  }
}
