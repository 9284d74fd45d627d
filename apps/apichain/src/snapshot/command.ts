import { existsSync, readFileSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BackupError, readBackup, restoreDataDir, writeSnapshot, type StoreContents } from '@apichain/embedded-etcd';
import { isEmbeddedEtcdDirectory } from '@apichain/embedded-etcd/data-directory';
import { StartupError } from '@apichain/chain/setup';
import { humanDuration } from '@apichain/go-text';
import { isDNS1123Subdomain, makeDirectory } from '@apichain/meta';
import type { CommandArguments } from '../commands/command.ts';
import { EtcdApi, type StoredKey } from '../etcd-api.ts';
import { directoryOf } from '../lifecycle/chain-directory.ts';
import { isChainDirectory } from '../lifecycle/chain-state.ts';
import { bytesText } from '../lifecycle/units.ts';
import { withProgress } from '../terminal/progress.ts';
import { storeOfChain } from '../migrate/side.ts';
import { isEtcdDirectory } from '../up/etcd.ts';
import { lockStoppedChain, lockHolder } from '../up/data-directory.ts';
import { warn } from '../up/say.ts';

const ending = '.db';

/** `apichain snapshot save|restore|list [SNAPSHOT]`. Throws StartupError with one line when that is not possible. */
export async function snapshotCommand(args: CommandArguments): Promise<void> {
  const root = directoryOf(args);
  const [action, name] = args.arguments;
  if (!isChainDirectory(root)) throw new StartupError(`${root} holds no chain: start one with apichain up`);
  if (action === 'list') list(root);
  else if (action === 'save') await save(root, name ?? defaultName());
  else if (action === 'restore' && name !== undefined) await restore(root, name);
  else if (action === 'restore') throw new StartupError('restore needs the name or the file of a snapshot');
  else throw new StartupError('say what to do: save, restore or list (see apichain snapshot --help)');
}

const folderOf = (root: string): string => join(root, 'snapshots');

/** The time, to the second, as part of a file name. */
const defaultName = (): string => new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');

/** The file of a snapshot: the path itself, if it is one, or the file of that name among the snapshots of the chain. */
function fileOf(root: string, name: string): string {
  if (name.includes('/') || name.endsWith(ending)) return name;
  if (isDNS1123Subdomain(name).length > 0)
    throw new StartupError(`"${name}" is not a name of lower case letters, digits, dashes and dots`);
  return join(folderOf(root), name + ending);
}

/**
 * The contents of the store of a chain: what a running embedded store returns, else the files. The files of a directory may be those of an earlier
 * chain, while the one that runs has its store in memory.
 */
async function contentsOf(root: string): Promise<StoreContents & { readonly missing?: string | undefined }> {
  const url = join(root, 'store-url');
  const socket = lockHolder(root) !== undefined && existsSync(url) ? readFileSync(url, 'utf8').trim() : '';
  if (socket.startsWith('unix:')) return contentsOfRunning(socket);
  const store = storeOfChain(root);
  if (isEmbeddedEtcdDirectory(store) || isEtcdDirectory(store)) return reading(readBackup(store));
  throw new StartupError(
    `${root} holds no store: that of a chain with --memory is saved while it runs, that of --etcd-servers with etcdctl snapshot save`,
  );
}

async function contentsOfRunning(socket: string): Promise<StoreContents> {
  const api = new EtcdApi(socket, socket, {}, { readOnly: true });
  try {
    const { revision } = await api.status();
    const keys = new Map<string, StoredKey>();
    for await (const stored of api.keys('', revision)) keys.set(stored.key.toString('latin1'), stored);
    const leases: { id: string; ttl: number }[] = [];
    for (const id of new Set([...keys.values()].map(({ lease }) => lease))) {
      const ttl = id === '0' ? undefined : await api.leaseTtl(id);
      if (ttl !== undefined) leases.push({ id, ttl });
    }
    const kept = new Set(['0', ...leases.map(({ id }) => id)]);
    // A lease that has expired meanwhile takes its keys along.
    return { revision, keys: new Map([...keys].filter(([, { lease }]) => kept.has(lease))), leases };
  } finally {
    await api.close();
  }
}

async function save(root: string, name: string): Promise<void> {
  const file = fileOf(root, name);
  if (existsSync(file)) throw new StartupError(`${file} exists`);
  const { missing, revision, keys, leases } = await withProgress(() => 'reading the store', contentsOf(root));
  if (missing !== undefined) warn(missing);
  makeDirectory(folderOf(root), 0o700);
  await withProgress(() => 'writing the snapshot', writeSnapshot(file, { revision, keys, leases }));
  console.log(`saved ${keys.size} keys at revision ${revision} in ${file} (${bytesText(statSync(file).size)})`);
}

async function restore(root: string, name: string): Promise<void> {
  const release = lockStoppedChain(root);
  try {
    await restoreLocked(root, name);
  } finally {
    release();
  }
}

async function restoreLocked(root: string, name: string): Promise<void> {
  const file = fileOf(root, name);
  if (!existsSync(file)) throw new StartupError(`${file} does not exist (see apichain snapshot list)`);
  const store = join(root, 'embedded-etcd');
  if (!isEmbeddedEtcdDirectory(store) && isEtcdDirectory(join(root, 'etcd')))
    throw new StartupError(`${root} holds the data of a real etcd: restore it with etcdutl snapshot restore`);
  const restored = `${store}.restored`;
  if (existsSync(restored)) throw new StartupError(`${restored} exists: an earlier restore was interrupted; remove it`);
  // The present store stays until the restored one is complete.
  await withProgress(() => 'restoring', reading(restoreDataDir({ snapshot: file, dataDir: restored })));
  const former = `${store}.before-${defaultName()}`;
  const isReplaced = existsSync(store);
  if (isReplaced) renameSync(store, former);
  renameSync(restored, store);
  console.log(`restored ${file}${isReplaced ? `; the former store is ${former}` : ''}`);
}

function list(root: string): void {
  const folder = folderOf(root);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)) : [];
  if (files.length === 0) console.log(`no snapshots in ${folder}`);
  for (const name of files.sort()) {
    const { size, mtimeMs } = statSync(join(folder, name));
    const age = humanDuration(Date.now() - mtimeMs);
    console.log(`${name.slice(0, -ending.length).padEnd(24)}  ${bytesText(size).padStart(8)}  ${age} ago`);
  }
}

async function reading<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BackupError) throw new StartupError(error.message);
    throw error;
  }
}
