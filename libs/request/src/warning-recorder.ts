import type { ServerResponse } from 'node:http';

const totalLimit = 4096;
const truncatedRunes = 256;

/**
 * `Warning: 299 - "text"` headers of one answer: each text once. When they come to more than 4096 characters together, all of them,
 * the one that made it so many included, are cut to 256; further ones follow until there are that many once more. A text with control
 * characters can not be a header and is left out. Source: k8s.io/apiserver/pkg/endpoints/filters/warning.go.
 */
export class WarningRecorder {
  readonly #response: ServerResponse;
  #texts: Set<string> | undefined;
  #written = 0;
  #truncating = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  add(text: string): void {
    if (text === '' || this.#response.headersSent || (this.#truncating && this.#written >= totalLimit)) return;
    const texts = (this.#texts ??= new Set());
    if (texts.has(text)) return;
    texts.add(text);
    if (this.#truncating) {
      this.#write(cut(text));
      return;
    }
    if (this.#written + runesOf(text) <= totalLimit) {
      this.#write(text);
      return;
    }
    this.#truncating = true;
    this.#written = 0;
    this.#response.removeHeader('Warning');
    for (const recorded of texts) this.#write(cut(recorded));
  }

  #write(text: string): void {
    if (control.test(text)) return;
    this.#written += runesOf(text);
    this.#response.appendHeader('Warning', headerValue(text));
  }
}

const control = /\p{Cc}/u;

function runesOf(text: string): number {
  let runes = 0;
  for (const _ of text) runes++;
  return runes;
}

const cut = (text: string): string =>
  text.length <= truncatedRunes ? text : [...text.slice(0, 2 * truncatedRunes)].slice(0, truncatedRunes).join('');

/** Headers carry bytes: UTF-8 is handed to Node one byte a character. */
function headerValue(text: string): string {
  const quoted = text.replace(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}
