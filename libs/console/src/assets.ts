import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';

/** A file of the browser program. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Brotli. */
  readonly compressed: Buffer;
  /** The value of the ETag header. */
  readonly tag: string;
}

const types: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The files of the browser program, by name. */
export type Assets = ReadonlyMap<string, Asset>;

/**
 * Reads the files of the browser program, which a bundle contains beside its modules. The sources in the repository have none, so they are built
 * first. Rejects with Node's error when a file is missing, and with the messages of the bundler when the sources do not build.
 */
export async function loadAssets(): Promise<Assets> {
  const published = join(import.meta.dirname, 'console');
  if (existsSync(published)) return readAssets(published);
  const temporary = mkdtempSync(join(tmpdir(), 'apichain-console-'));
  try {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'build-assets.ts'), temporary]);
    return readAssets(temporary);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The compression takes 30 ms, once; it is not part of the bundle because registries compress packages themselves. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

function readAssets(directory: string): Assets {
  return new Map(
    Object.entries(types).map(([name, type]) => {
      const bytes = readFileSync(join(directory, name));
      const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
      return [name, { type, bytes, compressed: brotliCompressSync(bytes, quality), tag }];
    }),
  );
}
