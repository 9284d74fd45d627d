import { RE2JS, RE2JSSyntaxException } from 're2js';

const limit = 4096;
const cache = new Map<string, RE2JS>();

/**
 * A regular expression of RE2's syntax, which is what `pattern` means (linear time, no look-around); searched for, not anchored.
 * Compiled once; the cache is bounded and drops its oldest entry. Throws Error with Go's wording, e.g.
 * "error parsing regexp: missing closing ): `(`".
 */
export function compilePattern(pattern: string): RE2JS {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const compiled = parse(pattern);
  if (cache.size >= limit) cache.delete(cache.keys().next().value ?? '');
  cache.set(pattern, compiled);
  return compiled;
}

/** Why a pattern of a schema is none; undefined when it is one, or absent. What is only looked at is not kept. */
export function patternProblem(pattern: string | undefined): string | undefined {
  if (pattern === undefined || pattern === '' || cache.has(pattern)) return undefined;
  try {
    parse(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The library says nothing of where it gave up where that is the end or the whole; Go quotes both. */
function parse(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException) || error.getPattern()) throw error;
    const quoted = error.getDescription().startsWith('trailing') ? '' : pattern;
    throw new Error(`${error.message}: \`${quoted}\``, { cause: error });
  }
}
