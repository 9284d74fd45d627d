import { asText } from '@apichain/scheme';

/** The claims of a token, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** A claim that must be present and a text. Throws Error with the text of Go's decoder. */
export function textClaim(claims: Claims, name: string): string {
  if (!Object.hasOwn(claims, name)) throw new Error('claim not present');
  return asText(claims[name]);
}

/** A text or a list of texts. Throws Error for other values. */
export function textsClaim(value: unknown): string[] {
  if (value === null) return [];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string' || item === null);
  return isList ? value.map(asText) : [asText(value)];
}

/** Go's time has no seconds from here on. */
const endOfTime = 2 ** 63 - 62_135_596_800;

/** The whole seconds of a number, as Go converts it: what its time cannot hold is a time before all others. */
export const wholeSeconds = (value: number): number => (Math.abs(value) < endOfTime ? Math.trunc(value) : -(2 ** 63));
