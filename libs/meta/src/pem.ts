/** `type` is the label between BEGIN and END, such as `CERTIFICATE`. */
export interface PemBlock {
  readonly type: string;
  /** Whether lines such as `Proc-Type: 4,ENCRYPTED` precede the data. */
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const begin = '-----BEGIN ';
const end = '-----END ';
const dashes = '-----';

/**
 * The blocks of a PEM text, as Go's encoding/pem finds them; unreadable parts are skipped. The text may be arbitrary. The running time is
 * linear.
 */
export function* pemBlocks(text: string): Generator<PemBlock> {
  const endAfter = cachedSearch(text, `\n${end}`);
  for (let at = startOfBlock(text, 0); at >= 0; at = startOfBlock(text, at)) {
    const first = lineAt(text, at + begin.length);
    at = first.next;
    if (!first.line.endsWith(dashes)) continue;
    const type = first.line.slice(0, -dashes.length);
    const body = afterHeaders(text, at);
    if (body >= text.length) return;
    const hasHeaders = body > at;
    at = body;
    const isEmpty = !hasHeaders && text.startsWith(end, body);
    const stop = isEmpty ? body : endAfter(body);
    if (stop < 0) continue;
    const trailer = stop + (isEmpty ? 0 : 1) + end.length;
    const wanted = `${type}${dashes}`;
    if (!text.startsWith(wanted, trailer)) continue;
    const rest = lineAt(text, trailer + wanted.length);
    const bytes = rest.line === '' ? decoded(text, body, stop) : undefined;
    if (bytes === undefined) continue;
    yield { type, hasHeaders, bytes };
    at = rest.next;
  }
}

/** The position of the next line that begins a block; negative if there is none. */
function startOfBlock(text: string, at: number): number {
  if (text.startsWith(begin, at)) return at;
  const found = text.indexOf(`\n${begin}`, at);
  return found < 0 ? found : found + 1;
}

/** A line without trailing white space, and the position of the next line. */
function lineAt(text: string, at: number): { readonly line: string; readonly next: number } {
  const found = text.indexOf('\n', at);
  const next = found < 0 ? text.length : found + 1;
  let stop = found < 0 ? text.length : found;
  if (found > at && text[found - 1] === '\r') stop--;
  while (stop > at && (text[stop - 1] === ' ' || text[stop - 1] === '\t')) stop--;
  return { line: text.slice(at, stop), next };
}

function afterHeaders(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const { line, next } = lineAt(text, at);
    if (!line.includes(':')) break;
    at = next;
  }
  return at;
}

/** `indexOf` for positions that only grow. No part of the text is searched twice. */
function cachedSearch(text: string, wanted: string): (from: number) => number {
  let found = -2;
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(wanted, from);
    return found;
  };
}

/** Undefined if the text is not valid base64. */
function decoded(text: string, from: number, to: number): Buffer | undefined {
  const other = text.indexOf('-', from);
  if (other >= 0 && other < to) return undefined;
  const base64 = text.slice(from, to).replace(/[ \t\r\n]/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  return Buffer.from(base64, 'base64');
}
