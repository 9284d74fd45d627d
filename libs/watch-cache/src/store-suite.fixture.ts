import { etcdBinaries, startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import type { KubeObject } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';
import { configMap, listOptions, type TestStore } from '@apichain/storage/store.fixture';
import type { CacherOptions } from './cacher-options.ts';
import { testStore } from './store.fixture.ts';

/** The store of the running test, and the operations of tests on it. */
class SuiteStore {
  #etcd: TestEtcd | undefined;
  #store: TestStore | undefined;

  async start(binary: string): Promise<void> {
    this.#etcd = await startTestEtcd(binary);
  }
  async stop(): Promise<void> {
    await this.#etcd?.close();
  }
  /** Replaces the store with an empty one. */
  async reopen(options: Partial<CacherOptions> = {}): Promise<void> {
    await this.close();
    this.#store = testStore(this.url, options);
    await this.connection.startRevision();
  }
  async close(): Promise<void> {
    await this.#store?.close();
    this.#store = undefined;
  }

  get url(): string {
    if (this.#etcd === undefined) throw new Error('no etcd was started');
    return this.#etcd.url;
  }
  get #opened(): TestStore {
    if (this.#store === undefined) throw new Error('no store is open');
    return this.#store;
  }
  get connection(): TestStore['connection'] {
    return this.#opened.connection;
  }
  get storage(): TestStore['storage'] {
    return this.#opened.storage;
  }
  get root(): string {
    return this.#opened.root;
  }
  get directory(): string {
    return this.#opened.directory;
  }
  key(name: string): string {
    return this.#opened.key(name);
  }

  async names(options: Parameters<typeof listOptions>[0] = {}): Promise<string[]> {
    const { items } = await this.storage.list(this.directory, listOptions(options));
    return items.map(({ attributes }) => attributes.name);
  }
  create(...names: string[]): Promise<StoredObject[]> {
    return Promise.all(names.map((name) => this.storage.create(this.key(name), configMap(name))));
  }
  /** Creates or replaces an object. */
  put(name: string, data: Record<string, string>, labels?: Record<string, string>): Promise<StoredObject> {
    const tryUpdate = (): { object: KubeObject } => ({ object: configMap(name, data, labels) });
    return this.storage.guaranteedUpdate(this.key(name), { ignoreNotFound: true, tryUpdate });
  }
}

/** Defines a suite for each available etcd. Every test starts with an empty store. */
export function onEveryEtcd(title: string, define: (store: SuiteStore) => void): void {
  for (const [name, binary] of Object.entries(etcdBinaries())) {
    describe(`${title} on ${name}`, () => {
      const store = new SuiteStore();
      before(() => store.start(binary));
      after(() => store.stop());
      beforeEach(() => store.reopen());
      afterEach(() => store.close());
      define(store);
    });
  }
}
