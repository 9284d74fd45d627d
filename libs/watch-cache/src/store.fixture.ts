import { openTestStore, type TestStore } from '@apichain/storage/store.fixture';
import type { CacherOptions } from './cacher-options.ts';
import { createStore } from './cacher.ts';

/** Opens a store on the etcd at `url`, with a watch cache unless the options say otherwise. Default: a unique prefix. */
export function testStore(
  url: string,
  { prefix, ...options }: Partial<CacherOptions> & { prefix?: string } = {},
): TestStore {
  return openTestStore(url, (base) => createStore({ ...base, indexFields: ['data.node'], ...options }), prefix);
}
