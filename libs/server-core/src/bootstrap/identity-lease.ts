import { formatMicroTime } from '@apichain/go-text';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { apiServerId } from '@apichain/request';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { find, type BootstrapContext } from './context.ts';
import { ensureNamespace } from './system-namespaces.ts';

const namespace = 'kube-system';
const ref = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace };
const identityLabel = 'apiserver.kubernetes.io/identity';
const identity = 'kube-apiserver';
const durationSeconds = 3_600;

/** Different after each start, so that a restart of the server is visible. */
const holder = `${apiServerId()}_${randomUUID()}`;

/**
 * Renews the Lease that shows that this server is alive, and the address at which other servers can reach it:
 * https://kubernetes.io/docs/concepts/architecture/leases/#api-server-identity
 */
export async function renewIdentityLease(context: BootstrapContext, address: string): Promise<void> {
  const { client } = context;
  const name = apiServerId();
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: durationSeconds,
    renewTime: formatMicroTime(new Date()),
  };
  const labels = { [identityLabel]: identity, 'kubernetes.io/hostname': hostname() };
  const annotations = { 'kubernetes.io/peer-advertise-address': address };
  const present = await find(client, ref, name);
  if (present !== undefined) {
    await client.update(ref, { ...present, metadata: { ...present.metadata, labels, annotations }, spec });
    return;
  }
  await ensureNamespace(context, namespace);
  await client.create(ref, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, labels, annotations },
    spec,
  });
}

/** One pass that deletes the expired Leases of servers that are gone. */
export async function collectIdentityLeases({ client }: BootstrapContext): Promise<void> {
  const { items } = await client.list(ref, { labelSelector: `${identityLabel}=${identity}` });
  for (const lease of items.filter(isExpired)) {
    try {
      await client.delete(ref, lease.metadata.name ?? '');
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }
}

function isExpired(lease: KubeObject): boolean {
  const { spec } = lease;
  if (typeof spec !== 'object' || spec === null) return true;
  const { renewTime, leaseDurationSeconds } = spec as { renewTime?: unknown; leaseDurationSeconds?: unknown };
  if (typeof renewTime !== 'string' || typeof leaseDurationSeconds !== 'number') return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < Date.now();
}
