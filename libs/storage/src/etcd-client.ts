import * as grpc from '@grpc/grpc-js';
import { Etcd3, type IOptions } from 'etcd3';
import { EtcdError, wasNeverSent } from './etcd-error.ts';
import type { StorageMetrics } from './metrics.ts';
import { openChannel } from './etcd-channel.ts';
import { endpointPolicy } from './etcd-endpoint-policy.ts';
import { supportsWatchProgress } from './etcd-version.ts';
import { createKeyReader, type KeyRead } from './key-reader.ts';
import { rangeRequest } from './requests.ts';
import { onceSuccessful, shareCalls } from './share-calls.ts';
import {
  CompactionRequest,
  CompactionResponse,
  LeaseGrantRequest,
  LeaseGrantResponse,
  RangeRequest,
  RangeResponse,
  StatusRequest,
  StatusResponse,
  TxnRequest,
  TxnResponse,
  WatchRequest,
  WatchResponse,
} from './etcd/gen/rpc.ts';

export interface EtcdOptions {
  /** `http://host:port`, `https://host:port` or, for a Unix socket, `unix:///path`; all of one kind. */
  readonly servers: readonly string[];
  /** PEM texts. With any of them the connection is TLS. */
  readonly certificate?: string;
  readonly key?: string;
  readonly ca?: string;
  /** Put before every key, e.g. `/registry`. */
  readonly prefix: string;
  /** How long one call may take before it counts as an outage, in milliseconds. Default 5,000. */
  readonly callTimeout?: number;
  readonly metrics?: Pick<StorageMetrics, 'etcdRequest'>;
}

export type EtcdWatchCall = grpc.ClientDuplexStream<WatchRequest, WatchResponse>;

/** One connection to an etcd cluster, shared by all stores of a process. Every failure is an EtcdError. */
export interface EtcdConnection {
  readonly prefix: string;
  /** The highest revision that any answer on this connection has shown. */
  readonly seenRevision: number;
  range(request: Partial<RangeRequest> & { key: Buffer }): Promise<RangeResponse>;
  txn(request: TxnRequest): Promise<TxnResponse>;
  compact(revision: number): Promise<void>;
  /** Grants a lease of `ttl` seconds and returns its id. */
  grantLease(ttl: number): Promise<string>;
  openWatch(): Promise<EtcdWatchCall>;
  /** A linearizable read of one key. Reads that wait for each other travel in one transaction. */
  readKey(key: Buffer): Promise<KeyRead>;
  /** A revision that includes every write acknowledged before the call; concurrent callers share one read. */
  currentRevision(): Promise<number>;
  /** The first revision this process learnt: the history it offers its clients begins there, as a watch cache's does. */
  startRevision(): Promise<number>;
  /** Whether watch progress requests can be trusted; asked once, and again after a failure. */
  supportsProgress(): Promise<boolean>;
  /** Throws EtcdError when etcd does not answer a linearizable read within `timeout` milliseconds. */
  checkHealth(timeout?: number): Promise<void>;
  close(): void;
}

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
const defaultCallTimeout = 5_000;

interface Method<Request, Response> {
  readonly service: 'KV' | 'Lease' | 'Maintenance';
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
  status: prepare({
    service: 'Maintenance',
    path: '/etcdserverpb.Maintenance/Status',
    request: StatusRequest,
    response: StatusResponse,
  }),
};

const rangePath = '/etcdserverpb.KV/Range';
const txnPath = '/etcdserverpb.KV/Txn';

/** etcd3 with its connection pool in reach: its own call path encodes every message twice. */
class PooledEtcd extends Etcd3 {
  get connections() {
    return this.pool;
  }
}

const toEtcdError = (error: grpc.ServiceError) => new EtcdError(error.code, error.details);

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

function credentialsOf(options: EtcdOptions): IOptions['credentials'] {
  const { ca, certificate, key } = options;
  if (ca === undefined && certificate === undefined && key === undefined) return undefined;
  if (ca === undefined) throw new Error('--etcd-certfile and --etcd-keyfile need --etcd-cafile');
  return {
    rootCertificate: Buffer.from(ca),
    ...(key === undefined ? {} : { privateKey: Buffer.from(key) }),
    ...(certificate === undefined ? {} : { certChain: Buffer.from(certificate) }),
  };
}

function clientOf(options: EtcdOptions): PooledEtcd {
  if (options.servers.length === 0) throw new Error('--etcd-servers must be specified');
  const credentials = credentialsOf(options);
  return new PooledEtcd({
    hosts: [...options.servers],
    grpcOptions: channelOptions,
    ...(credentials === undefined ? {} : { credentials }),
    // Calls are never repeated here: a write that failed may have happened, and only its caller can tell.
    faultHandling: { global: endpointPolicy(0), host: () => endpointPolicy(options.servers.length > 1 ? 1_000 : 0) },
  });
}

/**
 * Opens the connection lazily: nothing is sent before the first call. Throws Error when the options name no server or an
 * unreadable file.
 */
export function connectEtcd(options: EtcdOptions): EtcdConnection {
  const client = clientOf(options);
  const pool = client.connections;
  const callTimeout = options.callTimeout ?? defaultCallTimeout;
  const channel = openChannel(options);
  let seenRevision = 0;
  const see = (revision: number | undefined) => {
    if (revision !== undefined && revision > seenRevision) seenRevision = revision;
  };

  const callOnce = <Request, Response>(
    method: PreparedMethod<Request, Response>,
    request: Request,
    timeout: number,
  ): Promise<Response> =>
    pool.withConnection(
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
              { deadline: Date.now() + timeout },
              (error, response) => {
                if (error !== null) reject(toEtcdError(error));
                else if (response === undefined) reject(new EtcdError(grpc.status.INTERNAL, 'empty answer'));
                else resolve(response);
              },
            ),
          );
        }),
    );

  /** Tries every endpoint: the one that failed rests, or is no longer the current one, so the next attempt goes to another. */
  const untilSent = async <Response>(attempt: () => Promise<Response>): Promise<Response> => {
    for (let left = options.servers.length - 1; ; left--) {
      try {
        return await attempt();
      } catch (error) {
        if (left <= 0 || !wasNeverSent(error)) throw error;
      }
    }
  };
  const call = <Request, Response>(method: PreparedMethod<Request, Response>, request: Request): Promise<Response> =>
    untilSent(() => callOnce(method, request, callTimeout));
  // The calls of every read and write take the short way: through the library they cost twice as much.
  const callRange = async (request: RangeRequest, timeout = callTimeout): Promise<RangeResponse> => {
    const message = RangeRequest.encode(request).finish();
    return RangeResponse.decode(await untilSent(() => channel.call({ path: rangePath, message, timeout })));
  };
  const callTxn = async (request: TxnRequest): Promise<TxnResponse> => {
    const message = TxnRequest.encode(request).finish();
    return TxnResponse.decode(await untilSent(() => channel.call({ path: txnPath, message, timeout: callTimeout })));
  };
  const counted = async <T>(operation: string, work: Promise<T>): Promise<T> => {
    const started = performance.now();
    let failed = true;
    try {
      const result = await work;
      failed = false;
      return result;
    } finally {
      options.metrics?.etcdRequest?.(operation, (performance.now() - started) / 1_000, failed);
    }
  };

  const range: EtcdConnection['range'] = async (request) => {
    const response = await counted('range', callRange(rangeRequest(request)));
    see(response.header?.revision);
    return response;
  };
  const txn: EtcdConnection['txn'] = async (request) => {
    const response = await counted('txn', callTxn(request));
    see(response.header?.revision);
    return response;
  };
  // Absent on purpose: the header is all that matters.
  const revisionKey = Buffer.from(`${options.prefix}/`);
  const readRevision = async (timeout?: number) => {
    const response = await callRange(rangeRequest({ key: revisionKey, keysOnly: true }), timeout);
    see(response.header?.revision);
    return response.header?.revision ?? 0;
  };

  const currentRevision = shareCalls(() => readRevision());
  const startRevision = onceSuccessful(currentRevision);
  const supportsProgress = onceSuccessful(async () => {
    const { version } = await call(methods.status, {});
    return supportsWatchProgress(version);
  });

  return {
    prefix: options.prefix,
    get seenRevision() {
      return seenRevision;
    },
    range,
    txn,
    compact: async (revision) => {
      await counted('compact', call(methods.compact, { revision }));
    },
    grantLease: async (ttl) => {
      const response = await counted('leaseGrant', call(methods.grantLease, { TTL: ttl, ID: '0' }));
      if (response.error !== '') throw new EtcdError(grpc.status.UNKNOWN, response.error);
      return response.ID;
    },
    openWatch: () =>
      pool.withConnection('Watch', ({ client: stub, metadata }) => {
        const withLeader = metadata.clone();
        // A member cut off from its cluster ends the watch instead of staying silent.
        withLeader.set('hasleader', 'true');
        return stub.makeBidiStreamRequest(
          '/etcdserverpb.Watch/Watch',
          (message: WatchRequest) => toBuffer(WatchRequest.encode(message).finish()),
          (bytes: Buffer) => WatchResponse.decode(bytes),
          withLeader,
        );
      }),
    readKey: createKeyReader({ range, txn }),
    currentRevision,
    supportsProgress,
    startRevision,
    checkHealth: async (timeout) => {
      await readRevision(timeout);
    },
    close: () => {
      channel.close();
      client.close();
    },
  };
}
