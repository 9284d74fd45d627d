import { createRequire } from 'node:module';
import type * as Cbor from 'cbor2';

const require = createRequire(import.meta.url);
let library: typeof Cbor | undefined;

/** What reads and writes the floats of CBOR, loaded with the first of them: few requests have any. */
export function cborLibrary(): typeof Cbor {
  library ??= require('cbor2') as typeof Cbor;
  return library;
}
