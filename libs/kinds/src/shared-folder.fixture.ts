import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A folder beside the repository (or APICHAIN_SHARED). A test without it is skipped, which never happens in CI. */
export function sharedFolder(context: Mocha.Context, folder: string): string {
  const shared = process.env['APICHAIN_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared');
  const path = join(shared, folder);
  if (!existsSync(path)) {
    if (process.env['CI'] !== undefined) throw new Error(`${folder} is missing: set APICHAIN_SHARED`);
    context.skip();
  }
  return path;
}
