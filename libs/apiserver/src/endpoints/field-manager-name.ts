const maxManagerBytes = 128;

/** The first 128 bytes of a text; characters are not split. */
function cutToBytes(text: string): string {
  let bytes = 0;
  let out = '';
  for (const rune of text) {
    bytes += Buffer.byteLength(rune);
    if (bytes > maxManagerBytes) break;
    out += rune;
  }
  return out;
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/**
 * The name of the field manager: the `fieldManager` parameter, or the product of the User-Agent. Source: managerOrUserAgent of endpoints/handlers.
 */
export function fieldManagerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const product = userAgent.split('/', 1)[0] ?? '';
  return cutToBytes([...product].filter((rune) => printable.test(rune)).join(''));
}
