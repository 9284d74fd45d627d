export type Claims = Readonly<Record<string, unknown>>;

/** A claim that must be a text. Throws Error with the text of Go's decoder. */
export function textClaim(claims: Claims, name: string): string {
  if (!Object.hasOwn(claims, name)) throw new Error('claim not present');
  return asText(claims[name]);
}

/** Null counts as an empty text. Throws Error for other values. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  throw new Error(`json: cannot unmarshal ${shapeOf(value)} into Go value of type string`);
}

/** A boolean claim. Throws Error for other values. */
export function boolClaim(claims: Claims, name: string): boolean {
  const value = claims[name];
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  throw new Error(`json: cannot unmarshal ${shapeOf(value)} into Go value of type bool`);
}

/** A text or a list of texts. Throws Error for other values. */
export function textsClaim(value: unknown): string[] {
  if (value === null) return [];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string' || item === null);
  return isList ? value.map(asText) : [asText(value)];
}

/** The type name that Go's decoder uses for a value. */
export const shapeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
