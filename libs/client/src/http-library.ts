import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);
let library: typeof Undici | undefined;

/** Loads undici on the first connection: a server that connects only to itself does not need it. */
export function httpLibrary(): typeof Undici {
  library ??= require('undici') as typeof Undici;
  return library;
}
