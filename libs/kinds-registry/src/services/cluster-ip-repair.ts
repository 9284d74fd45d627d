import type { Service } from '@apichain/api/core/v1';
import type { IPAddress } from '@apichain/api/networking/v1';
import { canonicalIp, familyName, parseIpLoosely, type IpAddress } from '@apichain/go-text';
import { currentTimestamp, pause } from '@apichain/meta';
import { KeyNotFoundError, listEverything, PreconditionError } from '@apichain/storage';
import type { KindStorage } from '../kind-store.ts';
import { allocatedBy, type ClusterIpAllocator } from './cluster-ip-allocator.ts';
import type { EachService } from './node-port-allocator.ts';
import type { RepairEvent } from './repair-events.ts';
import { isHeadless, needsClusterIp } from './type-change.ts';

/** A request that creates a service, and has allocated its address, ends within this time. */
const graceMs = 60_000;
const objectsPerStep = 100;

interface Stores {
  readonly ipAddresses: () => KindStorage<'ipaddresses.networking.k8s.io'>;
  readonly eachService: EachService;
  /** The stored service; undefined if there is none. */
  readonly service: (namespace: string, name: string) => Promise<Service | undefined>;
}

const addressesOf = ({ spec = {} }: Service): readonly string[] =>
  needsClusterIp(spec) && !isHeadless(spec) ? (spec.clusterIPs ?? []).filter((ip) => ip !== '').map(canonical) : [];
/** Services of earlier versions may have `010.0.0.1`. */
function canonical(text: string): string {
  const address = parseIpLoosely(text);
  return address === undefined ? text : canonicalIp(address);
}
const keyOf = (namespace = '', name = ''): string => `${namespace}/${name}`;
const isOwner = ({ spec }: IPAddress, { metadata }: Service): boolean =>
  refersToService(spec) && spec?.parentRef?.namespace === metadata.namespace && spec?.parentRef?.name === metadata.name;
const refersToService = (spec: IPAddress['spec']): boolean =>
  (spec?.parentRef?.group ?? '') === '' && spec?.parentRef?.resource === 'services';

/**
 * Keeps the IPAddress objects in agreement with the cluster IPs of services: creates those that are missing, replaces those of others, deletes
 * those without a service. Source: pkg/registry/core/service/ipallocator/controller/repairip.go of kubernetes 1.36.
 */
export class ClusterIpRepair {
  readonly #allocator: ClusterIpAllocator;
  readonly #stores: Stores;

  constructor(allocator: ClusterIpAllocator, stores: Stores) {
    this.#allocator = allocator;
    this.#stores = stores;
  }

  /** One pass. Returns what it found. Throws the errors of the stores. */
  async pass(): Promise<RepairEvent[]> {
    const services = new Map<string, Service>();
    await this.#stores.eachService((service) => {
      const { namespace, name } = service.metadata;
      services.set(keyOf(namespace, name), service);
    });
    // Read after the services: the address of each of them exists by now.
    const addresses = await this.#addresses();
    const found: RepairEvent[] = [];
    const inCidrs = await this.#allocator.cidrCheck();
    for (const service of services.values()) {
      for (const text of addressesOf(service)) {
        const problem = await this.#checkService(service, text, { services, addresses, inCidrs });
        if (problem !== undefined) found.push({ object: service, controller, ...problem });
      }
    }
    for (const address of addresses.values()) {
      const problem = await this.#checkAddress(address, services);
      if (problem !== undefined) found.push({ object: address, controller, action: 'IPAddressAllocation', ...problem });
    }
    return found;
  }

  async #addresses(): Promise<Map<string, IPAddress>> {
    const { items } = await this.#stores.ipAddresses().list('/ipaddresses/', listEverything);
    const addresses = new Map<string, IPAddress>();
    for (const [i, item] of items.entries()) {
      if (i % objectsPerStep === 0) await pause();
      const address = item.parse();
      addresses.set(address.metadata.name ?? '', address);
    }
    return addresses;
  }

  async #checkService(service: Service, text: string, state: State): Promise<Omit<Problem, 'object'> | undefined> {
    const address = parseIpLoosely(text);
    if (address === undefined) {
      const note = `Cluster IP ${text} is not a valid IP; please recreate Service`;
      return { action: 'ClusterIPValidation', reason: 'ClusterIPNotValid', note };
    }
    const action = 'ClusterIPAllocation';
    const ip = canonicalIp(address);
    const named = `Cluster IP [${familyName(address.family)}]: ${ip}`;
    if (!state.inCidrs(address)) {
      const note = `${named} is not within any configured Service CIDR; please recreate service`;
      return { action, reason: 'ClusterIPOutOfRange', note };
    }
    const present = state.addresses.get(ip);
    const reason = 'ClusterIPNotAllocated';
    if (present === undefined) {
      if (!(await this.#isCurrent(service, ip))) return undefined;
      await this.#allocator.claim(address, service);
      return { action, reason, note: `${named} is not allocated; repairing` };
    }
    if (isOwner(present, service)) {
      if (!hasLabels(present, address)) await this.#replace(present, address, service, state);
      return undefined;
    }
    const other = state.services.get(keyOf(present.spec?.parentRef?.namespace, present.spec?.parentRef?.name));
    if (refersToService(present.spec) && other !== undefined) {
      if (!addressesOf(other).includes(ip)) return undefined;
      const note = `${named} was assigned to multiple services; please recreate service`;
      return { action, reason: 'ClusterIPAlreadyAllocated', note };
    }
    if (!(await this.#replace(present, address, service, state))) return undefined;
    const { namespace = '', name = '' } = service.metadata;
    const note = `the ClusterIP [${familyName(address.family)}]: ${ip} for Service ${namespace}/${name} has a wrong reference; repairing`;
    return { action, reason, note };
  }

  /** An address of the allocator belongs to a service that has it. Others are left alone. */
  async #checkAddress(
    address: IPAddress,
    services: ReadonlyMap<string, Service>,
  ): Promise<Pick<Problem, 'reason' | 'note'> | undefined> {
    if (!allocatedBy(address)) return undefined;
    const { name: ip = '', creationTimestamp } = address.metadata;
    const { namespace = '', name = '' } = address.spec?.parentRef ?? {};
    const reason = 'IPAddressNotAllocated';
    if (!refersToService(address.spec)) {
      const note = `IPAddress ${ip} appears to have been modified, not referencing a Service: cleaning up`;
      return (await this.#delete(address)) ? { reason, note } : undefined;
    }
    const young = Date.parse(currentTimestamp()) - Date.parse(creationTimestamp ?? '') < graceMs;
    if (young) return undefined;
    const listed = services.get(keyOf(namespace, name));
    if (listed !== undefined && addressesOf(listed).includes(ip)) return undefined;
    // The service may have got the address since it was listed.
    const service = await this.#stores.service(namespace, name);
    if (service !== undefined && addressesOf(service).includes(ip)) return undefined;
    if (!(await this.#delete(address))) return undefined;
    const prefix = `IPAddress: ${ip} for Service ${namespace}/${name}`;
    return service === undefined
      ? { reason, note: `${prefix} appears to have leaked: cleaning up` }
      : { reason: 'IPAddressWrongReference', note: `${prefix} has a wrong reference; cleaning up` };
  }

  /** Whether the service still has the address: it may have been deleted since it was listed. */
  async #isCurrent({ metadata }: Service, ip: string): Promise<boolean> {
    const live = await this.#stores.service(metadata.namespace ?? '', metadata.name ?? '');
    return live !== undefined && live.metadata.uid === metadata.uid && addressesOf(live).includes(ip);
  }

  /** False when the service no longer has the address. */
  async #replace(present: IPAddress, address: IpAddress, service: Service, { addresses }: State): Promise<boolean> {
    const ip = canonicalIp(address);
    if (!(await this.#isCurrent(service, ip))) return false;
    await this.#delete(present);
    addresses.delete(ip);
    await this.#allocator.claim(address, service);
    return true;
  }

  /** False when there is no such address any more. */
  async #delete({ metadata }: IPAddress): Promise<boolean> {
    const { name = '', uid } = metadata;
    try {
      const preconditions = uid === undefined ? {} : { preconditions: { uid } };
      await this.#stores.ipAddresses().delete(`/ipaddresses/${name}`, preconditions);
      return true;
    } catch (error) {
      if (error instanceof KeyNotFoundError || error instanceof PreconditionError) return false;
      throw error;
    }
  }
}

type Problem = Pick<RepairEvent, 'object' | 'action' | 'reason' | 'note'>;

interface State {
  readonly services: ReadonlyMap<string, Service>;
  /** Without those that were replaced. */
  readonly addresses: Map<string, IPAddress>;
  /** Whether a ServiceCIDR contains the address. */
  readonly inCidrs: (address: IpAddress) => boolean;
}

const controller = 'ipallocator-repair-controller';

const hasLabels = (present: IPAddress, address: IpAddress): boolean =>
  allocatedBy(present) && present.metadata.labels?.['ipaddress.kubernetes.io/ip-family'] === familyName(address.family);
