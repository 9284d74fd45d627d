import assert from 'node:assert/strict';
import { normalizeBase64 } from './scalars/base64.ts';
import { normalizeMicroTime, normalizeTime } from '@apichain/go-text';

const layout = '2006-01-02T15:04:05Z07:00';
const micro = '2006-01-02T15:04:05.000000Z07:00';

describe('Go times', () => {
  const accepted: readonly (readonly [string, string | null])[] = [
    ['2001-02-03T04:05:06Z', '2001-02-03T04:05:06Z'],
    ['2001-02-03T04:05:06.999999999Z', '2001-02-03T04:05:06Z'],
    ['2001-02-03T00:05:06+01:00', '2001-02-02T23:05:06Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00Z'],
    ['0001-01-01T00:00:00Z', null],
  ];
  for (const [text, normal] of accepted) it(`reads ${text}`, () => assert.equal(normalizeTime(text), normal));

  const refused: readonly (readonly [string, string])[] = [
    ['yesterday', `parsing time "yesterday" as "${layout}": cannot parse "yesterday" as "2006"`],
    ['', `parsing time "" as "${layout}": cannot parse "" as "2006"`],
    ['2001-02-03', `parsing time "2001-02-03" as "${layout}": cannot parse "" as "T"`],
    ['2001-13-03T04:05:06Z', 'parsing time "2001-13-03T04:05:06Z": month out of range'],
    ['2001-02-30T04:05:06Z', 'parsing time "2001-02-30T04:05:06Z": day out of range'],
    ['2001-02-03T25:05:06Z', 'parsing time "2001-02-03T25:05:06Z": hour out of range'],
    ['2001-02-03T04:05:06', `parsing time "2001-02-03T04:05:06" as "${layout}": cannot parse "" as "Z07:00"`],
    ['ü"\\\n', `parsing time "\\xc3\\xbc\\"\\\\\\x0a" as "${layout}": cannot parse "\\xc3\\xbc\\"\\\\\\x0a" as "2006"`],
    ['2001-02-03T04:05:06Zx', 'parsing time "2001-02-03T04:05:06Zx": extra text: "x"'],
  ];
  for (const [text, message] of refused) {
    it(`refuses ${text || 'an empty text'}`, () => assert.throws(() => normalizeTime(text), { message }));
  }

  it('requires six fractional digits in a MicroTime', () => {
    assert.equal(normalizeMicroTime('2001-02-03T04:05:06.123456+01:00'), '2001-02-03T03:05:06.123456Z');
    assert.throws(() => normalizeMicroTime('2001-02-03T04:05:06Z'), {
      message: `parsing time "2001-02-03T04:05:06Z" as "${micro}": cannot parse "Z" as ".000000"`,
    });
  });
});

describe('base64 of []byte fields', () => {
  const accepted: readonly (readonly [string, string])[] = [
    ['', ''],
    ['YWI=', 'YWI='],
    ['YWJ=', 'YWI='],
    ['Y\nWJ\r\nj', 'YWJj'],
  ];
  for (const [text, normal] of accepted) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(normalizeBase64(text), normal));
  }
  const refused: readonly (readonly [string, number])[] = [
    ['@@', 0],
    ['abc', 0],
    ['YWJjZ', 4],
    ['Y=', 1],
    ['YW=x', 3],
    ['YW==x', 4],
    ['a b=', 1],
  ];
  for (const [text, offset] of refused) {
    it(`refuses ${text}`, () =>
      assert.throws(() => normalizeBase64(text), { message: `illegal base64 data at input byte ${offset}` }));
  }
});
