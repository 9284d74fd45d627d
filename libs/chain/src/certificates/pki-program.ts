import { makePki } from './pki.ts';
import type { PkiOptions } from './pki-options.ts';

/*
 * Makes certificates and exits: `node pki-program.ts OPTIONS`, with PkiOptions as JSON. pki.ts starts it.
 */
await makePki(JSON.parse(process.argv[2] ?? '') as PkiOptions);
