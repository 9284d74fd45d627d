import { createRequire } from 'node:module';
import type { ServiceError } from '@grpc/grpc-js';
import type * as Library from 'etcd3';
import type { EtcdOptions } from './etcd-client.ts';
import { sameCredentials, type EtcdCredentials } from './etcd-credentials.ts';
import type { GrpcChannel } from './etcd-channel.ts';
import { endpointPolicy } from './etcd-endpoint-policy.ts';
import { EtcdError } from './etcd-error.ts';
import { grpcStatus, isGrpcStatus } from './grpc-status.ts';
import { CompactionRequest, CompactionResponse, LeaseGrantRequest, LeaseGrantResponse } from './etcd/generated/rpc.ts';

/** The largest answer to accept: a page of a large list, or a burst of watch events. */
const maxReceiveBytes = 2 ** 31 - 1;
const channelOptions = {
  'grpc.max_receive_message_length': maxReceiveBytes,
  'grpc.max_send_message_length': maxReceiveBytes,
  // As kube-apiserver's client: a dead peer is noticed after 40 seconds even if nothing is sent.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 1,
  // An etcd that comes back is used at once; the library's own backoff grows to two minutes.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_retries': 0,
};

interface Method<Request, Response> {
  readonly service: 'KV' | 'Lease';
  readonly path: string;
  readonly request: { encode(message: Request): { finish(): Uint8Array } };
  readonly response: { decode(bytes: Uint8Array): Response };
}
interface PreparedMethod<Request, Response> {
  readonly service: Method<Request, Response>['service'];
  readonly path: string;
  readonly serialize: (message: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const prepare = <Request, Response>(m: Method<Request, Response>): PreparedMethod<Request, Response> => ({
  service: m.service,
  path: m.path,
  serialize: (message) => toBuffer(m.request.encode(message).finish()),
  deserialize: (bytes) => m.response.decode(bytes),
});

const methods = {
  compact: prepare({
    service: 'KV',
    path: '/etcdserverpb.KV/Compact',
    request: CompactionRequest,
    response: CompactionResponse,
  }),
  grantLease: prepare({
    service: 'Lease',
    path: '/etcdserverpb.Lease/LeaseGrant',
    request: LeaseGrantRequest,
    response: LeaseGrantResponse,
  }),
};

const require = createRequire(import.meta.url);

/** etcd3 with its connection pool in reach: its own call path encodes every message twice. */
function openPool(options: Library.IOptions) {
  const { Etcd3 } = require('etcd3') as typeof Library;
  class PooledEtcd extends Etcd3 {
    get connections() {
      return this.pool;
    }
  }
  const client = new PooledEtcd(options);
  return { pool: client.connections, close: () => client.close() };
}

const toEtcdError = ({ code, details }: ServiceError) =>
  new EtcdError(isGrpcStatus(code) ? code : grpcStatus.UNKNOWN, details);

/** The library notes the stack of every caller, in case the call fails; our errors have their own, and it costs 5% of a write. */
function withoutStack(start: () => void): void {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    start();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function credentialsOf({ ca, certificate, key }: EtcdCredentials): Library.IOptions['credentials'] {
  if (ca === undefined) return undefined;
  return {
    rootCertificate: Buffer.from(ca),
    ...(key === undefined ? {} : { privateKey: Buffer.from(key) }),
    ...(certificate === undefined ? {} : { certChain: Buffer.from(certificate) }),
  };
}

function poolOf(options: EtcdOptions, given: EtcdCredentials) {
  const credentials = credentialsOf(given);
  return openPool({
    hosts: [...options.servers],
    grpcOptions: channelOptions,
    ...(credentials === undefined ? {} : { credentials }),
    // Calls are never repeated here: a write that failed may have happened, and only its caller can tell.
    faultHandling: { global: endpointPolicy(0), host: () => endpointPolicy(options.servers.length > 1 ? 1_000 : 0) },
  });
}

/** What a server asks of etcd now and then. */
export interface RareCalls {
  compact(revision: number): Promise<void>;
  /** Grants a lease of `ttl` seconds and returns its id. */
  grantLease(ttl: number): Promise<string>;
  /** Resolves once no call is under way: the library leaves a timer behind when it is closed while it connects. */
  close(): Promise<void>;
}

/** The same over a channel that is there anyway. */
export function rareCallsOver(channel: Pick<GrpcChannel, 'call'>, timeout: number): RareCalls {
  const call = async <Request, Response>(
    { path, serialize, deserialize }: PreparedMethod<Request, Response>,
    request: Request,
  ): Promise<Response> => deserialize(await channel.call({ path, message: serialize(request), timeout }));
  return {
    compact: async (revision) => {
      await call(methods.compact, { revision });
    },
    grantLease: async (ttl) => (await call(methods.grantLease, { TTL: ttl, ID: '0' })).ID,
    close: () => Promise.resolve(),
  };
}

/**
 * Leases and compaction through etcd3, each call given up after `callTimeout` milliseconds. The library is loaded, and connects, with the first of
 * them: it takes more than a tenth of a second, and a chain that starts needs neither. Calls throw EtcdError.
 */
export function rareCalls(options: EtcdOptions, callTimeout: number): RareCalls {
  let opened: (ReturnType<typeof poolOf> & { readonly credentials: EtcdCredentials }) | undefined;
  const underWay = new Set<Promise<unknown>>();
  /** The library keeps the credentials that it was opened with. */
  const current = () => {
    const credentials = options.credentials?.() ?? {};
    if (opened === undefined || !sameCredentials(opened.credentials, credentials)) {
      opened?.close();
      opened = { ...poolOf(options, credentials), credentials };
    }
    return opened;
  };
  const send = <Request, Response>(method: PreparedMethod<Request, Response>, request: Request): Promise<Response> =>
    current().pool.withConnection(
      method.service,
      ({ client: stub, metadata }) =>
        new Promise<Response>((resolve, reject) => {
          withoutStack(() =>
            stub.makeUnaryRequest(
              method.path,
              method.serialize,
              method.deserialize,
              request,
              metadata,
              { deadline: Date.now() + callTimeout },
              (error, response) => {
                if (error !== null) reject(toEtcdError(error));
                else if (response === undefined) reject(new EtcdError(grpcStatus.INTERNAL, 'empty answer'));
                else resolve(response);
              },
            ),
          );
        }),
    );
  const call = async <Request, Response>(
    method: PreparedMethod<Request, Response>,
    request: Request,
  ): Promise<Response> => {
    const sent = send(method, request);
    underWay.add(sent);
    try {
      return await sent;
    } finally {
      underWay.delete(sent);
    }
  };

  return {
    compact: async (revision) => {
      await call(methods.compact, { revision });
    },
    grantLease: async (ttl) => {
      const response = await call(methods.grantLease, { TTL: ttl, ID: '0' });
      if (response.error !== '') throw new EtcdError(grpcStatus.UNKNOWN, response.error);
      return response.ID;
    },
    close: async () => {
      await Promise.allSettled(underWay);
      opened?.close();
    },
  };
}
