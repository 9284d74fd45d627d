import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { WarningRecorder } from './warning-recorder.ts';

/** The `Warning` headers of a response to which these texts were added. */
function headersFor(texts: readonly string[]): string[] {
  let headers: string[] = [];
  const response = {
    headersSent: false,
    appendHeader: (_: string, value: string) => headers.push(value),
    removeHeader: () => (headers = []),
  } as object as ServerResponse;
  const recorder = new WarningRecorder(response);
  for (const text of texts) recorder.add(text);
  return headers;
}

const long = (first: string, length: number) => first + 'x'.repeat(length - 1);
const header = (text: string) => `299 - "${text}"`;

describe('WarningRecorder', () => {
  it('records each text once, quoted, and drops texts that no header can hold', () => {
    assert.deepEqual(headersFor(['a "b" \\', 'a "b" \\', '', 'two\nlines', '\u{85}']), [header('a \\"b\\" \\\\')]);
    assert.deepEqual(headersFor(['é']), [header(Buffer.from('é').toString('latin1'))]);
  });

  it('truncates all texts above a total length, including the last one', () => {
    const texts = [long('a', 2000), long('b', 2096), 'c'];
    assert.deepEqual(headersFor(texts.slice(0, 2)), texts.slice(0, 2).map(header));
    assert.deepEqual(headersFor(texts), [header(long('a', 256)), header(long('b', 256)), header('c')]);
    assert.deepEqual(headersFor([long('é', 4097)])[0]?.length, header(long('é', 256)).length + 1);
  });

  it('adds truncated texts up to a total length, whole texts only', () => {
    const texts = Array.from({ length: 20 }, (_, i) => long(String.fromCharCode(97 + i), 300));
    const cut = (i: number) => header(texts[i]?.slice(0, 256) ?? '');
    assert.deepEqual(
      headersFor(texts),
      texts.slice(0, 16).map((_, i) => cut(i)),
    );
    const short = Array.from({ length: 30 }, (_, i) => long(String.fromCharCode(97 + i), 200));
    assert.equal(headersFor(short).length, 21);
  });
});
