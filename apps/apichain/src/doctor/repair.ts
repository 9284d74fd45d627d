import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { repairDataDir, syncDirectory, type StoreDamage } from '@apichain/embedded-etcd';
import { isEmbeddedEtcdDirectory } from '@apichain/embedded-etcd/data-directory';
import { StartupError } from '@apichain/chain/setup';
import { errorMessage } from '@apichain/meta';
import { isChainDirectory } from '../lifecycle/chain-state.ts';
import { withProgress } from '../terminal/progress.ts';
import { lockStoppedChain } from '../up/data-directory.ts';

/**
 * `apichain doctor --repair`: replaces a damaged embedded store by its state before the damage, after asking, unless `isAgreed`. The damaged store is
 * kept. Throws StartupError when there is nothing that can be repaired, or nobody agrees.
 */
export async function repairStore(root: string, isAgreed: boolean): Promise<void> {
  if (!isChainDirectory(root)) throw new StartupError(`${root} holds no chain`);
  const release = lockStoppedChain(root);
  try {
    await repairLocked(root, isAgreed);
  } finally {
    release();
  }
}

async function repairLocked(root: string, isAgreed: boolean): Promise<void> {
  const directory = join(root, 'embedded-etcd');
  const target = `${directory}.repaired`;
  if (!isEmbeddedEtcdDirectory(directory)) {
    if (existsSync(directory) || !isEmbeddedEtcdDirectory(target))
      throw new StartupError(`${root} holds no embedded store`);
    // An earlier repair was interrupted between its last two steps.
    renameSync(target, directory);
  }
  // The rest of a repair that was interrupted. The store itself was not changed by it.
  rmSync(target, { recursive: true, force: true });
  const agrees = (damage: StoreDamage) => mayRepair(damage, isAgreed);
  const { damage, isWritten } = await reading(repairDataDir({ directory, target, agrees }));
  if (damage === undefined) {
    console.log(`${directory} is whole: there is nothing to repair`);
    return;
  }
  if (damage.kept === undefined)
    throw new StartupError('nothing of it can be kept: restore a snapshot (apichain snapshot list)');
  if (!isWritten) throw new StartupError('nothing was changed');
  const kept = freeName(`${directory}.damaged`);
  renameSync(directory, kept);
  renameSync(target, directory);
  await withProgress(() => 'writing to disk', syncDirectory(root));
  console.log(`repaired ${directory}; the damaged store is ${kept}`);
}

/** Says what is damaged and what would be kept, and asks whether to go on with that. */
async function mayRepair({ reason, kept }: StoreDamage, isAgreed: boolean): Promise<boolean> {
  console.log(reason.replace(/;.*/s, ''));
  if (kept === undefined) return false;
  const { revision, keys, lostWrites } = kept;
  const lost = lostWrites === 0 ? 'no later write is known' : `${count(lostWrites, 'later write')} would be lost`;
  console.log(`whole until revision ${revision}, with ${count(keys, 'key')}; ${lost}`);
  if (isAgreed) return true;
  if (!process.stdin.isTTY) throw new StartupError('nothing was changed: --yes goes on with what is whole');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Without a reply, at the end of the input, nothing is changed.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const reply = await Promise.race([terminal.question('go on with that? The damaged files are kept. [y/N] '), closed]);
  terminal.close();
  return /^y(es)?$/i.test(reply.trim());
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** A path that does not exist yet, with a number if the name is taken. */
function freeName(path: string): string {
  let name = path;
  for (let number = 2; existsSync(name); number++) name = `${path}-${number}`;
  return name;
}

async function reading<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(errorMessage(error));
  }
}
