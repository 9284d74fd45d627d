import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of recorded responses, real objects and CRDs: next to the repository, or APICHAIN_SHARED. */
const shared = process.env['APICHAIN_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared');

/** A path in that folder. If the path does not exist, the test is skipped; in CI this throws Error instead. */
export function sharedPath(context: Mocha.Context, ...segments: string[]): string {
  const path = join(shared, ...segments);
  if (!existsSync(path)) {
    if (process.env['CI'] !== undefined) throw new Error(`${path} is missing: set APICHAIN_SHARED`);
    context.skip();
  }
  return path;
}

/** The text of a file in that folder. If the file does not exist, see `sharedPath`. */
export const readShared = (context: Mocha.Context, ...segments: string[]): string =>
  readFileSync(sharedPath(context, ...segments), 'utf8');
