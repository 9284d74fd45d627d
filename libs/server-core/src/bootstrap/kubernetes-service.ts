import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Endpoints } from '@apichain/api/core/v1';
import { deepEqual, type KubeObject } from '@apichain/meta';
import type { Storage } from '@apichain/storage';
import { ensure, find, type BootstrapContext } from './context.ts';
import { ensureNamespace } from './system-namespaces.ts';

const namespace = 'default';
const name = 'kubernetes';
const core = (resource: string) => ({ group: '', version: 'v1', resource, namespace });
const slices = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', namespace };

export interface KubernetesServiceOptions {
  /** The first address of the service range. */
  readonly clusterIp: string;
  readonly securePort: number;
  /** `--kubernetes-service-node-port`; 0 = none. */
  readonly nodePort: number;
}

export interface KubernetesEndpointsOptions {
  /** The address at which clients outside this process reach the API. */
  readonly advertiseAddress: string;
  readonly securePort: number;
  /** The store of `/masterleases/`. */
  readonly leases: Storage;
}

/** `--advertise-address`, else `--bind-address` when other machines can reach it, else the first such address of this machine. */
export function advertiseAddress(advertised: string, bindAddress: string): string | undefined {
  if (advertised !== '') return advertised;
  const reachable = !['0.0.0.0', '::', '', 'localhost', '::1'].includes(bindAddress) && !bindAddress.startsWith('127.');
  if (reachable) return bindAddress;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((address) => !address.internal && address.family === 'IPv4')?.address;
}

/** The service through which pods reach the API: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
export async function ensureKubernetesService(
  context: BootstrapContext,
  options: KubernetesServiceOptions,
): Promise<void> {
  await ensureNamespace(context, namespace);
  const port = { name: 'https', port: 443, protocol: 'TCP', targetPort: options.securePort };
  await ensure(context.client, core('services'), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: options.nodePort > 0 ? 'NodePort' : 'ClusterIP',
      clusterIP: options.clusterIp,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [options.nodePort > 0 ? { ...port, nodePort: options.nodePort } : port],
    },
  });
}

const leaseTtlSeconds = 15;

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
  const { subsets } = lease as Endpoints;
  const ip = subsets?.[0]?.addresses?.[0]?.ip ?? '';
  return ip === '' ? [] : [ip];
}

async function liveAddresses(leases: Storage): Promise<string[]> {
  const predicate = { matches: () => true, everything: true, exactFields: {} };
  const { items } = await leases.list('/masterleases/', { resourceVersion: '', limit: 0, continue: '', predicate });
  return items.flatMap((item) => addressOf(item.parse())).toSorted();
}

async function write(
  { client }: BootstrapContext,
  ref: ReturnType<typeof core>,
  wanted: KubeObject,
  fields: readonly string[],
): Promise<void> {
  const present = await find(client, ref, name);
  if (present === undefined) await client.create(ref, wanted);
  else if (fields.some((field) => !deepEqual(present[field], wanted[field]))) {
    const changed = Object.fromEntries(fields.map((field) => [field, wanted[field]]));
    await client.update(ref, { ...present, ...changed });
  }
}

async function publish(context: BootstrapContext, addresses: readonly string[], port: number): Promise<void> {
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  await write(
    context,
    core('endpoints'),
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name, namespace, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }],
    },
    ['subsets'],
  );
  await write(
    context,
    slices,
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: isIPv6(addresses[0] ?? '') ? 'IPv6' : 'IPv4',
      endpoints: addresses.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
      ports,
    },
    ['endpoints', 'ports'],
  );
}

/** One pass: sets the endpoints of the service to the servers that are alive, including this one. */
export async function reconcileKubernetesEndpoints(
  context: BootstrapContext,
  { advertiseAddress: ip, leases, securePort }: KubernetesEndpointsOptions,
): Promise<void> {
  await renewLease(leases, ip);
  const addresses = await liveAddresses(leases);
  await publish(context, addresses.includes(ip) ? addresses : [...addresses, ip].toSorted(), securePort);
}
