import type { ServerResponse } from 'node:http';

const totalLimit = 4096;
const truncatedRunes = 256;

/**
 * `Warning: 299 - "text"` headers of one answer: each text once, at most 4096 bytes together. Past that, every text is cut to
 * 256 characters and what still does not fit is dropped. https://kubernetes.io/docs/reference/using-api/deprecation-policy/
 */
export class WarningRecorder {
  readonly #response: ServerResponse;
  #texts: string[] | undefined;
  #bytes = 0;
  #truncating = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  add(text: string): void {
    if (text === '' || this.#response.headersSent) return;
    const texts = (this.#texts ??= []);
    if (texts.includes(text)) return;
    texts.push(text);
    this.#bytes += Buffer.byteLength(text);
    if (!this.#truncating && this.#bytes > totalLimit) this.#truncating = true;
    if (this.#truncating) this.#response.setHeader('Warning', fitting(texts));
    else this.#response.appendHeader('Warning', headerValue(text));
  }
}

function fitting(texts: readonly string[]): string[] {
  const values: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const cut = [...text].slice(0, truncatedRunes).join('');
    bytes += Buffer.byteLength(cut);
    if (bytes > totalLimit) break;
    values.push(headerValue(cut));
  }
  return values;
}

/** Headers carry bytes: UTF-8 is handed to Node one byte a character, control characters are left out. */
function headerValue(text: string): string {
  let quoted = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) continue;
    quoted += character === '"' || character === '\\' ? `\\${character}` : character;
  }
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}
