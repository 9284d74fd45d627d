/** Headers that concern one connection only (RFC 9110, 7.6.1), in lower case: nothing passes them on, either way. */
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

const maxRemembered = 500;

/** What a function says of header names as they are written: the same few come again and again; bounded, because others choose names. */
export function rememberedByName<T>(of: (lowerCaseName: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    let answer = known.get(name);
    if (answer === undefined) {
      answer = of(name.toLowerCase());
      if (known.size < maxRemembered) known.set(name, answer);
    }
    return answer;
  };
}

/** The names that a `Connection` header adds to these, in lower case; empty for the two words that everybody sends. */
export const namedBy = (connection: string): readonly string[] =>
  connection === 'keep-alive' || connection === 'close'
    ? nothing
    : connection.split(',').map((name) => name.trim().toLowerCase());

const nothing: readonly string[] = [];
