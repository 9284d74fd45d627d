import type { ServerResponse } from 'node:http';
import type { RequestAudit } from './audit/request-audit.ts';

const totalLimit = 4096;
const truncatedRunes = 256;

/**
 * The `Warning: 299 - "text"` headers of one response. Each text is added once. When the texts exceed 4096 characters in total, all of them,
 * including the last, are cut to 256 characters. Further texts are then cut and added until the total reaches 4096 again. A text with control
 * characters cannot be a header and is dropped. Source: k8s.io/apiserver/pkg/endpoints/filters/warning.go.
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

/** Headers carry bytes. Node expects UTF-8 as one character per byte. */
function headerValue(text: string): string {
  const quoted = text.replace(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}

const removal = /unavailable in v(\d+\.\d+)\+/;

/** The release in which an API is removed, as its warning states: `1.25`; empty when the warning does not say. */
export const removedRelease = (warning: string): string => removal.exec(warning)?.[1] ?? '';

/** https://kubernetes.io/docs/reference/labels-annotations-taints/audit-annotations/#k8s-io-deprecated */
export function noteDeprecation(audit: RequestAudit, warning: string): void {
  audit.annotate('k8s.io/deprecated', 'true');
  const release = removedRelease(warning);
  if (release !== '') audit.annotate('k8s.io/removed-release', release);
}
