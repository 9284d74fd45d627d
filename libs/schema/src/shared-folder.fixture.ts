import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Recorded answers, real objects and CRDs, in a folder beside the repository or where APICHAIN_SHARED says. */
const shared = process.env['APICHAIN_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared');

/** A path in that folder. The test is skipped where the path is absent; in CI this throws Error instead. */
export function sharedPath(context: Mocha.Context, ...segments: string[]): string {
  const path = join(shared, ...segments);
  if (!existsSync(path)) {
    if (process.env['CI'] !== undefined) throw new Error(`${path} is missing: set APICHAIN_SHARED`);
    context.skip();
  }
  return path;
}

/** The text of a file in that folder; absent as for `sharedPath`. */
export const readShared = (context: Mocha.Context, ...segments: string[]): string =>
  readFileSync(sharedPath(context, ...segments), 'utf8');
