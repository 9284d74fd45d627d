import { randomBytes } from 'node:crypto';
import { leaseExists, leaseNotFound, leaseTtlTooLarge } from '../etcd-server-error.ts';
import { noLease } from '../mvcc/version.ts';
import type { LeaseBook } from '../mvcc/write-txn.ts';

/** The minimum TTL that etcd grants with its default election timeout, and the maximum, in seconds. */
const minTtl = 2;
const maxTtl = 9_000_000_000;

export interface Lease {
  readonly id: string;
  /** In seconds. */
  readonly ttl: number;
  /** On the clock of `performance.now()`, in milliseconds. */
  expires: number;
  readonly keys: Set<string>;
}

const newId = () => (randomBytes(8).readBigUInt64BE() >> 1n).toString();

/** The leases and their keys. Time passes only while the process runs: a restart renews every lease, as in etcd. */
export class Lessor implements LeaseBook {
  readonly #leases = new Map<string, Lease>();

  has(id: string): boolean {
    return this.#leases.has(id);
  }

  get(id: string): Lease | undefined {
    return this.#leases.get(id);
  }

  /** The lease that a request for `id` ('0' = any) and `ttl` would get, without granting it. Throws EtcdServerError. */
  propose(id: string, ttl: number): { id: string; ttl: number } {
    if (ttl > maxTtl) throw leaseTtlTooLarge();
    if (id !== noLease && this.#leases.has(id)) throw leaseExists();
    return { id: id === noLease ? newId() : id, ttl: Math.max(ttl, minTtl) };
  }

  grant(id: string, ttl: number): void {
    this.#leases.set(id, { id, ttl, expires: performance.now() + ttl * 1_000, keys: new Set() });
  }

  remove(id: string): void {
    this.#leases.delete(id);
  }

  /** Undoes the removal of a lease. */
  restore(lease: Lease): void {
    this.#leases.set(lease.id, lease);
  }

  /** Renews the lease and returns its TTL in seconds. Throws EtcdServerError when the lease does not exist. */
  renew(id: string): number {
    const lease = this.#leases.get(id);
    if (lease === undefined || lease.expires <= performance.now()) throw leaseNotFound();
    lease.expires = performance.now() + lease.ttl * 1_000;
    return lease.ttl;
  }

  /** Ages every lease by this many milliseconds; a negative number makes leases younger. */
  age(milliseconds: number): void {
    for (const lease of this.#leases.values()) lease.expires -= milliseconds;
  }

  attach(id: string, key: string): void {
    this.#leases.get(id)?.keys.add(key);
  }

  detach(id: string, key: string): void {
    this.#leases.get(id)?.keys.delete(key);
  }

  /** Every lease, in the order of expiry. */
  list(): Lease[] {
    return [...this.#leases.values()].sort((a, b) => a.expires - b.expires);
  }

  expired(): Lease[] {
    const now = performance.now();
    return [...this.#leases.values()].filter(({ expires }) => expires <= now);
  }
}
