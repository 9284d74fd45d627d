import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);
let library: typeof Undici | undefined;

/** undici, loaded with the first connection: a server that only asks itself needs none. */
export function httpLibrary(): typeof Undici {
  library ??= require('undici') as typeof Undici;
  return library;
}
