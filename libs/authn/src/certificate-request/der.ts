/*
 * The Distinguished Encoding Rules of ASN.1 (X.690) as far as certificate requests need them. The words of errors are those of Go's
 * encoding/asn1.
 */

export class Asn1Error extends Error {}
export const syntaxError = (message: string): Asn1Error => new Asn1Error(`asn1: syntax error: ${message}`);
export const structureError = (message: string): Asn1Error => new Asn1Error(`asn1: structure error: ${message}`);

export interface Element {
  readonly class: number;
  readonly compound: boolean;
  readonly tag: number;
  readonly start: number;
  /** Where the content starts. */
  readonly content: number;
  readonly end: number;
}

export const tags = { bitString: 3, objectIdentifier: 6, sequence: 16, bmpString: 30 } as const;

/** Length of the element whose length byte is at `at`; `next` is where its content starts. Throws Asn1Error. */
export function lengthAt(der: Buffer, at: number): { length: number; next: number } {
  const first = der[at];
  if (first === undefined) throw syntaxError('truncated tag or length');
  if (first < 0x80) return { length: first, next: at + 1 };
  const count = first & 0x7f;
  if (count === 0) throw syntaxError('indefinite length found (not DER)');
  let length = 0;
  for (let i = 1; i <= count; i++) {
    const byte = der[at + i];
    if (byte === undefined) throw syntaxError('truncated tag or length');
    if (length >= 1 << 23) throw structureError('length too large');
    length = length * 256 + byte;
    if (length === 0) throw structureError('superfluous leading zeros in length');
  }
  if (length < 0x80) throw structureError('non-minimal length');
  return { length, next: at + count + 1 };
}

/** The element that starts there and ends before `limit`. Throws Asn1Error. */
export function elementAt(der: Buffer, start: number, limit: number): Element {
  const first = der[start];
  if (first === undefined || start >= limit) throw syntaxError('sequence truncated');
  const { length, next } = lengthAt(der, start + 1);
  const end = next + length;
  if (end > limit) throw syntaxError('data truncated');
  return { class: first >> 6, compound: (first & 0x20) !== 0, tag: first & 0x1f, start, content: next, end };
}

/** What a compound element holds. Throws Asn1Error. */
export function children(der: Buffer, parent: Element): Element[] {
  const result: Element[] = [];
  for (let at = parent.content; at < parent.end;) {
    const child = elementAt(der, at, parent.end);
    result.push(child);
    at = child.end;
  }
  return result;
}
