import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { lazy } from '@apichain/meta';

/** The generated tables. The folder is beside this module, in a published package too. */
const folder = new URL('./generated/', import.meta.url);

/** Reads a generated table by its name under `generated`. */
export function readGenerated<Table>(file: string): Table {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Table;
}

/** A digest of all tables of types. Clients keep what was made of them, e.g. OpenAPI documents, as long as it is the same. */
export const typesDigest = lazy(() => digestOf(new URL('types/', folder)));

/** A digest of the names and contents of the files in a folder. */
export function digestOf(directory: URL): string {
  const digest = createHash('sha256');
  for (const file of readdirSync(directory).sort()) {
    const contents = readFileSync(new URL(file, directory));
    digest.update(`${file} ${contents.length}\n`).update(contents);
  }
  return digest.digest('hex');
}
