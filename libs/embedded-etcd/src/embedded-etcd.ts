import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type ListenOptions } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { makeDirectory } from '@apichain/meta/make-directory';
import { directCalls } from './direct-calls.ts';
import { Engine } from './engine/engine.ts';
import { newIdentity } from './engine/identity.ts';
import { loadInto } from './engine/load.ts';
import { restoreContents, takeContents, type StoreContents } from './engine/contents.ts';
import type { ServerContext } from './grpc/context.ts';
import { listenFor, type GrpcServer, type Listener } from './grpc/listener.ts';
import { announce } from './in-process.ts';
import { Lessor } from './lease/lessor.ts';
import { memoryLog } from './log/commit-log.ts';
import { syncDirectory } from './log/files.ts';
import { FileLog } from './log/file-log.ts';
import { lockDirectory } from './log/lock.ts';
import { recover } from './log/recover.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';
import { WatchHub } from './watch/watch-hub.ts';

/** Options of `startEmbeddedEtcd`. */
export interface EmbeddedEtcdOptions {
  /** Where the data is kept; made if it does not exist. Required unless `memory` is true. */
  readonly dataDir?: string;
  /** Keeps nothing on disk. */
  readonly memory?: boolean;
  /**
   * Where clients connect: a port of an address (port 0: any free one) or a Unix socket. Default: a Unix socket that only this user can reach, in
   * a temporary directory. There is no authentication: whoever can connect can do everything.
   */
  readonly listen?: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  /**
   * What connects to the URL from this process (libs/storage) reaches the store without a connection. The gRPC library is then loaded when the
   * first other client comes.
   */
  readonly inProcess?: boolean;
  /** About how much all versions together may take in memory, in bytes, before writes are refused. Default 2 GiB, as etcd's. */
  readonly quotaBytes?: number;
  /** The largest request that writes, in bytes. Default 1.5 MiB, as etcd's. */
  readonly maxRequestBytes?: number;
  /** How often a silent watch that asked for progress is told, in milliseconds. Default ten minutes, as etcd's. */
  readonly progressInterval?: number;
  /** How large the log may grow, in bytes, before a checkpoint replaces it (or the size of the last checkpoint, if that is more). Default 64 MiB. */
  readonly checkpointBytes?: number;
  /**
   * Told in one line when the disk takes no more writes, which are refused from then on, and undefined when it takes them again, which happens by
   * itself.
   */
  readonly onProblem?: (problem: string | undefined) => void;
}

/** A running store. */
export interface EmbeddedEtcd {
  /** For `--etcd-servers` and etcdctl's `--endpoints`: `http://host:port` or `unix:///path`. */
  readonly url: string;
  /** The revision of the latest durable change. */
  readonly revision: number;
  /** The present contents, to come back to with `restore`. Costs one pass over the keys and shares their values. */
  snapshot(): StoreContents;
  /**
   * Makes the contents those of a snapshot again, in one new revision that holds only what differs: revisions never go back, and watches see
   * it as ordinary events. Returns the revision after it.
   */
  restore(contents: StoreContents): Promise<number>;
  /** As if this many milliseconds had passed for every lease; negative: as if it had been granted later. Resolves when the expired are gone. */
  ageLeases(milliseconds: number): Promise<void>;
  /** Ends every call, writes what is pending, and gives the data directory free. */
  close(): Promise<void>;
}

const defaults = {
  quotaBytes: 2 * 2 ** 30,
  maxRequestBytes: 1.5 * 2 ** 20,
  progressInterval: 10 * 60_000,
  checkpointBytes: 64 * 2 ** 20,
};

async function openEngine(options: EmbeddedEtcdOptions): Promise<{ engine: Engine; release: () => void }> {
  const store = new MvccStore();
  const lessor = new Lessor();
  const quotaBytes = options.quotaBytes ?? defaults.quotaBytes;
  const { dataDir: directory } = options;
  if (options.memory === true) {
    const openLog = () => Promise.resolve(memoryLog());
    const engine = await Engine.open({ identity: newIdentity(), store, lessor, openLog, quotaBytes });
    return { engine, release: () => undefined };
  }
  if (directory === undefined) throw new Error('embedded etcd: dataDir is required unless memory is true');
  makeDirectory(directory, 0o700);
  await syncDirectory(dirname(directory));
  const lock = lockDirectory(directory);
  try {
    const position = await recover(directory, loadInto(store, lessor));
    const identity = position.identity ?? newIdentity();
    const checkpointBytes = options.checkpointBytes ?? defaults.checkpointBytes;
    const { onProblem = () => undefined } = options;
    const engine = await Engine.open({
      identity,
      store,
      lessor,
      openLog: (view) => FileLog.open({ directory, identity, position, view, checkpointBytes, onProblem }),
      quotaBytes,
    });
    return { engine, release: lock.release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const isAnswered = (socketPath: string): Promise<boolean> =>
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
  if (await isAnswered(path)) throw new Error(`embedded etcd: ${path} is in use`);
  // What a killed process left behind.
  await rm(path, { force: true });
  return {
    where: { path },
    url: () => `unix://${path}`,
    cleanUp: async () => {
      await rm(directory ?? path, { recursive: true, force: true });
    },
  };
}

/** The gRPC server, made when it is first asked for. */
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

/**
 * Starts an etcd in this process: its v3 API over gRPC (https://etcd.io/docs/v3.5/learning/api/), a cluster of one member without
 * authentication. A write is answered when it is on disk. Throws Error in one line when the data directory is in use or damaged, or
 * when the address cannot be had.
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
    snapshot: () => takeContents(engine),
    restore: (contents) => restoreContents(engine, contents),
    ageLeases: (milliseconds) => engine.ageLeases(milliseconds),
    close: () => (closing ??= close()),
  };
}
