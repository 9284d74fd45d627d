import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { FlagError, type FlagDefinition, type ParsedFlags } from '@apichain/apiserver-options';
import { RestClient, type ResourceReference } from '@apichain/client';
import { deepEqual, isStatusError, type KubeObject } from '@apichain/meta';
import type { HookContext } from '@apichain/observability';
import { KeyNotFoundError, listEverything, type Storage, type StorageCodec } from '@apichain/storage';
import type { GenericApiServer } from './server.ts';
import type { EtcdStorage } from './storage/etcd-storage.ts';

const namespace = 'default';
const name = 'kubernetes';
const endpoints = { group: '', version: 'v1', resource: 'endpoints', namespace };
const slices = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', namespace };

const section = 'Cluster address';

/** The flags that say under which address the members of the cluster reach the chain. */
export const kubernetesEndpointsFlags: readonly FlagDefinition[] = [
  {
    name: 'advertise-address',
    type: 'ip',
    section,
    usage: 'Address at which the members of the cluster reach the server. Empty = detected.',
  },
  {
    name: 'advertise-port',
    type: 'int',
    default: '0',
    section,
    usage: 'Port at which the members of the cluster reach the server, as behind a forwarded port. 0 = --secure-port.',
  },
  {
    name: 'endpoint-reconciler-type',
    type: 'string',
    default: 'lease',
    section,
    usage:
      'How the server maintains its endpoint in the service "kubernetes": lease or none. Of a chain, only the first server may: kube-core behind an aggregator gets none.',
  },
];

/** What the flags of `kubernetesEndpointsFlags` say. */
export interface Advertised {
  /** Undefined: the server publishes no endpoint. */
  readonly address: string | undefined;
  /** 0 = the port of the server. */
  readonly port: number;
}

/** Reads the flags of `kubernetesEndpointsFlags` and `--bind-address`. Throws FlagError. */
export function advertisedOf(flags: ParsedFlags): Advertised {
  const port = flags.number('advertise-port');
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new FlagError(`--advertise-port ${port} must be between 0 and 65535, inclusive`);
  const type = flags.string('endpoint-reconciler-type');
  if (!['lease', 'master-count', 'none'].includes(type))
    throw new FlagError(`--endpoint-reconciler-type ${type} must be lease or none`);
  const address = advertiseAddress(flags.string('advertise-address'), flags.string('bind-address'));
  return { port, address: type === 'none' ? undefined : address };
}

/** `--advertise-address`, else `--bind-address` when other machines can reach it, else the first such address of this machine. */
export function advertiseAddress(advertised: string, bindAddress: string): string | undefined {
  if (advertised !== '') return advertised;
  const reachable = !['0.0.0.0', '::', '', 'localhost', '::1'].includes(bindAddress) && !bindAddress.startsWith('127.');
  if (reachable) return bindAddress;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((address) => !address.internal && address.family === 'IPv4')?.address;
}

/** The store of `/masterleases/`, in which every server has its address. `codec` is that of Endpoints. */
export const openMasterLeases = (etcd: EtcdStorage, codec: StorageCodec): Storage =>
  etcd.open({ prefix: '/masterleases', codec, resource: { group: '', resource: 'apiServerIPInfo' } });

/** Seconds after which the address of a server that does not renew it is gone. */
const leaseTtlSeconds = 15;
const intervalMs = 10_000;
const retryMs = 1_000;
/** A server that cannot reach etcd stops all the same. */
const removalPatienceMs = 2_000;

interface KubernetesEndpointsOptions {
  /** The address at which clients outside this process reach the API. */
  readonly address: string;
  /** Its port. It is known once the server listens. */
  readonly port: () => number;
  /** See `openMasterLeases`. */
  readonly leases: Storage;
}

/**
 * Keeps the address of this server among the endpoints of the service `kubernetes`, by a lease in etcd that expires when the server is gone.
 * Behavior: pkg/controlplane/reconcilers/lease.go of kubernetes 1.36.
 */
export class KubernetesEndpoints {
  readonly #options: KubernetesEndpointsOptions;
  readonly #stopped = new AbortController();
  #hook: HookContext | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: KubernetesEndpointsOptions) {
    this.#options = options;
  }

  /** Begins when the server is ready, in the background. Passes that fail are logged and repeated. */
  start(hook: HookContext): void {
    this.#hook = hook;
    hook.whenStarted(() => {
      const first = Promise.withResolvers<void>();
      this.#running = this.#run(hook, () => first.resolve());
      return first.promise;
    });
  }

  /** `onPass` is called after each attempt, and at the end. */
  async #run({ loopback, logger }: HookContext, onPass: () => void): Promise<void> {
    const { signal } = this.#stopped;
    const client = new RestClient(loopback.connect('kube-apiserver'));
    while (!signal.aborted) {
      let pauseMs = intervalMs;
      try {
        await this.reconcile(client);
      } catch (error) {
        pauseMs = retryMs;
        if (!signal.aborted) logger.warn({ err: error }, 'the endpoints of the service kubernetes are tried again');
      }
      onPass();
      // The stop ends the pause.
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    // A stop may come before the first attempt.
    onPass();
    await client.close();
  }

  /** One pass: sets the endpoints of the service to the servers that are alive, including this one. */
  async reconcile(client: RestClient): Promise<void> {
    const { address, leases, port } = this.#options;
    await renewLease(leases, address);
    const addresses = await liveAddresses(leases);
    await publish(client, addresses.includes(address) ? addresses : [...addresses, address].toSorted(), port());
  }

  /**
   * Ends the passes and takes this server out of the endpoints, so that no client is sent to it any more. The last server, too, as kube-apiserver
   * does: the service has no endpoints then. Call it while the server still serves.
   */
  async stop(): Promise<void> {
    const hook = this.#hook;
    if (hook === undefined || this.#stopped.signal.aborted) return;
    this.end();
    const late = delay(removalPatienceMs, 'late', { ref: false });
    if ((await Promise.race([this.#remove(hook), late])) === 'late')
      hook.logger.warn('the endpoint of this server could not be removed in time: it expires');
  }

  /** Ends the passes, and leaves the address to a successor of this process. */
  end(): void {
    this.#stopped.abort();
  }

  async #remove({ loopback, logger }: HookContext): Promise<void> {
    // A pass under way would write the address again.
    await this.#running;
    const { address, leases, port } = this.#options;
    const client = new RestClient(loopback.connect('kube-apiserver'));
    try {
      await leases.delete(`/masterleases/${address}`, {});
      await publish(client, await liveAddresses(leases), port());
    } catch (error) {
      if (!(error instanceof KeyNotFoundError))
        logger.warn({ err: error }, 'the endpoint of this server was not removed: it expires');
    } finally {
      await client.close();
    }
  }
}

/** Takes the server out of the endpoints when it stops, unless another process takes its place. */
export const addEndpointsHook = (server: GenericApiServer, endpoints: KubernetesEndpoints): void =>
  server.addPreShutdownHook('kubernetes-endpoints', () =>
    server.config.worker?.isReplaced === true ? endpoints.end() : endpoints.stop(),
  );

const renewed = ({ metadata }: Pick<KubeObject, 'metadata'> = { metadata: {} }) => ({
  metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
});

/** Renews the lease of this server. The generation changes each time, which forces a new write with a new TTL. */
async function renewLease(leases: Storage, ip: string): Promise<void> {
  await leases.guaranteedUpdate(`/masterleases/${ip}`, {
    ignoreNotFound: true,
    tryUpdate: (current) => ({
      ttlSeconds: leaseTtlSeconds,
      object: {
        apiVersion: 'v1',
        kind: 'Endpoints',
        ...renewed(current?.parse()),
        subsets: [{ addresses: [{ ip }] }],
      },
    }),
  });
}

/** The address that a lease holds, as kube-apiserver reads it. */
function addressOf(lease: KubeObject): string[] {
  const { subsets } = lease as { subsets?: { addresses?: { ip?: string }[] }[] };
  const ip = subsets?.[0]?.addresses?.[0]?.ip ?? '';
  return ip === '' ? [] : [ip];
}

async function liveAddresses(leases: Storage): Promise<string[]> {
  const { items } = await leases.list('/masterleases/', listEverything);
  return items.flatMap((item) => addressOf(item.parse())).toSorted();
}

/** Writes what differs from the wanted object in these fields, and in the labels that it has. */
async function write(
  client: RestClient,
  ref: ResourceReference,
  wanted: KubeObject,
  fields: readonly string[],
): Promise<void> {
  const present = await presentObject(client, ref);
  if (present === undefined) return create(client, ref, wanted);
  const labels = { ...present.metadata.labels, ...wanted.metadata.labels };
  const isWanted = deepEqual(labels, present.metadata.labels ?? {});
  if (isWanted && fields.every((field) => deepEqual(present[field], wanted[field]))) return;
  const changed = Object.fromEntries(fields.map((field) => [field, wanted[field]]));
  await client.update(ref, { ...present, ...changed, metadata: { ...present.metadata, labels } });
}

const presentObject = (client: RestClient, ref: ResourceReference): Promise<KubeObject | undefined> =>
  client.get(ref, name).catch((error: unknown) => {
    if (isStatusError(error, 'NotFound')) return undefined;
    throw error;
  });

async function create(client: RestClient, ref: ResourceReference, wanted: KubeObject): Promise<void> {
  try {
    await client.create(ref, wanted);
  } catch (error) {
    // Another server was faster. The next pass adds this one.
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}

async function publish(client: RestClient, addresses: readonly string[], port: number): Promise<void> {
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  await write(
    client,
    endpoints,
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name, namespace, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      ...(addresses.length === 0 ? {} : { subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }] }),
    },
    ['subsets'],
  );
  await publishSlice(client, addresses, ports);
}

/** A slice has addresses of one family, which cannot change: that of all servers if they have IPv6, else IPv4. */
async function publishSlice(client: RestClient, addresses: readonly string[], ports: readonly object[]): Promise<void> {
  const isV6 = addresses.length > 0 && addresses.every((ip) => isIPv6(ip));
  const addressType = isV6 ? 'IPv6' : 'IPv4';
  const present = await presentObject(client, slices);
  if (present !== undefined && present['addressType'] !== addressType) await client.delete(slices, name);
  await write(
    client,
    slices,
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType,
      endpoints: addresses
        .filter((ip) => isIPv6(ip) === isV6)
        .map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
      ports,
    },
    ['endpoints', 'ports'],
  );
}
