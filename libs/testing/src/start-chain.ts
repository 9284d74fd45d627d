import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateFlags, ensurePki, startInProcessChain, type InProcessChain } from '@apichain/apichain';
import { createLogger } from '@apichain/apiserver';
import { RestClient } from '@apichain/client';
import { startEmbeddedEtcd, type EmbeddedEtcd, type StoreContents } from '@apichain/embedded-etcd';
import { applyObjects, followCrds, listCrds } from './apply.ts';
import { Faults } from './faults.ts';
import { readManifests, type Manifest } from './manifests.ts';
import { RecordedRequests, type RecordedRequest } from './recorded-requests.ts';
import { beginningOf, restoreSnapshot, takeSnapshot, type ChainSnapshot } from './snapshots.ts';
import { Users, type ClientConfig, type TestUser, type UserOptions } from './users.ts';

export interface StartChainOptions {
  /** CustomResourceDefinitions; when the chain has started they are established and served. */
  readonly crds?: readonly Manifest[];
  /** Whatever else should be there from the start, applied in order. */
  readonly manifests?: readonly Manifest[];
  /** Made at the start, found in `chain.users` by name. */
  readonly users?: readonly UserOptions[];
  /** Further flags of kube-apiserver: `--runtime-config=api/all=true`. */
  readonly flags?: readonly string[];
  /** Gets every line that the servers log, as JSON. Default: nobody. */
  readonly log?: (line: string) => void;
}

/** A Kubernetes API of its own: a port, a store in memory, a certificate authority. */
export interface TestChain extends AsyncDisposable {
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** Of the administrator, as text and as a file. */
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  readonly adminConfig: ClientConfig;
  readonly admin: TestUser;
  readonly users: Readonly<Record<string, TestUser>>;
  /** Makes a user with a client certificate. */
  addUser(user: UserOptions): Promise<TestUser>;
  /** Creates or updates objects and waits for CustomResourceDefinitions among them. */
  apply(...manifests: readonly Manifest[]): Promise<void>;
  /** What is stored now. */
  snapshot(): ChainSnapshot;
  /**
   * Puts back what was stored, in milliseconds. resourceVersions go on: clients that watch see the difference as ordinary events. Resolves
   * when the resources of CRDs that came or went are served accordingly.
   */
  restore(snapshot: ChainSnapshot): Promise<void>;
  readonly faults: Faults;
  /** What clients asked for, oldest first. */
  readonly requests: readonly RecordedRequest[];
  clearRequests(): void;
  /** Ends everything that was started; nothing is left of it. May be called twice. */
  stop(): Promise<void>;
}

/** By flags: what a chain begins with that another one of this process has already made. */
const beginnings = new Map<string, StoreContents>();

/**
 * Starts a chain for a test. Any number may run in one process. Throws Error when an option makes no sense, a manifest cannot be read or is
 * refused; nothing is left running then.
 */
export async function startChain(options: StartChainOptions = {}): Promise<TestChain> {
  const objects = [...readManifests(options.crds ?? []), ...readManifests(options.manifests ?? [])];
  const running = new RunningTestChain();
  try {
    await running.start(options);
    await running.applyObjects(objects);
    for (const user of options.users ?? []) await running.addUser(user);
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}

class RunningTestChain implements TestChain {
  readonly faults = new Faults();
  readonly users: Record<string, TestUser> = {};
  readonly #requests = new RecordedRequests();
  readonly #directory = mkdtempSync(join(tmpdir(), 'apichain-test-'));
  #etcd: EmbeddedEtcd | undefined;
  #chain: InProcessChain | undefined;
  #client: RestClient | undefined;
  #people: Users | undefined;
  #admin: TestUser | undefined;
  #stopped: Promise<void> | undefined;

  async start(options: StartChainOptions): Promise<void> {
    const key = JSON.stringify(options.flags ?? []);
    const beginning = beginnings.get(key);
    const pki = join(this.#directory, 'pki');
    const [etcd] = await Promise.all([
      this.#startEtcd(beginning),
      ensurePki({ directory: pki, hosts: [], services: ['aggregator'] }),
    ]);
    const failure = Promise.withResolvers<never>();
    const write = options.log ?? (() => undefined);
    this.#chain = await startInProcessChain({
      flags: [
        `--etcd-servers=${etcd.url}`,
        '--bind-address=127.0.0.1',
        '--secure-port=0',
        ...certificateFlags(pki),
        ...(options.flags ?? []),
      ],
      logger: (service) => createLogger(service, 0, { write }),
      onFatal: (error) => failure.reject(error),
      filters: [this.#requests.filter, this.faults.filter],
    });
    await Promise.race([this.#chain.ready(), failure.promise]);
    this.#client = new RestClient(this.#chain.connect('apichain-testing'));
    this.#people = new Users(this.url, this.#directory);
    this.#admin = this.#people.admin();
    if (beginning === undefined) beginnings.set(key, beginningOf(etcd));
  }

  async #startEtcd(beginning: StoreContents | undefined): Promise<EmbeddedEtcd> {
    const etcd = await startEmbeddedEtcd({ memory: true });
    this.#etcd = etcd;
    if (beginning !== undefined) await etcd.restore(beginning);
    return etcd;
  }

  get url(): string {
    return `https://127.0.0.1:${there(this.#chain).port}`;
  }

  get admin(): TestUser {
    return there(this.#admin);
  }

  get kubeconfig(): string {
    return this.admin.kubeconfig;
  }

  get kubeconfigFile(): string {
    return this.admin.kubeconfigFile;
  }

  get adminConfig(): ClientConfig {
    return this.admin.config;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests.list;
  }

  clearRequests(): void {
    this.#requests.list.length = 0;
  }

  async addUser(options: UserOptions): Promise<TestUser> {
    const user = await there(this.#people).add(options);
    this.users[user.name] = user;
    return user;
  }

  async apply(...manifests: readonly Manifest[]): Promise<void> {
    await this.applyObjects(readManifests(manifests));
  }

  applyObjects(objects: Parameters<typeof applyObjects>[1]): Promise<void> {
    return applyObjects(there(this.#client), objects);
  }

  snapshot(): ChainSnapshot {
    return takeSnapshot(there(this.#etcd));
  }

  async restore(snapshot: ChainSnapshot): Promise<void> {
    const client = there(this.#client);
    const before = await listCrds(client);
    await restoreSnapshot(there(this.#etcd), snapshot);
    await followCrds(client, before);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.faults.clear();
    await this.#client?.close();
    await this.#chain?.stop();
    await this.#etcd?.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Throws Error for what a chain that has not started, or not completely, does not have. */
function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the chain has not been started');
  return part;
}
