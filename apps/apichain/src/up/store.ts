import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEmbeddedEtcdDirectory } from '@apichain/embedded-etcd/data-directory';
import { compileCacheEnvironment, StartupError, writeWholeFile } from '@apichain/chain/setup';
import type { DataDirectory } from './data-directory.ts';
import { findEtcd, isEtcdDirectory, startEtcd } from './etcd.ts';
import type { UpOptions } from './options.ts';
import { programOf } from './program.ts';
import { storeProbe } from './store-probe.ts';
import { SupervisedProcess } from './supervisor.ts';

/** The kind of store of a chain that runs without `--etcd-servers`. */
type StoreKind = 'embedded' | 'etcd';

/** A store in a separate process. */
interface StoreProcess {
  readonly process: SupervisedProcess;
  /** The value for `--etcd-servers`. */
  readonly url: string;
}

/** Selects the embedded store, unless etcd is requested or the directory contains only the data of a real etcd. */
export function storeKindOf(
  directory: Pick<DataDirectory, 'etcd' | 'embeddedEtcd'>,
  options: Pick<UpOptions, 'embeddedEtcd' | 'memory'>,
): StoreKind {
  if (options.memory) return 'embedded';
  if (options.embeddedEtcd !== undefined) return options.embeddedEtcd ? 'embedded' : 'etcd';
  return isEtcdDirectory(directory.etcd) && !isEmbeddedEtcdDirectory(directory.embeddedEtcd) ? 'etcd' : 'embedded';
}

/**
 * Starts the etcd found on the PATH on the data directory. Throws StartupError when etcd does not start or is not found. In the second case
 * the message depends on why a real etcd is needed.
 */
export function startEtcdOf(directory: DataDirectory, onRestart: (text: string) => void): Promise<StoreProcess> {
  const why = isEtcdDirectory(directory.etcd)
    ? `${directory.etcd} holds the data of a real etcd: move it to the embedded one with \`apichain migrate\` where an etcd is installed, or`
    : 'leave out --embedded-etcd=false to use the embedded one, or';
  return startEtcd(directory, findEtcd(why), onRestart);
}

const startTimeoutMs = 30_000;
const pollMs = 2;

/** Starts the embedded store as a separate process and waits until it responds. Throws StartupError with the message of the store. */
export async function startEmbeddedStore(
  directory: DataDirectory,
  onRestart: (text: string) => void,
): Promise<StoreProcess> {
  const url = `unix://${directory.socket}`;
  const store = new SupervisedProcess(
    {
      name: 'etcd',
      command: process.execPath,
      args: [programOf('embedded-etcd'), `--data-dir=${directory.embeddedEtcd}`, `--listen-client-urls=${url}`],
      logFile: join(directory.logs, 'etcd.log'),
      env: compileCacheEnvironment(),
      channel: true,
      probe: storeProbe(url),
    },
    onRestart,
  );
  let failure: string | undefined;
  void store.failedToStart.then((why) => (failure = why));
  for (const deadline = Date.now() + startTimeoutMs; !store.output.includes(`ready ${url}`); await sleep(pollMs)) {
    if (failure === undefined && Date.now() < deadline) continue;
    await store.stop(1_000);
    throw new StartupError(store.output.at(-1) ?? `embedded etcd did not start (${failure ?? 'it is silent'})`);
  }
  store.settle({ hasResponded: true });
  return { process: store, url };
}

/** Removes the objects of a chain that does not run, and their history. Returns false if there are none. Throws Node's error. */
export function emptyStore(
  directory: Pick<DataDirectory, 'path' | 'etcd' | 'embeddedEtcd'>,
  options: Pick<UpOptions, 'embeddedEtcd' | 'memory'>,
): boolean {
  const store = storeKindOf(directory, options) === 'etcd' ? directory.etcd : directory.embeddedEtcd;
  const removed = join(directory.path, 'embedded-etcd.reset');
  rmSync(removed, { recursive: true, force: true });
  if (options.memory || !existsSync(store)) return false;
  // So that a removal that is interrupted leaves no half of a store.
  renameSync(store, removed);
  rmSync(removed, { recursive: true });
  return true;
}

/** Writes the URL of the running chain's store to a file, for `apichain doctor` and etcdctl. */
export function writeStoreUrl(directory: DataDirectory, url: string): void {
  writeWholeFile(directory.storeUrl, `${url}\n`, 0o600);
}

export function removeStoreUrl(directory: DataDirectory): void {
  if (existsSync(directory.storeUrl)) rmSync(directory.storeUrl);
}
