/**
 * Builds the browser program of the console into a folder: one script, one style sheet, one page.
 *
 *   node libs/console/src/build-assets.ts FOLDER
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const web = join(import.meta.dirname, 'web');

/** Writes the files of the browser program into `directory`. Returns the sources that it is built of. Throws Error when they do not build. */
export async function buildAssets(directory: string): Promise<readonly string[]> {
  mkdirSync(directory, { recursive: true });
  const { metafile } = await build({
    entryPoints: [
      { in: join(web, 'main.tsx'), out: 'app' },
      { in: join(web, 'app.css'), out: 'app' },
    ],
    outdir: directory,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  for (const name of ['index.html', 'icon.svg']) cpSync(join(web, name), join(directory, name));
  return Object.keys(metafile.inputs);
}

if (process.argv[1] === import.meta.filename) {
  const [, , directory] = process.argv;
  if (directory === undefined) throw new Error('usage: node libs/console/src/build-assets.ts FOLDER');
  await buildAssets(directory);
}
