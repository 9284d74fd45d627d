import { currentTime } from '@apichain/meta';
import type { EtcdConnection } from './etcd-client.ts';

export interface LeaseManagerOptions {
  /** --lease-reuse-duration-seconds: how long one lease takes new keys. Default 60. */
  readonly reuseSeconds?: number;
  /** --lease-max-object-count: how many keys a lease takes. Default 1,000. */
  readonly maxObjects?: number;
}

interface OpenLease {
  readonly id: Promise<string>;
  readonly expires: number;
  objects: number;
}

/** The reuse window never exceeds this share of the ttl, as kube-apiserver's. */
const maxReuseShare = 0.05;

/** Hands out leases that many keys share: a lease per key would cost etcd far more than the keys. */
export interface LeaseManager {
  /** The id of a lease with at least `ttlSeconds` to live. */
  leaseFor(ttlSeconds: number): Promise<string>;
  /** Takes no more keys on the leases handed out so far: etcd does not know one of them. */
  forget(): void;
}

/**
 * Makes the manager of the leases that bind objects with a time to live. Objects that end at about the same time share one, as in
 * kube-apiserver.
 */
export function createLeaseManager(
  connection: Pick<EtcdConnection, 'grantLease'>,
  { reuseSeconds = 60, maxObjects = 1_000 }: LeaseManagerOptions = {},
): LeaseManager {
  const open = new Map<number, OpenLease>();

  const grant = (ttlSeconds: number): OpenLease => {
    const reuse = Math.min(reuseSeconds, ttlSeconds * maxReuseShare);
    // The lease outlives its last key's ttl, so that a key that joins late does not die early.
    const id = connection.grantLease(Math.ceil(ttlSeconds + reuse));
    const lease = { id, expires: currentTime() + reuse * 1_000, objects: 0 };
    open.set(ttlSeconds, lease);
    id.catch(() => {
      if (open.get(ttlSeconds) === lease) open.delete(ttlSeconds);
    });
    return lease;
  };
  return {
    leaseFor(ttlSeconds) {
      const known = open.get(ttlSeconds);
      const lease =
        known !== undefined && known.objects < maxObjects && currentTime() < known.expires ? known : grant(ttlSeconds);
      lease.objects++;
      return lease.id;
    },
    forget() {
      open.clear();
    },
  };
}
