import { readFileSync } from 'node:fs';

/** Reads a generated table by its name under `generated`. The folder is beside this module, in a published package too. */
export function readGenerated<Table>(file: string): Table {
  return JSON.parse(readFileSync(new URL(`./generated/${file}`, import.meta.url), 'utf8')) as Table;
}
