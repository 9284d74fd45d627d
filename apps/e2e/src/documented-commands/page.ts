import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '@apichain/meta';
import { repository } from '../chain.ts';
import { apichain } from '../command-line.ts';
import { missingLines } from './expected-output.ts';
import { type Fence, fencesOf } from './fences.ts';
import { Terminal } from './terminal.ts';

/** The blocks of a page, and how many blocks of commands a test runs and does not run. */
export function blocksOf(file: string): {
  readonly all: readonly Fence[];
  readonly run: number;
  readonly skipped: number;
} {
  const all = fencesOf(readFileSync(join(repository, file), 'utf8'));
  const commands = all.filter(({ language }) => language === 'bash');
  const skipped = commands.filter(({ attributes: { skip } }) => skip !== undefined).length;
  return { all, run: commands.length - skipped, skipped };
}

/**
 * Follows a page in an empty folder, from its first line to its last: writes the files of blocks with `file=NAME`, runs the blocks of `bash` one
 * after the other in one shell, and compares what they print with the blocks of `text` behind them. Attributes of a `bash` block:
 *
 * - `skip="reason"`: is not run,
 * - `fails`: at least one command fails; without it every command must succeed,
 * - `background="pattern"`: keeps running; the next block waits until it has printed this,
 * - `after="pattern"`: waits until the block in the background has printed this since the last file was written.
 */
export async function follow(file: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'apichain-page-'));
  const folder = join(scratch, 'project');
  prepare(scratch, folder, await freePort());
  const terminal = new Terminal(folder, scratch, environment(scratch));
  try {
    const { all } = blocksOf(file);
    let seen = 0;
    let last: { readonly output: string; readonly line: number } | undefined;
    for (const { language, attributes, text, line } of all) {
      const { file: name, skip, background, after } = attributes;
      if (name !== undefined) {
        seen = terminal.backgroundOutput().length;
        writeFile(join(folder, name), text, attributes['add'] !== undefined);
      } else if (language === 'bash') {
        last = undefined;
        if (skip !== undefined) continue;
        if (after !== undefined) await terminal.prints(new RegExp(after), seen);
        if (background !== undefined) {
          await terminal.start(text, new RegExp(background));
          continue;
        }
        const { output, failed } = await terminal.run(text);
        const shouldFail = attributes['fails'] !== undefined;
        assert.equal(
          failed,
          shouldFail,
          `${file}:${line}: ${shouldFail ? 'no' : 'a'} command failed:\n${text}\n${output}`,
        );
        last = { output, line };
      } else if (language === 'text' && last !== undefined) {
        const missing = missingLines(text, last.output);
        assert.deepEqual(
          missing,
          [],
          `${file}:${line}: the commands of line ${last.line} did not print this. They printed:\n${last.output}`,
        );
      }
    }
  } finally {
    await terminal.end();
    for (const kubeconfig of globSync('**/admin.kubeconfig', { cwd: scratch }))
      await apichain('down', '--data-dir', join(scratch, dirname(kubeconfig)));
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * A project in which the package is installed: `apichain` and `npx apichain` run the sources, and `apichain/testing` is imported from them. A
 * chain without a port gets the given one, because tests that run at the same time would find the same next free port.
 */
function prepare(scratch: string, folder: string, port: number): void {
  for (const name of [folder, join(folder, 'node_modules'), join(scratch, 'bin')]) mkdirSync(name, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  symlinkSync(repository, join(folder, 'node_modules/apichain'));
  for (const name of ['@kubernetes', '@types', 'typescript', '.bin'])
    symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
  const program = join(repository, 'apps/apichain/src/main.ts');
  const run = `exec "${process.execPath}" "${program}" "$@"`;
  script(join(scratch, 'bin/apichain'), `[ "$1" = up ] && set -- "$@" --secure-port=${port}\n${run}`);
  script(join(scratch, 'bin/npx'), 'exec "$@"');
}

function script(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** The home directory is the scratch folder, so that nothing of the user is read or changed. */
function environment(scratch: string): NodeJS.ProcessEnv {
  const {
    KUBECONFIG: _kubeconfig,
    XDG_DATA_HOME: _data,
    NODE_TEST_CONTEXT: _test,
    FORCE_COLOR: _color,
    ...env
  } = process.env;
  const path = [join(scratch, 'bin'), dirname(process.execPath), env['PATH']].join(delimiter);
  return { ...env, HOME: scratch, NO_COLOR: '1', PATH: path };
}

/** `add` puts the text at the end of the definition with which the file ends. */
function writeFile(file: string, text: string, add: boolean): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, add ? readFileSync(file, 'utf8').replace(/\}\);\n$/, () => `${text}});\n`) : text);
}
