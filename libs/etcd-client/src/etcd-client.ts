import { grpcStatus, rangeRequest, inProcessEtcd } from '@apichain/etcd-api';
import {
  WatchRequest,
  WatchResponse,
  WatchService,
  type StatusResponse,
  type TxnRequest,
} from '@apichain/etcd-api/etcdserverpb';
import { counted, countedCalls, type ObjectCalls, type EtcdMetrics, type EtcdRequestCounter } from './counted-calls.ts';
import { EtcdCalls } from './etcd-calls.ts';
import type { EtcdCredentials } from './etcd-credentials.ts';
import { EtcdError } from './etcd-error.ts';
import { createKeyReader } from './key-reader.ts';
import { onceSuccessful, shareCalls } from './share-calls.ts';
import type { MessageStream, EtcdTransport, TransportOptions } from './transport/etcd-transport.ts';
import { inProcessTransport } from './transport/in-process-transport.ts';
import { PooledTransport } from './transport/pooled-transport.ts';

export interface EtcdOptions {
  /** `http://host:port`, `https://host:port` or, for a Unix socket, `unix:///path`. Either all endpoints use TLS or none does. */
  readonly servers: readonly string[];
  /** Called for every new connection, so that the credentials may change. */
  readonly credentials?: () => EtcdCredentials;
  /** Prefix of every key, e.g. `/registry`. */
  readonly prefix: string;
  /** Timeout of one call, after which it counts as an outage, in milliseconds. Default: 5,000. */
  readonly callTimeoutMs?: number;
  readonly metrics?: EtcdMetrics;
  /** Calls that would change etcd are then refused with ReadOnlyError and never sent. */
  readonly readOnly?: boolean;
}

export interface EtcdWatchHandlers {
  readonly onMessage: (response: WatchResponse) => void;
  /** Called when the call ends for any reason other than `cancel`, with an EtcdError or the error that `onMessage` threw. */
  readonly onEnd: (cause: Error) => void;
}

export interface EtcdWatchCall extends Omit<MessageStream, 'write'> {
  write(request: WatchRequest): void;
}

/** The connection to an etcd cluster, shared by all stores of a process. Every failure is an EtcdError. */
export interface EtcdConnection extends ObjectCalls {
  readonly prefix: string;
  /** The highest revision of any response on this connection so far. */
  readonly seenRevision: number;
  compact(revision: number): Promise<void>;
  /** Grants a lease of `ttl` seconds and returns its id. */
  grantLease(ttl: number): Promise<string>;
  /** The remaining time to live of a lease, in seconds; undefined when the lease has expired. */
  leaseTtl(id: string): Promise<number | undefined>;
  openWatch(handlers: EtcdWatchHandlers): Promise<EtcdWatchCall>;
  /** A revision that includes every write acknowledged before the call; concurrent callers share one read. */
  currentRevision(): Promise<number>;
  /** The first revision that this process read. The history that clients can watch begins there, as with a watch cache. */
  startRevision(): Promise<number>;
  /** Whether watch progress requests are reliable. Determined once, and again after a failure. */
  supportsProgress(): Promise<boolean>;
  /** The same connection, with its calls counted for a resource (`deployments.apps`). */
  forResource(resource: string): EtcdConnection;
  /** The status of the member that responds. */
  status(): Promise<StatusResponse>;
  /** Size of the database of the member that responds, in bytes. */
  databaseSize(): Promise<number>;
  /** Throws EtcdError when etcd does not serve a linearizable read within `timeout` milliseconds. */
  checkHealth(timeout?: number): Promise<void>;
  close(): Promise<void>;
}

const defaultCallTimeoutMs = 5_000;

function validate({ servers, credentials }: EtcdOptions): void {
  if (servers.length === 0) throw new Error('--etcd-servers must be specified');
  const wrong = servers.find((server) => /^https?:/.test(server) && !URL.canParse(server));
  if (wrong !== undefined) throw new Error(`etcd server ${JSON.stringify(wrong)} is no URL`);
  const secure = servers.filter((server) => server.startsWith('https:')).length;
  if (secure > 0 && secure < servers.length) throw new Error('etcd servers must be all with TLS or all without');
  const { ca, certificate, key } = credentials?.() ?? {};
  if (ca === undefined && (certificate ?? key) !== undefined)
    throw new Error('--etcd-certfile and --etcd-keyfile need --etcd-cafile');
}

/** Opens the connection lazily: nothing is sent before the first call. Throws Error when the options name no server or an unreadable file. */
export function connectEtcd(options: EtcdOptions): EtcdConnection {
  validate(options);
  const callTimeoutMs = options.callTimeoutMs ?? defaultCallTimeoutMs;
  const transport = openTransport(options);
  // Watches have a separate connection, so that a long response to a call does not delay watch events, and a backlog of events does not delay calls.
  const watchTransport = openTransport({ ...options, service: 'Watch' });
  const etcd = new EtcdCalls({ transport, endpoints: options.servers.length, timeout: callTimeoutMs });
  const range: ObjectCalls['range'] = (request) => etcd.range(rangeRequest(request));
  const { readOnly = false } = options;
  const readingTxn: ObjectCalls['txn'] = async (request) => {
    requireReads(request);
    return etcd.txn(request);
  };
  const txn: ObjectCalls['txn'] = readOnly ? readingTxn : (request) => etcd.txn(request);
  const requireWritable = (call: string) => {
    if (readOnly) throw new ReadOnlyError(call);
  };
  const calls: ObjectCalls = { range, txn, readKey: createKeyReader({ range, txn }) };
  const counterOf = (resource: string): EtcdRequestCounter =>
    options.metrics?.etcdRequests?.(resource) ?? (() => undefined);
  const countedForNone = counted(counterOf(''));
  // The key does not exist on purpose: only the header of the response is used.
  const revisionKey = Buffer.from(`${options.prefix}/`);
  const readRevision = async (timeout?: number) => {
    const response = await etcd.range(rangeRequest({ key: revisionKey, keysOnly: true }), timeout);
    return response.header?.revision ?? 0;
  };
  const currentRevision = shareCalls(() => readRevision());

  const connection: EtcdConnection = {
    prefix: options.prefix,
    get seenRevision() {
      return etcd.seenRevision;
    },
    ...countedCalls(calls, countedForNone),
    forResource: (resource) =>
      Object.assign(Object.create(connection) as EtcdConnection, countedCalls(calls, counted(counterOf(resource)))),
    databaseSize: async () => Number((await etcd.status()).dbSize),
    status: () => etcd.status(),
    compact: async (revision) => {
      requireWritable('a compaction');
      await countedForNone('compact', etcd.compact(revision));
    },
    grantLease: async (ttl) => {
      requireWritable('the grant of a lease');
      const { ID, error } = await countedForNone('leaseGrant', etcd.grantLease(ttl));
      if (error !== '') throw new EtcdError(grpcStatus.UNKNOWN, error);
      return ID;
    },
    leaseTtl: async (id) => {
      const { TTL } = await etcd.leaseTimeToLive(id);
      return TTL < 0 ? undefined : TTL;
    },
    openWatch: async ({ onMessage, onEnd }) => {
      // With this metadata a member that is cut off from its cluster ends the watch instead of staying silent.
      const request = { path: WatchService.watch.path, metadata: { hasleader: 'true' }, timeout: callTimeoutMs };
      const stream = await etcd.untilSent(() =>
        watchTransport.stream(request, { onMessage: (message) => onMessage(WatchResponse.decode(message)), onEnd }),
      );
      return { ...stream, write: (message) => stream.write(Buffer.from(WatchRequest.encode(message).finish())) };
    },
    currentRevision,
    supportsProgress: onceSuccessful(async () => supportsWatchProgress((await etcd.status()).version)),
    startRevision: onceSuccessful(currentRevision),
    checkHealth: async (timeout) => {
      await readRevision(timeout);
    },
    close: () => {
      transport.close();
      watchTransport.close();
      return Promise.resolve();
    },
  };
  return connection;
}

/** A call that would change an etcd that was opened read-only. It was not sent. */
class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
  constructor(call: string) {
    super(`etcd is opened read-only: ${call} was not sent`);
  }
}

/** Throws ReadOnlyError unless the transaction only reads, whichever branch etcd takes. */
function requireReads({ success, failure }: TxnRequest): void {
  for (const operation of [...success, ...failure])
    if (operation.requestRange === undefined) throw new ReadOnlyError('a transaction that writes');
}

/** The oldest patch of each minor version whose watch progress responses never overtake events; every later minor version is safe. */
const firstSafePatch: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/**
 * Whether an etcd of this version answers a progress request only after all events before it. The thresholds are those of kube-apiserver's feature
 * check (k8s.io/apiserver/pkg/storage/feature). Versions that cannot be parsed count as unsafe.
 */
export function supportsWatchProgress(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = match.slice(1).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3) return major > 3;
  const threshold = firstSafePatch[`3.${String(minor)}`];
  if (threshold !== undefined) return patch >= threshold;
  return minor > 5;
}

/** Opens the transport for the servers. Sends nothing, and loads no library, before the first call. */
export function openTransport(options: TransportOptions): EtcdTransport {
  const [server, ...others] = options.servers;
  const isInProcess = server !== undefined && others.length === 0 && inProcessEtcd(server) !== undefined;
  return isInProcess ? inProcessTransport(server) : new PooledTransport(options);
}
