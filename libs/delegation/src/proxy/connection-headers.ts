import { BoundedCache } from '@apichain/meta';

/** Headers that concern one connection only (RFC 9110, 7.6.1), in lower case. They are not forwarded in either direction. */
export const connectionHeaders: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
];

const remembered = { maxEntries: 500, maxCharacters: 1 << 16 };

/** Caches the result of a function by header name as written, because the same few names repeat. Bounded, because clients choose the names. */
export function rememberedByName<T>(of: (lowerCaseName: string) => T): (name: string) => T {
  const known = new BoundedCache<T>(remembered);
  return (name) => {
    let result = known.get(name);
    if (result === undefined) {
      result = of(name.toLowerCase());
      known.set(name, result);
    }
    return result;
  };
}

/** The names in a `Connection` header, in lower case; empty for the two usual values. */
export const namedBy = (connection: string): readonly string[] =>
  connection === 'keep-alive' || connection === 'close'
    ? nothing
    : connection.split(',').map((name) => name.trim().toLowerCase());

const nothing: readonly string[] = [];
