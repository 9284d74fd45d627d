/**
 * Builds the documentation site in dist/site/html from docs/, the README, ARCHITECTURE.md, the flag and command tables, and the sources of the
 * published modules. Exit code 1 for a page that cannot be built, a link or anchor that leads nowhere, or a file of another host.
 *
 *   node tools/site/build.ts [--base /PATH/] [--serve PORT [--built]]
 *
 * `--built` serves the site of the last build.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vitepress';
import { faultsOf } from './check.ts';
import { writeCommandReference } from './command-reference.ts';
import { writeCommandsNotRun } from './commands-not-run.ts';
import { writeFlagReference } from './flag-reference.ts';
import { writeLibraryReference } from './library-reference.ts';
import { writePages } from './pages.ts';
import { writeReferenceIndex } from './reference-index.ts';
import { serve } from './serve.ts';

const {
  base,
  serve: port,
  built: isBuilt,
} = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    serve: { type: 'string' },
    built: { type: 'boolean', default: false },
  },
}).values;

const repository = resolve(import.meta.dirname, '../..');
process.chdir(repository);
const [pages, html] = [resolve('dist/site/pages'), resolve('dist/site/html')];
const faults = isBuilt ? [] : await buildSite();
if (faults.length > 0) process.exitCode = 1;
else if (port !== undefined) await serve(html, base, Number(port));

/** Returns the faults of the site, which are also printed. */
async function buildSite(): Promise<readonly string[]> {
  for (const directory of [pages, html]) rmSync(directory, { recursive: true, force: true });
  const started = performance.now();
  const written = writePages(pages);
  writeReferenceIndex(join(pages, 'reference/index.md'));
  writeFlagReference(join(pages, 'reference/flags'));
  writeCommandReference(join(pages, 'reference/commands.md'));
  writeCommandsNotRun(join(pages, 'contributing/commands-not-run.md'));
  await writeLibraryReference(join(pages, 'reference/library'));
  await build(join(import.meta.dirname, 'vitepress'), { base, outDir: html });
  const found = faultsOf(html, base);
  for (const fault of found) console.error(fault);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${written} pages of the repository in dist/site/html after ${seconds} s; ${found.length} dead links`);
  return found;
}
