const htmlCharacters = /[<>&\u2028\u2029]/;
const htmlEscapes = ['<', '>', '&', '\u2028', '\u2029'].map(
  (character) => [character, `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`] as const,
);

/** One pass for each character. A replacer function takes ten times as long for a text that consists of such characters. */
function escapeHtml(json: string): string {
  if (!htmlCharacters.test(json)) return json;
  let escaped = json;
  for (const [character, escape] of htmlEscapes) escaped = escaped.replaceAll(character, escape);
  return escaped;
}

const rawBigints = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;

function stringifyPlain(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    // JSON.stringify does not support bigint. A replacer is several times slower, so it is used only then.
    if (error instanceof TypeError) return JSON.stringify(value, rawBigints);
    throw error;
  }
}

/**
 * JSON as kube-apiserver writes it: compact, bigints exact, `<`, `>`, `&`, U+2028 and U+2029 escaped (Go's HTML-safe
 * default), keys in the object's order. Undefined members are omitted.
 */
export function stringifyJson(value: unknown): string {
  return escapeHtml(stringifyPlain(value));
}
