import assert from 'node:assert/strict';
import fc from 'fast-check';
import { normalizeBase64 } from './base64.ts';
import { normalizeTime } from '@apichain/go-text';

describe('normalizeBase64', () => {
  it('accepts what the regular expression of the format accepts, unchanged', () => {
    const format = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
    const texts = fc.string({ unit: fc.constantFrom(...'aZ09+/=\n!'), maxLength: 12 });
    const isRefused = (text: string): boolean => {
      try {
        normalizeBase64(text);
        return false;
      } catch {
        return true;
      }
    };
    fc.assert(
      fc.property(texts, (text) => assert.equal(isRefused(text), !format.test(text.replaceAll('\n', '')), text)),
      { numRuns: 2000 },
    );
  });
  it('reports the byte of the error', () => {
    assert.throws(() => normalizeBase64(`${'A'.repeat(100_000)}!`), {
      message: 'illegal base64 data at input byte 100000',
    });
  });
});

describe('normalizeTime', () => {
  it('quotes refused text byte by byte', () => {
    assert.throws(() => normalizeTime('2020\u00e9"\\\n\x7f'), {
      message:
        'parsing time "2020\\xc3\\xa9\\"\\\\\\x0a\x7f" as "2006-01-02T15:04:05Z07:00": cannot parse "\\xc3\\xa9\\"\\\\\\x0a\x7f" as "-"',
    });
  });
});
