import { createRequire } from 'node:module';
import type * as Cbor from 'cbor2';

const require = createRequire(import.meta.url);
let library: typeof Cbor | undefined;

/** The library that reads 2-byte floats. It is loaded on first use, because few documents contain them. */
export function cborLibrary(): typeof Cbor {
  library ??= require('cbor2') as typeof Cbor;
  return library;
}
