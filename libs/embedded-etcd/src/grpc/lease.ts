import type { ServerDuplexStream } from '@grpc/grpc-js';
import { EtcdServerError } from '@apichain/etcd-api';
import {
  LeaseService,
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type LeaseKeepAliveRequest,
  type LeaseKeepAliveResponse,
  type LeaseLeasesResponse,
  type LeaseRevokeRequest,
  type LeaseRevokeResponse,
  type LeaseTimeToLiveRequest,
  type LeaseTimeToLiveResponse,
} from '@apichain/etcd-api/etcdserverpb';
import type { Engine } from '../engine/engine.ts';
import type { Lessor } from '../lease/lessor.ts';
import { headerOf, type ServerContext } from './context.ts';
import { unary } from './unary.ts';

/** Renews a lease. Returns its TTL, or 0 when the lease does not exist, as a keep-alive response says. */
function renew(lessor: Lessor, id: string): number {
  try {
    return lessor.renew(id);
  } catch (error) {
    if (error instanceof EtcdServerError) return 0;
    throw error;
  }
}

export async function grantLease(engine: Engine, { ID, TTL }: LeaseGrantRequest): Promise<LeaseGrantResponse> {
  const { id, ttl } = await engine.grant(ID, TTL);
  return { header: headerOf(engine), ID: id, TTL: ttl, error: '' };
}

export function leaseService({ engine }: ServerContext) {
  const { lessor } = engine;
  const header = () => headerOf(engine);

  const leaseGrant = unary((request: LeaseGrantRequest) => grantLease(engine, request));
  const leaseRevoke = unary(async ({ ID }: LeaseRevokeRequest): Promise<LeaseRevokeResponse> => {
    await engine.revoke(ID);
    return { header: header() };
  });
  const leaseKeepAlive = (call: ServerDuplexStream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>): void => {
    call.on('data', ({ ID }: LeaseKeepAliveRequest) => {
      // The header is created first, as in etcd: a lease revoked in the meantime then never appears to be renewed after its revocation.
      const made = header();
      call.write({ header: made, ID, TTL: renew(lessor, ID) });
    });
    call.on('end', () => {
      call.end();
    });
    call.on('error', () => {
      call.destroy();
    });
  };
  const leaseTimeToLive = unary(({ ID, keys }: LeaseTimeToLiveRequest): LeaseTimeToLiveResponse => {
    const lease = lessor.get(ID);
    if (lease === undefined) return { header: header(), ID, TTL: -1, grantedTTL: 0, keys: [] };
    return {
      header: header(),
      ID,
      TTL: Math.max(0, Math.floor((lease.expires - performance.now()) / 1_000)),
      grantedTTL: lease.ttl,
      keys: keys ? [...lease.keys].map((key) => Buffer.from(key, 'latin1')) : [],
    };
  });
  const leaseLeases = unary((): LeaseLeasesResponse => ({
    header: header(),
    leases: lessor.list().map(({ id }) => ({ ID: id })),
  }));

  return {
    definition: LeaseService,
    handlers: { leaseGrant, leaseRevoke, leaseKeepAlive, leaseTimeToLive, leaseLeases } satisfies Record<
      keyof typeof LeaseService,
      unknown
    >,
  };
}
