import { BoundedCache, lazy } from '@apichain/meta';
import type * as Re2 from 're2js';
import type { RE2JS } from 're2js';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Regular expressions in RE2 syntax, loaded with the first one: the library takes 1 MB, and a chain without patterns in schemas, rules and flags
 * needs none. https://github.com/google/re2/wiki/Syntax
 */
export const re2Library = lazy(() => require('re2js') as Pick<typeof Re2, 'RE2JS' | 'RE2JSSyntaxException' | 'RE2Set'>);

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
  const compiled = withGoMessages(pattern, ({ RE2JS }) => RE2JS.compile(pattern));
  cache.set(pattern, compiled, compiled.programSize());
  return compiled;
}

/** Why a regular expression is invalid; undefined if it is valid. It is parsed only, which takes a tenth of the time of its compilation. */
export function patternProblem(pattern: string): string | undefined {
  if (cache.has(pattern)) return undefined;
  try {
    withGoMessages(pattern, ({ RE2Set }) => new RE2Set().add(pattern));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** For an error at the end of the pattern or about all of it, the library's message lacks the text that Go quotes. */
function withGoMessages<T>(pattern: string, use: (library: ReturnType<typeof re2Library>) => T): T {
  const library = re2Library();
  try {
    return use(library);
  } catch (error) {
    if (!(error instanceof library.RE2JSSyntaxException) || error.getPattern()) throw error;
    const quoted = error.getDescription().startsWith('trailing') ? '' : pattern;
    throw new Error(`${error.message}: \`${quoted}\``, { cause: error });
  }
}
