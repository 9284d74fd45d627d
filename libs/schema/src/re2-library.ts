import { createRequire } from 'node:module';
import { lazy } from '@apichain/meta';
import type * as Re2 from 're2js';

const require = createRequire(import.meta.url);

/**
 * Regular expressions in RE2 syntax, loaded with the first one: the library takes 1 MB, and a chain without patterns in schemas, rules and flags
 * needs none. https://github.com/google/re2/wiki/Syntax
 */
export const re2Library = lazy(() => require('re2js') as Pick<typeof Re2, 'RE2JS' | 'RE2JSSyntaxException'>);
