import { goQuote } from '@apichain/go-text';
import { newBadRequest } from '@apichain/meta';

/**
 * Query parameters by name, with every value in the order of the request. They are parsed once, when a request arrives, and carried in its
 * context. Authorization, limits and audit therefore see the same parameters as the handler.
 */
export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }
  has(name: string): boolean {
    return this.#values.has(name);
  }
  /** The first value, or ''. */
  text(name: string): string {
    return this.#values.get(name)?.[0] ?? '';
  }
  /** Every name with its values. */
  entries(): Iterable<readonly [string, readonly string[]]> {
    return this.#values;
  }
  all(name: string): readonly string[] | undefined {
    return this.#values.get(name);
  }
  /** True when present and not `false` or `0`: any other text, even an empty one, means true. */
  boolean(name: string): boolean | undefined {
    const value = this.#values.get(name)?.[0];
    if (value === undefined) return undefined;
    return value !== '0' && value.toLowerCase() !== 'false';
  }
  /** An int64; undefined when absent. Throws BadRequest with Go's text. */
  integer(name: string): number | undefined {
    const value = this.#values.get(name)?.[0];
    if (value === undefined) return undefined;
    const quoted = goQuote(value);
    if (!/^[+-]?[0-9]+$/.test(value)) throw newBadRequest(`strconv.ParseInt: parsing ${quoted}: invalid syntax`);
    const digits = value.replace(/^[+-]?0*/, '') || '0';
    const number = digits.length > mostDigits ? undefined : BigInt(value.startsWith('-') ? `-${digits}` : digits);
    if (number === undefined || BigInt.asIntN(64, number) !== number) {
      throw newBadRequest(`strconv.ParseInt: parsing ${quoted}: value out of range`);
    }
    return Number(number);
  }
}

/** The most digits of an int64. */
const mostDigits = 19;

function decode(text: string): string | undefined {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  if (/%(?![0-9a-fA-F]{2})/.test(spaced)) return undefined;
  try {
    return decodeURIComponent(spaced);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    // Escapes that are well-formed, but not UTF-8.
    const bytes = spaced.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}

/** The query of a request without parameters. */
export const noQuery = new Query(new Map());

/** A query with more parameters counts as empty, as in Go since 1.25.6. */
const mostParameters = 10_000;

/** Parses the query of a request target. Pairs that cannot be decoded or contain a semicolon are dropped, as by url.ParseQuery of Go. */
export function parseQuery(url: string | undefined): Query {
  const mark = url === undefined ? -1 : url.indexOf('?');
  if (url === undefined || mark < 0 || mark === url.length - 1) return noQuery;
  if (countsMore(url, mark, mostParameters)) return noQuery;
  const values = new Map<string, string[]>();
  for (const pair of url.slice(mark + 1).split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return new Query(values);
}

/** Whether more than `most` parameters follow the question mark. Stops scanning as soon as the result is certain. */
function countsMore(url: string, mark: number, most: number): boolean {
  let at = mark;
  for (let count = 1; count <= most; count++) {
    at = url.indexOf('&', at + 1);
    if (at < 0) return false;
  }
  return true;
}
