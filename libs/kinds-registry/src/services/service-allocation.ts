import type { Service, ServiceSpec } from '@apichain/api/core/v1';
import type { Strategy } from '@apichain/apiserver';
import { field, newInternalError, newInvalid, type FieldError } from '@apichain/meta';
import { AllocationError, type ClusterIpAllocator, rangeFull } from './cluster-ip-allocator.ts';
import { initIpFamilies, type IpFamily } from './ip-families.ts';
import type { NodePortAllocator } from './node-port-allocator.ts';
import {
  changeHealthCheckPort,
  changeNodePorts,
  NodePortOperation,
  takeHealthCheckPort,
  takeNodePorts,
} from './node-port-operation.ts';
import { explicitNodePorts } from './service-node-ports.ts';
import {
  isHeadless,
  keepAllocatedValues,
  needsClusterIp,
  needsHealthCheckNodePort,
  syncClusterIps,
} from './type-change.ts';

/** What a write has allocated, to be released if it fails, and what is released when it succeeds. */
class Ledger {
  readonly takenIps: string[] = [];
  readonly freedIps: string[] = [];
  readonly nodePorts: NodePortOperation;

  constructor(nodePorts: NodePortAllocator, dryRun: boolean) {
    this.nodePorts = new NodePortOperation(nodePorts, dryRun);
  }
}

/** What services hold outside of their objects, and what is deleted with them. */
export interface ServiceAllocators {
  readonly clusterIps: ClusterIpAllocator;
  readonly nodePorts: NodePortAllocator;
  /** Deletes the Endpoints of a deleted service; does nothing if there are none. */
  readonly deleteEndpoints: (namespace: string, name: string) => Promise<void>;
  /** Notes that something could not be released after a write. The write is not affected; the repair releases it later. */
  readonly reportFailure: (error: unknown, message: string) => void;
}

const refuse = (service: Service, error: FieldError): never => {
  throw newInvalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [error]);
};

/**
 * The parts of the Service strategy that allocate addresses and ports, before a service is validated and written.
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

  async beginCreate(service: Service, dryRun: boolean): Promise<(ok: boolean) => Promise<void>> {
    const spec = (service.spec ??= {});
    if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
    initIpFamilies(service, undefined, this.#allocators.clusterIps.families);
    return this.#guarded(dryRun, async (ledger) => {
      await this.#allocateClusterIps(service, ledger, dryRun);
      await takeNodePorts(service, ledger.nodePorts);
      if (needsHealthCheckNodePort(spec)) await takeHealthCheckPort(service, ledger.nodePorts);
    });
  }

  async beginUpdate(service: Service, old: Service, dryRun: boolean): Promise<(ok: boolean) => Promise<void>> {
    const spec = (service.spec ??= {});
    const before = old.spec ?? {};
    keepAllocatedValues(spec, before);
    syncClusterIps(spec, before);
    initIpFamilies(service, old, this.#allocators.clusterIps.families);
    return this.#guarded(dryRun, async (ledger) => {
      await this.#updateClusterIps(service, before, ledger, dryRun);
      await changeNodePorts(service, before, ledger.nodePorts);
      await changeHealthCheckPort(service, before, ledger.nodePorts);
    });
  }

  async afterDelete(service: Service): Promise<void> {
    const spec = service.spec ?? {};
    const { namespace = '', name = '' } = service.metadata;
    const { deleteEndpoints, nodePorts } = this.#allocators;
    await this.#attempt(`delete service endpoints ${namespace}/${name} failed`, () => deleteEndpoints(namespace, name));
    if (needsClusterIp(spec) && !isHeadless(spec)) await this.#releaseIps(spec.clusterIPs ?? []);
    const ports = [...explicitNodePorts(spec), spec.healthCheckNodePort ?? 0];
    await this.#attempt(`error releasing node ports ${ports.join(', ')}`, () => nodePorts.release(ports));
  }

  /** A failure is reported, not thrown: the write that precedes it has been committed, or has failed with an error of its own. */
  async #attempt(message: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#allocators.reportFailure(error, message);
    }
  }

  /** Runs the allocations; releases what they allocated when one of them or the following write fails. */
  async #guarded(
    dryRun: boolean,
    allocate: (ledger: Ledger) => Promise<void>,
  ): Promise<(ok: boolean) => Promise<void>> {
    const ledger = new Ledger(this.#allocators.nodePorts, dryRun);
    const settle = async (ok: boolean): Promise<void> => {
      if (dryRun) return;
      await this.#releaseIps(ok ? ledger.freedIps : ledger.takenIps);
      await this.#attempt('error releasing node ports', () => ledger.nodePorts.settle(ok));
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
    for (const ip of ips)
      await this.#attempt(`error releasing cluster IP ${ip}`, () => this.#allocators.clusterIps.release(ip));
  }

  /** Allocates the addresses that a service names, and one for each family without an address. */
  async #allocateClusterIps(
    service: Service,
    ledger: Ledger,
    dryRun: boolean,
    keep: readonly string[] = [],
  ): Promise<void> {
    const spec = service.spec ?? {};
    if (!needsClusterIp(spec) || isHeadless(spec)) return;
    const given = spec.clusterIPs ?? [];
    const result: string[] = [];
    for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
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

  async #take(service: Service, ip: string, ledger: Ledger, dryRun: boolean): Promise<void> {
    try {
      await this.#allocators.clusterIps.allocate(ip, service, dryRun);
      if (!dryRun) ledger.takenIps.push(ip);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      refuse(
        service,
        field.invalid('spec.clusterIPs', service.spec?.clusterIPs, `failed to allocate IP ${ip}: ${error.message}`),
      );
    }
  }

  async #takeNext(service: Service, family: IpFamily, ledger: Ledger, dryRun: boolean): Promise<string> {
    try {
      const ip = await this.#allocators.clusterIps.allocateNext(family, service, dryRun);
      if (!dryRun) ledger.takenIps.push(ip);
      return ip;
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      if (error.message === rangeFull) {
        const name = JSON.stringify(service.metadata.name ?? '');
        throw newInternalError(`failed to allocate a serviceIP for Service ${name}: ${rangeFull}`);
      }
      const given = service.spec?.clusterIPs ?? null;
      return refuse(service, field.invalid('spec.clusterIPs', given, `failed to allocate IP: ${error.message}`));
    }
  }

  async #updateClusterIps(service: Service, before: ServiceSpec, ledger: Ledger, dryRun: boolean): Promise<void> {
    const spec = service.spec ?? {};
    const stored = needsClusterIp(before) && !isHeadless(before) ? (before.clusterIPs ?? []) : [];
    if (!needsClusterIp(spec)) {
      ledger.freedIps.push(...stored);
      return;
    }
    if (isHeadless(spec)) return;
    // Nothing is allocated for a changed address, because validation rejects the change.
    const changedPrimary = stored.length > 0 && spec.clusterIPs?.[0] !== stored[0];
    if (changedPrimary) return;
    await this.#allocateClusterIps(service, ledger, dryRun, stored);
    const kept = spec.clusterIPs ?? [];
    ledger.freedIps.push(...stored.filter((ip) => !kept.includes(ip)));
  }
}
