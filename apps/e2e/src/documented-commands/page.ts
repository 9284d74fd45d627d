import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, type Dirent } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claimPort, freePort, hasErrorCode, listenOnce } from '@apichain/meta';
import { repository } from '../chain.ts';
import { apichain } from '../command-line.ts';
import { mostRepeats, waitedTooEarly } from '../kubectl.ts';
import { packedPackage, unpackedPackage } from '../packed-package.ts';
import { fencesOf, type Fence } from './fences.ts';
import { checkout, project } from './places.ts';
import { Terminal, type BlockResult } from './terminal.ts';

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

/** Pages about what only a checkout has. */
const inCheckout: ReadonlySet<string> = new Set(['README.md', 'docs/guides/deploy.md']);

/** The ports that pages name because they are the usual ones. In a test each stands for a free port, which is the same on a whole page. */
const usualPorts = ['2379', '6443', '6444', '6445', '7443', '8443'] as const;

/** Members of an etcd have ports from 27800 to 27899 on pages. In a test these stand for another hundred, all of which are free. */
const membersHundred = /\b278(?=\d\d\b|\d\$)/g;

async function freeHundred(): Promise<string> {
  for (;;) {
    const hundred = randomInt(100, 300);
    try {
      for (let port = hundred * 100; port < (hundred + 1) * 100; port++) {
        await listenOnce('127.0.0.1', port);
        await claimPort('127.0.0.1', port);
      }
      return String(hundred);
    } catch (error) {
      if (!hasErrorCode(error, 'EADDRINUSE')) throw error;
    }
  }
}

/**
 * Follows a page from its first line to its last, in a project or in a checkout: writes the files of blocks with `file=NAME`,
 * runs the blocks of `bash` one after the other in one shell, and compares what they print with the blocks of `text` behind them. A block within
 * a comment of Markdown is run too; it makes what a reader has already. Attributes of a `bash` block:
 *
 * - `skip="reason"`: is not run,
 * - `fails`: at least one command fails; without it every command must succeed,
 * - `background="pattern"`: keeps running; the next block waits until it has printed this,
 * - `each="pattern"`: every command keeps running; it is ended with Ctrl-C when it has printed this,
 * - `after="pattern"`: waits until the block in the background has printed this since the last file was written,
 * - `interrupt`: ends the blocks in the background with Ctrl-C first.
 */
export async function follow(file: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'apichain-page-'));
  const free = async () => String(await freePort());
  const ports = new Map<string, string>();
  for (const port of usualPorts) ports.set(port, await free());
  const hundred = await freeHundred();
  const withPorts = (text: string) =>
    text.replace(/\b\d{4}\b/g, (port) => ports.get(port) ?? port).replace(membersHundred, hundred);
  const options = {
    scratch,
    port: withPorts('6443'),
    openPort: await free(),
    tarball: await packedPackage(),
    modules: await unpackedPackage(),
  };
  const { folder, environment } = inCheckout.has(file) ? checkout(options) : project(options);
  const terminal = new Terminal(folder, scratch, environment);
  try {
    let seen = 0;
    let last: { readonly output: string; readonly line: number } | undefined;
    for (const { language, attributes, text, line } of blocksOf(file).all) {
      const { file: name, skip, background, each, after } = attributes;
      const shown = withPorts(text);
      if (name !== undefined) {
        seen = terminal.backgroundOutput().length;
        writeFile(join(terminal.folder, name), shown, attributes['add'] !== undefined);
      } else if (language === 'bash') {
        last = undefined;
        if (skip !== undefined) continue;
        if (after !== undefined) await terminal.prints(new RegExp(after), seen);
        if (attributes['interrupt'] !== undefined) await terminal.interrupt();
        if (each !== undefined) {
          for (const command of commandsOf(shown)) {
            await terminal.start(command, new RegExp(each));
            last = { output: await terminal.interrupt(), line };
          }
        } else if (background !== undefined) {
          await terminal.start(shown, new RegExp(background));
          last = { output: terminal.backgroundOutput(), line };
        } else {
          const { output, failed } = await run(terminal, shown);
          const shouldFail = attributes['fails'] !== undefined;
          const problem = `${file}:${line}: ${shouldFail ? 'no' : 'a'} command failed:\n${shown}\n${output}`;
          assert.equal(failed, shouldFail, problem);
          last = { output, line };
        }
      } else if (language === 'text' && last !== undefined) {
        const missing = missingLines(shown, last.output, { inside: attributes['inside'] !== undefined });
        assert.deepEqual(
          missing,
          [],
          `${file}:${line}: the commands of line ${last.line} did not print this. They printed:\n${last.output}`,
        );
      }
    }
  } finally {
    await terminal.end();
    for (const directory of dataDirectoriesIn(scratch)) await apichain('down', '--data-dir', directory);
    // What has been ended may still write.
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Runs a block, and again while `kubectl wait` comes too early in it. The output is that of all runs. */
async function run(terminal: Terminal, commands: string): Promise<BlockResult> {
  let result = await terminal.run(commands);
  let { output } = result;
  for (let again = 0; again < mostRepeats && waitedTooEarly(result.output); again++) {
    result = await terminal.run(commands);
    output += result.output;
  }
  return { ...result, output };
}

/** The data directories of chains below a folder, in which chains in the background still make and remove directories. Does not follow links. */
function dataDirectoriesIn(folder: string): readonly string[] {
  const entries = readdirIfThere(folder);
  const inside = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => dataDirectoriesIn(join(folder, name)));
  return entries.some(({ name }) => name === 'admin.kubeconfig') ? [folder, ...inside] : inside;
}

function readdirIfThere(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The commands of a block: its lines, joined where a line ends with a backslash. */
const commandsOf = (text: string): readonly string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** Writes the files of a page into a folder (`file=NAME`). Returns their paths. */
export function writeFiles(page: string, folder: string): readonly string[] {
  const paths = blocksOf(page).all.flatMap(({ attributes: { file: name, add }, text }) => {
    if (name === undefined) return [];
    writeFile(join(folder, name), text, add !== undefined);
    return [join(folder, name)];
  });
  return [...new Set(paths)];
}

/** `add` puts the text at the end of the definition with which the file ends. */
function writeFile(file: string, text: string, add: boolean): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, add ? readFileSync(file, 'utf8').replace(/\}\);\n$/, () => `${text}});\n`) : text);
}

/**
 * The lines of a page's output that commands did not print. Compared are words: numbers, times, uids and the width of columns may differ, `...`
 * stands for anything. The order of lines is not compared, because commands in the background print too, and there may be further lines.
 * `inside` says that a line may be part of a printed one.
 */
export function missingLines(expected: string, actual: string, { inside = false } = {}): readonly string[] {
  const printed = actual.split('\n').map(normal);
  return expected.split('\n').filter((line) => {
    const pattern = patternOf(line, inside);
    if (pattern === undefined) return false;
    const found = printed.findIndex((text) => pattern.test(text));
    // A line is printed as often as the page says.
    if (found >= 0) printed.splice(found, 1);
    return found < 0;
  });
}

/** Undefined for a line that says nothing: an empty one or `...`. */
function patternOf(line: string, inside: boolean): RegExp | undefined {
  const text = normal(line);
  if (text === '' || text === '...') return undefined;
  const parts = text.split('...').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(inside ? parts.join('.*') : `^${parts.join('.*')}$`);
}

const normal = (line: string) =>
  line
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    // An age has one or two units: 45s, 2m10s.
    .replace(/\b(?:\d+(?:\.\d+)?(?:ms|[smhd])){1,2}\b/g, 'TIME')
    .replace(/\d+(?:[.,]\d+)*/g, '0')
    .replace(/\s+/g, ' ')
    .trim();
