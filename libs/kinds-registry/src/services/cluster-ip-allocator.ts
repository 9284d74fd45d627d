import type { KindStorage } from '../kind-store.ts';
import type { IPAddress, ServiceCIDR } from '@apichain/api/networking/v1';
import type { Service } from '@apichain/api/core/v1';
import { currentTimestamp, findCondition, newUid, pause, randomBelow } from '@apichain/meta';
import { KeyExistsError, KeyNotFoundError, listEverything, type Storage } from '@apichain/storage';
import {
  canonicalCidr,
  canonicalIp,
  contains,
  familyName,
  type IpAddress,
  type IpRange,
  parseCidr,
  parseIpLoosely,
  rangeSize,
} from '@apichain/go-text';
import { ClusterIpCounts } from './allocation-counts.ts';
import type { IpFamily } from './ip-families.ts';

/** Why an address or port could not be allocated; the message is for the client. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
}

export const rangeFull = 'range is full';

/** The stores that the allocator uses. Keys are those of the resources (`/ipaddresses/10.0.0.1`). */
interface ClusterIpStores {
  readonly ipAddresses: () => Storage;
  readonly serviceCidrs: () => KindStorage<'servicecidrs.networking.k8s.io'>;
}

const manager = 'ipallocator.k8s.io';
const managedBy = 'ipaddress.kubernetes.io/managed-by';

/** Whether an IPAddress was created for a service by an allocator of this kind, here or in kube-apiserver. */
export const allocatedBy = ({ metadata }: IPAddress): boolean => metadata.labels?.[managedBy] === manager;

interface Usable {
  readonly first: bigint;
  readonly size: bigint;
  /** The start of dynamic allocation; lower addresses are preferred for requests of a specific address. */
  readonly offset: bigint;
}

/** The addresses of a range that can be allocated: not the network address and, for IPv4, not the broadcast address. */
function usable(range: IpRange): Usable {
  const size = rangeSize(range) - (range.family === 4 ? 2n : 1n);
  const step = size / 16n;
  const offset = size <= 16n ? 0n : step < 16n ? 16n : step > 256n ? 256n : step;
  return { first: range.base + 1n, size: size > 0n ? size : 0n, offset };
}

const isUsable = (range: IpRange, address: IpAddress): boolean => {
  const { first, size } = usable(range);
  return contains(range, address) && address.value >= first && address.value < first + size;
};

/** The managedFields entry for the fields that the server sets, as for any client. */
const ownFields = {
  'f:metadata': {
    'f:labels': {
      '.': {},
      'f:ipaddress.kubernetes.io/ip-family': {},
      'f:ipaddress.kubernetes.io/managed-by': {},
    },
  },
  'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
};

function ipAddressObject(ip: IpAddress, service: Service): IPAddress {
  const time = currentTimestamp();
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: canonicalIp(ip),
      uid: newUid(),
      creationTimestamp: time,
      labels: {
        'ipaddress.kubernetes.io/ip-family': familyName(ip.family),
        [managedBy]: manager,
      },
      managedFields: [
        {
          manager: 'kube-apiserver',
          operation: 'Update',
          apiVersion: 'networking.k8s.io/v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: ownFields,
        },
      ],
    },
    spec: {
      parentRef: {
        resource: 'services',
        namespace: service.metadata.namespace ?? '',
        name: service.metadata.name ?? '',
      },
    },
  };
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;
const objectsPerStep = 100;

/** How many addresses a dynamic allocation tries before it treats the range as full. */
const maxAttempts = 4096n;

/**
 * Allocates cluster IPs of services. An address is allocated by creating its IPAddress object; etcd's create transaction is the lock, so any
 * number of servers may allocate concurrently. https://kubernetes.io/docs/reference/networking/virtual-ips/#ip-address-objects
 */
export class ClusterIpAllocator {
  readonly #stores: ClusterIpStores;
  readonly #fallback: readonly IpRange[];
  readonly counts = new ClusterIpCounts();

  /** `fallback` are the ranges of the flags, used while no ready ServiceCIDR exists. */
  constructor(stores: ClusterIpStores, fallback: readonly IpRange[]) {
    this.#stores = stores;
    this.#fallback = fallback;
  }

  /** The families of the cluster, the default one first. */
  get families(): IpFamily[] {
    return [...new Set(this.#fallback.map((range) => familyName(range.family)))];
  }

  /** Allocates a free address of the family. With `dryRun` nothing is allocated. Throws AllocationError. */
  async allocateNext(family: IpFamily, service: Service, dryRun: boolean): Promise<string> {
    const ranges = (await this.#ranges()).filter((range) => familyName(range.family) === family);
    if (ranges.length === 0) throw new AllocationError('allocator not ready');
    if (dryRun) return canonicalIp({ family: ranges[0]?.family ?? 4, value: ranges[0]?.base ?? 0n });
    for (const range of shuffled(ranges)) {
      const start = performance.now();
      const ip = await this.#nextIn(range, service);
      if (ip !== undefined) {
        this.counts.made(canonicalCidr(range), 'dynamic', secondsSince(start));
        return ip;
      }
      this.counts.failed(canonicalCidr(range), 'dynamic');
    }
    throw new AllocationError(rangeFull);
  }

  /** Allocates a specific address. Throws AllocationError. */
  async allocate(ip: string, service: Service, dryRun: boolean): Promise<void> {
    const address = parseIpLoosely(ip);
    const ranges = await this.#ranges();
    const own = address === undefined ? undefined : ranges.find((range) => contains(range, address));
    const failed = () => {
      if (own !== undefined && !dryRun) this.counts.failed(canonicalCidr(own), 'static');
    };
    if (address === undefined || !ranges.some((range) => isUsable(range, address))) {
      failed();
      const valid = ranges.find((range) => range.family === address?.family) ?? ranges[0];
      // In kube-apiserver a dry run fails in the allocator of a range, and a real request while it looks for a range; the messages differ.
      if (!dryRun) throw new AllocationError('the provided network does not match the current range');
      throw new AllocationError(
        `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${valid === undefined ? '' : canonicalCidr(valid)}`,
      );
    }
    // A dry run does not detect that the address is in use, because only creating the IPAddress shows that.
    if (dryRun) return;
    const start = performance.now();
    if (!(await this.claim(address, service))) {
      failed();
      throw new AllocationError('provided IP is already allocated');
    }
    if (own !== undefined) this.counts.made(canonicalCidr(own), 'static', secondsSince(start));
  }

  /** Releases an address; does nothing if it is not allocated. */
  async release(ip: string): Promise<void> {
    const address = parseIpLoosely(ip);
    if (address === undefined) return;
    try {
      await this.#stores.ipAddresses().delete(`/ipaddresses/${canonicalIp(address)}`, {});
    } catch (error) {
      if (!(error instanceof KeyNotFoundError)) throw error;
    }
  }

  async #nextIn(range: IpRange, service: Service): Promise<string | undefined> {
    const { first, size, offset } = usable(range);
    return (
      (await this.#scan(range.family, first + offset, size - offset, service)) ??
      (await this.#scan(range.family, first, offset, service))
    );
  }

  /** Tries the `size` addresses from `first`, starting at a random one and wrapping around. */
  async #scan(family: 4 | 6, first: bigint, size: bigint, service: Service): Promise<string | undefined> {
    if (size <= 0n) return undefined;
    const start = BigInt(randomBelow(Number(size > 0xffffffffn ? 0xffffffffn : size)));
    const attempts = size < maxAttempts ? size : maxAttempts;
    for (let i = 0n; i < attempts; i++) {
      const address: IpAddress = { family, value: first + ((start + i) % size) };
      if (await this.claim(address, service)) return canonicalIp(address);
    }
    return undefined;
  }

  /** Creates the IPAddress of an address for a service. False when there is one. */
  async claim(address: IpAddress, service: Service): Promise<boolean> {
    try {
      await this.#stores
        .ipAddresses()
        .create(`/ipaddresses/${canonicalIp(address)}`, ipAddressObject(address, service));
      return true;
    } catch (error) {
      if (error instanceof KeyExistsError) return false;
      throw error;
    }
  }

  /** Tells of an address whether a ServiceCIDR, ready or not, contains it; a range of the flags while there are none. */
  async cidrCheck(): Promise<(address: IpAddress) => boolean> {
    const ranges = (await this.#cidrs()).flatMap(rangesOf);
    return (address) => (ranges.length === 0 ? this.#fallback : ranges).some((range) => contains(range, address));
  }

  /** The number of usable and of allocated addresses of each range in which this server has allocated. */
  async usage(): Promise<ReadonlyMap<string, { readonly size: number; readonly allocated: number }>> {
    const counted = [...(await this.#ranges())].filter((range) => this.counts.has(canonicalCidr(range)));
    const found = new Map(counted.map((range) => [range, 0]));
    if (counted.length > 0) {
      const { items } = await this.#stores
        .ipAddresses()
        .list('/ipaddresses/', { ...listEverything, resourceVersion: '0' });
      for (const [index, item] of items.entries()) {
        if (index % objectsPerStep === 0) await pause();
        const address = parseIpLoosely(item.parse().metadata.name ?? '');
        if (address === undefined) continue;
        for (const range of counted) if (contains(range, address)) found.set(range, (found.get(range) ?? 0) + 1);
      }
    }
    return new Map(
      [...found].map(([range, allocated]) => [canonicalCidr(range), { size: Number(usable(range).size), allocated }]),
    );
  }

  async #cidrs(): Promise<ServiceCIDR[]> {
    const { items } = await this.#stores
      .serviceCidrs()
      .list('/servicecidrs/', { ...listEverything, resourceVersion: '0' });
    return items.map((item) => item.parse());
  }

  /** The ranges of all ready ServiceCIDRs; those of the flags while there are none. */
  async #ranges(): Promise<IpRange[]> {
    const ready = (await this.#cidrs())
      .filter((cidr) => (findCondition(cidr.status?.conditions, 'Ready')?.status ?? 'True') === 'True')
      .filter((cidr) => cidr.metadata.deletionTimestamp === undefined);
    const ranges = ready.flatMap(rangesOf);
    return ranges.length === 0 ? [...this.#fallback] : ranges;
  }
}

const rangesOf = ({ spec }: ServiceCIDR): IpRange[] => (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);

function shuffled<T>(items: readonly T[]): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = randomBelow(i + 1);
    const [a, b] = [result[i], result[j]];
    if (a !== undefined && b !== undefined) [result[i], result[j]] = [b, a];
  }
  return result;
}

/** The default of `--service-cluster-ip-range`. */
export const defaultServiceClusterIpRange = '10.0.0.0/24';
const fewestAddresses = 8n;

/**
 * Parses `--service-cluster-ip-range`: one range, or two of different families; empty = the default. Throws Error with one line for the
 * operator. Source: completion.go and validation.go of cmd/kube-apiserver/app/options of kubernetes 1.36.
 */
export function parseServiceRanges(flag: string): IpRange[] {
  const texts = (flag === '' ? defaultServiceClusterIpRange : flag).split(',');
  const ranges = texts.map((text, index) => {
    const range = parseCidr(text.trim());
    if (range === undefined)
      throw new Error(`service-cluster-ip-range[${index}] is not ${index === 0 ? 'a valid cidr' : 'an ip net'}`);
    if (range.family === 6 && range.prefixLength < 64) {
      throw new Error(`shortest allowed prefix length for service CIDR is 64, got ${range.prefixLength}`);
    }
    if (index === 0 && rangeSize(range) < fewestAddresses)
      throw new Error(
        `error determining service IP ranges for primary service cidr: the service cluster IP range must be at least ${fewestAddresses} IP addresses`,
      );
    return range;
  });
  if (ranges.length > 2) throw new Error('--service-cluster-ip-range must not contain more than two entries');
  if (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family)
    throw new Error('--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family');
  return ranges;
}

/** The first address that a range can allocate: that of the `kubernetes` service. */
export const firstAddress = (range: IpRange): string => canonicalIp({ family: range.family, value: range.base + 1n });
