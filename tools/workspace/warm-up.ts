/**
 * Compiles the sources into the cache that `apichain up` uses, so that the first start is as quick as later ones. npm runs it after an
 * installation (`prepare`). Nothing depends on it: what fails here will tell so when it is needed, and is no reason for an installation to fail.
 *
 *   node tools/workspace/warm-up.ts
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { compileCacheEnvironment, keepCompiledCode } from '../../apps/apichain/src/compile-cache.ts';

const timeoutMs = 30_000;
const root = join(import.meta.dirname, '../..');

/** Node keeps what a program has loaded when it ends. */
function load(program: string, ...args: readonly string[]): void {
  spawnSync(process.execPath, [join(root, program), ...args], {
    env: { ...process.env, ...compileCacheEnvironment() },
    stdio: 'ignore',
    timeout: timeoutMs,
  });
}

try {
  keepCompiledCode();
  // One after the other: each finds compiled what it shares with those before it.
  for (const service of ['kube-core', 'aggregator', 'apiextensions', 'controllers'])
    load(`apps/${service}/src/main.ts`, '--version');
  load('apps/apichain/src/main.ts', 'version');
  await import('../../apps/apichain/src/up/command.ts');
  await import('../../apps/apichain/src/up/in-process.ts');
} catch {
  process.exitCode = 0;
}
