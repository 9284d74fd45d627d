import { BoundedCache, lazy } from '@apichain/meta';
import type * as Re2 from 're2js';
import type { RE2JS } from 're2js';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Regular expressions in RE2 syntax, loaded with the first one: the library takes 1 MB, and a chain without patterns in schemas, rules and flags
 * needs none. https://github.com/google/re2/wiki/Syntax
 */
export const re2Library = lazy(() => require('re2js') as Pick<typeof Re2, 'RE2JS' | 'RE2JSSyntaxException'>);

/** An instruction of a compiled expression, of which `x{1000}` has a thousand, takes 100 bytes. */
const cache = new BoundedCache<RE2JS>({ maxEntries: 4_096, maxCharacters: 1 << 19 });

/**
 * Compiles the value of `pattern`, a regular expression in RE2 syntax (linear time, no look-around). It is not anchored. Compiled
 * expressions are kept in a bounded cache that drops its oldest entry. Throws Error with Go's message, e.g. "error parsing regexp: missing
 * closing ): `(`".
 */
export function compilePattern(pattern: string): RE2JS {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const compiled = parse(pattern);
  cache.set(pattern, compiled, compiled.programSize());
  return compiled;
}

/** Why a schema's pattern is invalid; undefined if it is valid or absent. The compiled pattern is not cached. */
export function patternProblem(pattern: string | undefined): string | undefined {
  if (pattern === undefined || pattern === '' || cache.has(pattern)) return undefined;
  try {
    parse(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** For an error at the end of the pattern or about all of it, the library's message lacks the text that Go quotes. */
function parse(pattern: string): RE2JS {
  const { RE2JS, RE2JSSyntaxException } = re2Library();
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException) || error.getPattern()) throw error;
    const quoted = error.getDescription().startsWith('trailing') ? '' : pattern;
    throw new Error(`${error.message}: \`${quoted}\``, { cause: error });
  }
}
