import { readFileSync } from 'node:fs';

/** The contents of a generated table, by its name under `generated`. The folder lies beside this module, in a published package too. */
export function readGenerated<Table>(file: string): Table {
  return JSON.parse(readFileSync(new URL(`./generated/${file}`, import.meta.url), 'utf8')) as Table;
}
