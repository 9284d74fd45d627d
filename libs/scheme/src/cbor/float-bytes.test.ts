import assert from 'node:assert/strict';
import { decode as peerDecode, encode as peerEncode } from 'cbor2';
import fc from 'fast-check';
import { floatBytes, halfValue } from './float-bytes.ts';

const same = (value: number) => {
  const expected = Buffer.from(peerEncode(value, { avoidInts: true })).toString('hex');
  assert.equal(floatBytes(value).toString('hex'), expected, String(value));
};

describe('floatBytes', () => {
  it('writes every 2-byte float in two bytes', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
      // Infinities and NaN.
      if (exponent === 0x1f) continue;
      const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
      const written = floatBytes(bits < 0x8000 ? size : -size);
      assert.equal(written.toString('hex'), `f9${bits.toString(16).padStart(4, '0')}`);
    }
  });

  it('writes other numbers in the fewest bytes that preserve them, as another library does', () => {
    for (const edge of [
      65504,
      65505,
      65536,
      2 ** -24,
      2 ** -25,
      1.5 * 2 ** -24,
      2 ** -14 + 2 ** -25,
      2 ** -149,
      2 ** -150,
    ])
      for (const value of [edge, -edge]) same(value);
    for (const value of [3.4028234663852886e38, 3.5e38, Number.MIN_VALUE, Number.MAX_VALUE, 1 / 3, Math.fround(1 / 3)])
      same(value);
    fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), same));
    fc.assert(fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), same));
  });
});

describe('halfValue', () => {
  it('reads all 2-byte floats as another library does', () => {
    const bytes = Buffer.from([0xf9, 0, 0]);
    for (let bits = 0; bits < 0x10000; bits++) {
      bytes.writeUInt16BE(bits, 1);
      assert.ok(Object.is(halfValue(bits), peerDecode(bytes)), bits.toString(16));
    }
  });
});
