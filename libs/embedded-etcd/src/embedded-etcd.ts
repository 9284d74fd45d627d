import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type ListenOptions } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { announce } from '@apichain/etcd-api';
import { errorMessage } from '@apichain/meta';
import { makeDirectory } from '@apichain/meta/make-directory';
import { directCalls } from './direct-calls.ts';
import { Engine } from './engine/engine.ts';
import { loadInto } from './engine/load.ts';
import { loadContents, restoreContents, takeContents, type StoreContents } from './engine/contents.ts';
import type { ServerContext } from './grpc/context.ts';
import { listenFor, type GrpcServer, type Listener } from './grpc/listener.ts';
import { Lessor } from './lease/lessor.ts';
import { memoryLog } from './log/commit-log.ts';
import { syncDirectory } from './log/files.ts';
import { FileLog } from './log/file-log.ts';
import { lockDirectory } from './log/lock.ts';
import { recover, newIdentity } from './log/recover.ts';
import { FormerValues } from './mvcc/former-values.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';
import { WatchHub } from './watch/watch-hub.ts';

/** Options of `startEmbeddedEtcd`. */
export interface EmbeddedEtcdOptions {
  /** The directory of the data; created if it does not exist. Required unless `memory` is true. */
  readonly dataDir?: string;
  /** Keeps all data in memory and nothing on disk. */
  readonly memory?: boolean;
  /** With `memory`: the contents to begin with, e.g. of `readBackup`. Their revisions continue, and the history before them is compacted. */
  readonly contents?: StoreContents;
  /** Whether leases expire. False for a store that only shows its contents. Default: true. */
  readonly expireLeases?: boolean;
  /**
   * Where the server listens: a host and port (port 0: any free port) or a Unix socket. Default: a Unix socket in a temporary directory that only
   * this user can access. There is no authentication: every client that can connect has full access.
   */
  readonly listen?: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  /**
   * Lets clients in this process that connect to the URL (libs/etcd-client) access the store without a connection. The gRPC library is then loaded only
   * when another client connects.
   */
  readonly inProcess?: boolean;
  /**
   * The limit on the size of the database, in bytes, as etcd's --quota-backend-bytes: beyond it the alarm NOSPACE is raised and nothing is added.
   * Default: 2 GiB, as in etcd.
   */
  readonly quotaBytes?: number;
  /**
   * The approximate limit on the memory of former versions, in bytes. With a data directory, older values are read from disk. With `memory`, the history
   * is compacted to half of the limit. Default: 64 MiB.
   */
  readonly historyBytes?: number;
  /** The maximum size of a write request, in bytes. Default: 1.5 MiB, as in etcd. */
  readonly maxRequestBytes?: number;
  /** How often a watch without events gets a progress notification, if it requested them, in milliseconds. Default: ten minutes, as in etcd. */
  readonly progressInterval?: number;
  /** The log size at which a checkpoint replaces the log, in bytes; if the last checkpoint is larger, its size. Default: 64 MiB. */
  readonly checkpointBytes?: number;
  /**
   * Called with a one-line message when the disk accepts no more writes; writes are rejected from then on. Called with undefined when the disk
   * accepts writes again, which needs no restart.
   */
  readonly onProblem?: (problem: string | undefined) => void;
}

/** A change of one key. */
export interface StoreChange {
  readonly key: string;
  readonly revision: number;
}

/** A running store. */
export interface EmbeddedEtcd {
  /** For `--etcd-servers` and etcdctl's `--endpoints`: `http://host:port` or `unix:///path`. */
  readonly url: string;
  /** The revision of the latest durable change. */
  readonly revision: number;
  /** The durable changes after a revision, oldest first, as far as they have not been compacted. */
  changesSince(revision: number): Iterable<StoreChange>;
  /** The current contents, as an argument for `restore`. Costs one pass over the keys; values are shared, not copied. */
  snapshot(): StoreContents;
  /**
   * Restores the contents of a snapshot in one new revision that contains only the differences: revisions never decrease, and watches get ordinary
   * events. Returns the resulting revision.
   */
  restore(contents: StoreContents): Promise<number>;
  /** Ages every lease as if this many milliseconds had passed; a negative number makes leases younger. Resolves when expired leases are deleted. */
  ageLeases(milliseconds: number): Promise<void>;
  /** Ends every call, writes pending data, and releases the data directory. */
  close(): Promise<void>;
}

const defaults = {
  quotaBytes: 2 * 2 ** 30,
  historyBytes: 64 * 2 ** 20,
  maxRequestBytes: 1.5 * 2 ** 20,
  progressInterval: 10 * 60_000,
  checkpointBytes: 64 * 2 ** 20,
};

async function openEngine(options: EmbeddedEtcdOptions): Promise<{ engine: Engine; release: () => void }> {
  const lessor = new Lessor();
  const quotaBytes = options.quotaBytes ?? defaults.quotaBytes;
  const { dataDir: directory, contents, expireLeases = true } = options;
  const historyBytes = options.historyBytes ?? defaults.historyBytes;
  if (options.memory === true) {
    const store = new MvccStore({ bytes: historyBytes });
    if (contents !== undefined) loadContents(store, lessor, contents);
    const openLog = () => Promise.resolve(memoryLog());
    const engine = await Engine.open({ identity: newIdentity(), store, lessor, openLog, quotaBytes, expireLeases });
    return { engine, release: () => undefined };
  }
  if (contents !== undefined) throw new Error('embedded etcd: contents are possible only with memory');
  if (directory === undefined) throw new Error('embedded etcd: dataDir is required unless memory is true');
  makeDirectory(directory, 0o700);
  await syncDirectory(dirname(directory));
  const lock = lockDirectory(directory);
  const store = new MvccStore({ bytes: historyBytes, values: new FormerValues(directory) });
  try {
    const alarms = new Set<string>();
    const position = await recover(directory, loadInto(store, lessor, alarms));
    const identity = position.identity ?? newIdentity();
    const checkpointBytes = options.checkpointBytes ?? defaults.checkpointBytes;
    const { onProblem = () => undefined } = options;
    const engine = await Engine.open({
      identity,
      store,
      lessor,
      openLog: (view) => FileLog.open({ directory, identity, position, view, checkpointBytes, onProblem }),
      quotaBytes,
      alarms,
      expireLeases,
    });
    return { engine, release: lock.release };
  } catch (error) {
    store.close();
    lock.release();
    throw error;
  }
}

const isInUse = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });

interface Address {
  readonly where: ListenOptions;
  readonly url: (port: number) => string;
  readonly cleanUp: () => Promise<void>;
}

async function addressOf(listen: EmbeddedEtcdOptions['listen']): Promise<Address> {
  if (listen !== undefined && 'port' in listen) {
    const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
    return {
      where: { host: listen.host, port: listen.port },
      url: (port) => `http://${host}:${String(port)}`,
      cleanUp: () => Promise.resolve(),
    };
  }
  const directory = listen === undefined ? await mkdtemp(join(tmpdir(), 'apichain-etcd-')) : undefined;
  const path = listen?.socketPath ?? join(directory ?? tmpdir(), 'etcd.sock');
  if (await isInUse(path)) throw new Error(`embedded etcd: ${path} is in use`);
  // Removes the socket of a process that was killed.
  await rm(path, { force: true });
  return {
    where: { path },
    url: () => `unix://${path}`,
    cleanUp: async () => {
      await rm(directory ?? path, { recursive: true, force: true });
    },
  };
}

/** The gRPC server, created on first use. */
class GrpcEntrance {
  readonly #context: ServerContext;
  #server: Promise<GrpcServer> | undefined;
  #closed = false;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  readonly server = (): Promise<GrpcServer> => (this.#server ??= this.#load());

  async #load(): Promise<GrpcServer> {
    const { openGrpcServer } = await import('./grpc/server.ts');
    const server = openGrpcServer(this.#context);
    if (this.#closed) server.shutdown();
    return server;
  }

  async close(): Promise<void> {
    this.#closed = true;
    (await this.#server)?.shutdown();
  }
}

async function listen(entrance: GrpcEntrance, { where, url }: Address): Promise<Listener> {
  try {
    return await listenFor(entrance.server, where);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`embedded etcd: cannot listen on ${url(where.port ?? 0)}: ${reason}`);
  }
}

function* changesSince({ store, revision: durable }: Engine, after: number): Generator<StoreChange> {
  const { events } = store;
  for (let at = events.position(after + 1); at < events.all.length; at++) {
    const event = events.all[at];
    if (event === undefined || event.kv.modRevision > durable) return;
    yield { key: event.key, revision: event.kv.modRevision };
  }
}

/**
 * Starts an etcd in this process: its v3 API over gRPC (https://etcd.io/docs/v3.5/learning/api/), as a cluster of one member without authentication.
 * A write is acknowledged when it is durable. Throws Error with a one-line message when the data directory is in use or damaged, or when the address
 * is not available.
 */
export async function startEmbeddedEtcd(options: EmbeddedEtcdOptions): Promise<EmbeddedEtcd> {
  const { engine, release } = await openEngine(options);
  const hub = new WatchHub(engine, options.progressInterval ?? defaults.progressInterval);
  const maxRequestBytes = options.maxRequestBytes ?? defaults.maxRequestBytes;
  const context: ServerContext = { engine, hub, maxRequestBytes, url: '' };
  const closeEngine = async () => {
    hub.close();
    try {
      await engine.close();
    } finally {
      release();
    }
  };
  const entrance = new GrpcEntrance(context);
  let address: Address;
  let listener: Listener;
  try {
    if (options.inProcess !== true) await entrance.server();
    address = await addressOf(options.listen);
    listener = await listen(entrance, address);
    context.url = address.url(listener.port);
  } catch (error) {
    await closeEngine();
    throw error;
  }
  const direct = options.inProcess === true ? directCalls(context) : undefined;
  const withdraw = direct === undefined ? () => undefined : announce(context.url, direct);
  let closing: Promise<void> | undefined;
  const close = async () => {
    withdraw();
    direct?.end();
    listener.close();
    await entrance.close();
    try {
      await closeEngine();
    } finally {
      await address.cleanUp();
    }
  };
  return {
    url: context.url,
    get revision() {
      return engine.revision;
    },
    changesSince: (revision) => changesSince(engine, revision),
    snapshot: () => takeContents(engine),
    restore: (contents) => restoreContents(engine, contents),
    ageLeases: (milliseconds) => engine.ageLeases(milliseconds),
    close: () => (closing ??= close()),
  };
}
