import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { restoreDataDir, startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { isEmbeddedEtcdDirectory } from '@apichain/embedded-etcd/data-directory';
import { errorMessage } from '@apichain/meta';
import { EtcdApi, type TlsFiles } from '../etcd-api.ts';
import { StartupError } from '@apichain/chain/setup';
import { lockHolder } from '../up/data-directory.ts';
import { findEtcd, isEtcdDirectory, startEtcd } from '../up/etcd.ts';

/** An open source or target that responds. */
export interface Side {
  readonly api: EtcdApi;
  close(): Promise<void>;
}

/** The meaning of a command-line argument that names a source or target. */
export type Place =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'embedded' | 'etcd' | 'new'; readonly directory: string }
  | { readonly kind: 'snapshot'; readonly file: string };

/** Interprets a command-line argument. Throws StartupError when the argument does not name a store, or when a chain is running on it. */
export function placeOf(flag: string, text: string): Place {
  if (/^(https?|unix):\/\//.test(text)) return { kind: 'url', url: text };
  if (/^[a-z]+:\/\//.test(text))
    throw new StartupError(`--${flag}: "${text}" is no address of an etcd: http://, https:// or unix://`);
  const given = resolve(text);
  if (existsSync(given) && statSync(given).isFile()) return { kind: 'snapshot', file: given };
  const isChain = existsSync(join(given, 'pki'));
  const directory = isChain ? storeOfChain(given) : given;
  for (const root of [given, dirname(given)]) {
    const holder = lockHolder(root);
    if (holder !== undefined)
      throw new StartupError(
        `--${flag}: process ${holder} runs a chain on it: stop it first (apichain down --data-dir ${root})`,
      );
  }
  if (isEmbeddedEtcdDirectory(directory)) return { kind: 'embedded', directory };
  if (isEtcdDirectory(directory)) return { kind: 'etcd', directory };
  if (existsSync(directory) && readdirSync(directory).some((name) => name !== 'lock'))
    throw new StartupError(`--${flag}: ${directory} is neither a store nor empty`);
  return { kind: 'new', directory };
}

/** The store of a data directory, selected as `apichain up` does. */
export function storeOfChain(root: string): string {
  const embedded = join(root, 'embedded-etcd');
  const etcd = join(root, 'etcd');
  return isEtcdDirectory(etcd) && !isEmbeddedEtcdDirectory(embedded) ? etcd : embedded;
}

/** Connects to a place. For a directory, starts an etcd on it. Throws StartupError with a one-line message. */
export async function open(place: Exclude<Place, { kind: 'new' }>, tls: TlsFiles): Promise<Side> {
  if (place.kind === 'url') return connected(new EtcdApi(place.url, place.url, tls), async () => undefined);
  if (place.kind === 'snapshot') return openSnapshot(place.file);
  return place.kind === 'embedded' ? openEmbedded(place.directory) : openEtcd(place.directory);
}

/** Opens a snapshot that `etcdctl snapshot save` has taken, of an embedded etcd or a real one. */
async function openSnapshot(file: string): Promise<Side> {
  const parent = mkdtempSync(join(tmpdir(), 'apichain-snapshot-'));
  const remove = () => rmSync(parent, { recursive: true, force: true });
  const dataDir = join(parent, 'data');
  try {
    await restoreDataDir({ snapshot: file, dataDir });
    const side = await openEmbedded(dataDir, file);
    return { api: side.api, close: () => side.close().finally(remove) };
  } catch (error) {
    remove();
    throw error instanceof StartupError ? error : new StartupError(errorMessage(error));
  }
}

/** Starts an embedded etcd on a directory. Messages refer to it as `name`. */
export async function openEmbedded(directory: string, name = directory): Promise<Side> {
  try {
    const etcd = await startEmbeddedEtcd({ dataDir: directory });
    return await connected(new EtcdApi(name, etcd.url), () => etcd.close());
  } catch (error) {
    throw error instanceof StartupError ? error : new StartupError(errorMessage(error));
  }
}

async function openEtcd(directory: string): Promise<Side> {
  const command = findEtcd(`${directory} holds the data of a real one:`);
  const logs = mkdtempSync(join(tmpdir(), 'apichain-migrate-'));
  const { process, url } = await startEtcd({ etcd: directory, logs }, command, () => undefined);
  return connected(new EtcdApi(directory, url), async () => {
    await process.stop(10_000);
    rmSync(logs, { recursive: true, force: true });
  });
}

/** Sends one request, so that an etcd that does not respond is detected immediately. */
async function connected(api: EtcdApi, close: () => Promise<void>): Promise<Side> {
  const side = {
    api,
    close: async () => {
      await api.close();
      await close();
    },
  };
  try {
    await api.status();
    return side;
  } catch (error) {
    await side.close();
    throw error;
  }
}
