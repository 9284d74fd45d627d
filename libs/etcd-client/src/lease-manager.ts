import { currentTime } from '@apichain/meta';
import type { EtcdConnection } from './etcd-client.ts';

export interface LeaseManagerOptions {
  /** --lease-reuse-duration-seconds: how long new keys may be attached to a lease. Default: 60. */
  readonly reuseSeconds?: number;
}

interface OpenLease {
  readonly id: Promise<string>;
  readonly expires: number;
  objects: number;
}

/** The maximum number of keys of a lease. */
const maxObjects = 1_000;

/** The reuse window is at most this share of the ttl, as in kube-apiserver. */
const maxReuseShare = 0.05;

/** Provides leases that many keys share: a lease for each key would cost etcd far more than the keys. */
export interface LeaseManager {
  /** The id of a lease that lives for at least `ttlSeconds`. */
  leaseFor(ttlSeconds: number): Promise<string>;
  /** Stops reusing the current leases: etcd does not know one of them. */
  forget(): void;
}

/**
 * Creates the manager of the leases for objects with a time to live. Objects that expire at about the same time share a lease, as in kube-apiserver.
 */
export function createLeaseManager(
  connection: Pick<EtcdConnection, 'grantLease'>,
  { reuseSeconds = 60 }: LeaseManagerOptions = {},
): LeaseManager {
  const open = new Map<number, OpenLease>();

  const grant = (ttlSeconds: number): OpenLease => {
    const reuse = Math.min(reuseSeconds, ttlSeconds * maxReuseShare);
    // The lease outlives the ttl of its last key, so that a key added late does not expire early.
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
