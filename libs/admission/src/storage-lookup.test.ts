import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { KeyNotFoundError, type ReadableStorage, type StoredObject, type WatchEvent } from '@apichain/storage';
import { StorageLookup } from './storage-lookup.ts';

const accounts = { group: '', resource: 'serviceaccounts' };
const prefix = '/serviceaccounts';

/** A store of accounts. What is created in it is announced to its watches. */
function startStore() {
  const stored = new Map<string, StoredObject>();
  const announced: ((events: readonly WatchEvent[] | undefined) => void)[] = [];
  const watched = Promise.withResolvers<void>();
  const storage: Pick<ReadableStorage, 'get' | 'list' | 'watch'> = {
    get: (key) => {
      const found = stored.get(key);
      return found === undefined ? Promise.reject(new KeyNotFoundError(key)) : Promise.resolve(found);
    },
    list: () => assert.fail(),
    watch: (_directory, { predicate, signal }) => {
      const next = () =>
        new Promise<readonly WatchEvent[] | undefined>((resolve) => {
          announced.push((events) => {
            const selected = events?.filter(
              ({ object }) => object !== undefined && predicate.matches(object.attributes),
            );
            if (selected?.length !== 0) resolve(selected);
          });
          signal.addEventListener('abort', () => resolve(undefined));
          watched.resolve();
        });
      return Promise.resolve({ next, stop: () => undefined });
    },
  };
  const create = (name: string, note = '') => {
    const metadata = { name, namespace: 'ns', annotations: { note } };
    const object: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
    const attributes = { name, namespace: 'ns', labels: {}, fields: {} };
    const json = Buffer.from(JSON.stringify(object));
    const key = `${prefix}/ns/${name}`;
    const entry: StoredObject = { key, revision: 2, json, attributes, shapes: new Map(), parse: () => object };
    stored.set(key, entry);
    for (const announce of announced) announce([{ type: 'ADDED', object: entry, revision: 2, frames: new Map() }]);
  };
  const lookup = new StorageLookup(() => ({ storage, prefix }));
  return { create, watched: watched.promise, lookup };
}

describe('a lookup of an object that may not exist yet', () => {
  it('finds one that exists', async () => {
    const { create, lookup } = startStore();
    create('default');
    const found = await lookup.created(accounts, 'ns', 'default', AbortSignal.abort());
    assert.equal(found?.metadata.name, 'default');
  });

  it('ends when the object is created', async () => {
    const { create, watched, lookup } = startStore();
    const found = lookup.created(accounts, 'ns', 'default', new AbortController().signal);
    await watched;
    create('other');
    create('default');
    assert.equal((await found)?.metadata.name, 'default');
  });

  it('ends without an object when the signal aborts', async () => {
    const { watched, lookup } = startStore();
    const stop = new AbortController();
    const found = lookup.created(accounts, 'ns', 'default', stop.signal);
    await watched;
    stop.abort();
    assert.equal(await found, undefined);
  });
});

describe('a lookup of stored objects', () => {
  it('keeps small objects that it has parsed, and no large ones', async () => {
    const { create, lookup } = startStore();
    create('small');
    create('large', 'x'.repeat(1_000_000));
    const twice = async (name: string) => [
      await lookup.get(accounts, 'ns', name),
      await lookup.get(accounts, 'ns', name),
    ];
    const [small, smallAgain] = await twice('small');
    assert.equal(small?.metadata.name, 'small');
    assert.equal(small, smallAgain);
    const [large, largeAgain] = await twice('large');
    assert.deepEqual(large, largeAgain);
    assert.notEqual(large, largeAgain);
  });
});
