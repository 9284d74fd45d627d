const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** A path as Go's net/url writes it: what need not be escaped is not. */
export const escapePath = (path: string): string => path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@]/gu, percent);

/** A name or value of a query as Go's net/url writes it. */
export const escapeParameter = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9\-_.~ ]/gu, percent).replaceAll(' ', '+');

/** Parameters as Go's url.Values writes them: sorted by name, those of one name in their order. */
export function encodeQuery(parameters: readonly (readonly [name: string, value: string])[]): string {
  return [...parameters]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${escapeParameter(name)}=${escapeParameter(value)}`)
    .join('&');
}
