import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of recorded answers and real CRDs; tests that need it skip where it is absent, except in CI. */
const shared = process.env.APICHAIN_SHARED ?? resolve(import.meta.dirname, '../../../../shared');

export function sharedPath(context: Mocha.Context, ...segments: string[]): string {
  const path = join(shared, ...segments);
  if (!existsSync(path)) {
    if (process.env.CI) throw new Error(`${path} is missing`);
    context.skip();
  }
  return path;
}

export const readShared = (context: Mocha.Context, ...segments: string[]): string =>
  readFileSync(sharedPath(context, ...segments), 'utf8');
