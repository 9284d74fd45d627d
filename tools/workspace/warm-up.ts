/**
 * Prepares what makes the first start as quick as later ones: the programs, bundled, which `apichain` runs as long as no source has changed,
 * and Node's cache of their compiled code. npm runs it after an installation (`prepare`). Nothing depends on it: without it the sources run,
 * and what fails here will tell so when it is needed, which is no reason for an installation to fail.
 *
 *   node tools/workspace/warm-up.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../apps/apichain/src/up/ports.ts';
import { preparedDirectory, stampFile, stampOf } from '../../apps/apichain/src/prepared.ts';
import { programs } from '../package/programs.ts';

const timeoutMs = 30_000;
const root = join(import.meta.dirname, '../..');
const prepared = preparedDirectory(root);

async function prepare(): Promise<void> {
  rmSync(prepared, { recursive: true, force: true });
  // What is edited meanwhile does not fit the stamp.
  const stamp = stampOf(root);
  // Only here, because it may be missing (`--omit=dev`).
  const { bundle } = await import('../package/bundle.ts');
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  // It is bundled itself, because looking at the stamp must not cost more than it saves.
  const entries = [{ name: 'prepared', source: 'apps/apichain/src/prepared.ts' }, ...programs];
  await bundle(entries, { directory: join(prepared, 'lib'), external: Object.keys(dependencies) });
  cpSync('apps/apichain/package.json', join(prepared, 'package.json'));
  writeFileSync(join(prepared, stampFile), stamp);
}

/** Node keeps the compiled code of what a program has used, when it ends: of a chain that became ready, what every start uses. */
async function startOnce(...flags: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'apichain-warm-up-'));
  const args = [
    'apps/apichain/start.js',
    'up',
    `--data-dir=${directory}`,
    `--secure-port=${await freePort()}`,
    ...flags,
  ];
  const chain = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], timeout: timeoutMs });
  chain.stdout.once('data', () => chain.kill('SIGTERM'));
  await once(chain, 'close');
  rmSync(directory, { recursive: true, force: true });
}

try {
  process.chdir(root);
  await prepare();
  await startOnce();
  await startOnce('--in-process');
} catch {
  process.exitCode = 0;
}
