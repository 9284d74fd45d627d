import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { decode as peerDecode, encode as peerEncode } from 'cbor2';
import fc from 'fast-check';
import { CborError, decodeCbor, encodeCbor, encodeCborItem, looksLikeCbor } from './index.ts';

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');
const item = (value: unknown) => encodeCborItem(value).toString('hex');

describe('encodeCbor', () => {
  it('begins with the tag of self-described CBOR', () => {
    assert.equal(encodeCbor({}).toString('hex'), 'd9d9f7a0');
    assert.ok(looksLikeCbor(encodeCbor('x')));
  });

  it('writes numbers as short as RFC 8949 has them', () => {
    const examples: [unknown, string][] = [
      [0, '00'],
      [23, '17'],
      [24, '1818'],
      [1000, '1903e8'],
      [1000000, '1a000f4240'],
      [1000000000000, '1b000000e8d4a51000'],
      [9223372036854775807n, '1b7fffffffffffffff'],
      [-1, '20'],
      [-1000, '3903e7'],
      [-9223372036854775808n, '3b7fffffffffffffff'],
      [5n, '05'],
      [1.5, 'f93e00'],
      [-0, 'f98000'],
      [100000.5, 'fa47c35040'],
      [1.1, 'fb3ff199999999999a'],
      [1e300, 'fb7e37e43c8800759c'],
    ];
    for (const [value, expected] of examples) assert.equal(item(value), expected, String(value));
    assert.throws(() => encodeCbor(NaN), CborError);
  });

  it('writes strings and sorted keys as byte strings', () => {
    assert.equal(item('IETF'), '4449455446');
    assert.equal(item({ bb: 1, c: 2, aa: 3, skipped: undefined }), 'a341630242616103426262' + '01');
    assert.equal(item([true, false, null, []]), '84f5f4f680');
  });
});

describe('decodeCbor', () => {
  it('reads all JSON values, with and without the tag', () => {
    assert.deepEqual(decodeCbor(hex('d9d9f7 a1 61 61 83 01 20 f93e00')), { a: [1, -1, 1.5] });
    assert.deepEqual(decodeCbor(hex('a1 41 61 4162')), { a: 'b' });
    assert.equal(decodeCbor(hex('1b7fffffffffffffff')), 9223372036854775807n);
    assert.equal(decodeCbor(hex('3b7fffffffffffffff')), -9223372036854775808n);
  });

  it('reads indefinite lengths', () => {
    assert.deepEqual(decodeCbor(hex('bf 61 61 9f 01 02 ff 7f 6162 6163 ff 5f 4164 ff ff')), { a: [1, 2], bc: 'd' });
  });

  it('applies the encodings that byte strings expect, nested ones too', () => {
    assert.equal(decodeCbor(hex('d6 43 fb ff 01')), '+/8B');
    assert.equal(decodeCbor(hex('d5 43 fb ff 01')), '-_8B');
    assert.deepEqual(decodeCbor(hex('d7 82 42 fb ff 61 61')), ['fbff', 'a']);
  });

  it('reads times as text', () => {
    assert.equal(decodeCbor(hex('c0 74 323031332d30332d32315432303a30343a30305a')), '2013-03-21T20:04:00Z');
    assert.equal(decodeCbor(hex('c1 1a 514b67b0')), '2013-03-21T20:04:00Z');
    assert.equal(decodeCbor(hex('c1 fb 41d452d9ec200000')), '2013-03-21T20:04:00.5Z');
  });

  it('refuses invalid data with the messages of kube-apiserver', () => {
    const refusals: [string, string][] = [
      ['', 'EOF'],
      ['61', 'unexpected EOF'],
      ['9b00ffffffffffffff', 'unexpected EOF'],
      ['bb0000000000300000', 'cbor: exceeded max number of key-value pairs 2097152 for CBOR map'],
      ['0000', 'cbor: 1 bytes of extraneous data starting at index 1'],
      ['a2 6161 01 4161 02', 'cbor: found duplicate map key "a" at map element index 1'],
      [
        '1bffffffffffffffff',
        "cbor: cannot unmarshal positive integer into Go value of type int64 (18446744073709551615 overflows Go's int64)",
      ],
      ['61ff', 'cbor: invalid UTF-8 string'],
      ['f97e00', 'cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN'],
      [
        'fb7ff0000000000000',
        'cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity',
      ],
      ['f7', 'cbor: data item of cbor type primitives is not accepted by protocol: simple value 23'],
      ['f8ff', 'cbor: data item of cbor type primitives is not accepted by protocol: simple value 255'],
      ['c24101', 'cbor: data item of cbor type tag is not accepted by protocol: bignum'],
      ['ff', 'cbor: unexpected "break" code'],
      ['bf6161ff', 'cbor: unexpected "break" code'],
      ['1c', 'cbor: invalid additional information 28 for type positive integer'],
      ['5f6161ff', 'cbor: wrong element type UTF-8 text string for indefinite-length byte string'],
      ['a10001', 'cbor: cannot unmarshal map key into Go value of type string'],
      ['a18000', 'cbor: cannot unmarshal array into Go value of type string'],
    ];
    for (const [bytes, message] of refusals) {
      assert.throws(() => decodeCbor(hex(bytes)), { name: 'CborError', message }, bytes);
    }
  });

  it('limits the depth, and takes memory in proportion to the bytes', () => {
    const nested = (levels: number, open: number) => Buffer.concat([Buffer.alloc(levels, open), Buffer.from([0xf6])]);
    assert.doesNotThrow(() => decodeCbor(nested(10_000, 0x81)));
    assert.throws(() => decodeCbor(nested(10_001, 0x81)), /exceeded max nested level 10000/);
    assert.throws(() => decodeCbor(nested(3_000_000, 0xc6)), /exceeded max nested level 10000/);
    const wide = Buffer.concat([
      Buffer.alloc(9_999, 0x81),
      Buffer.from([0x9f]),
      Buffer.alloc(3_000_000, 1),
      Buffer.from([0xff]),
    ]);
    const began = process.threadCpuUsage();
    const value = decodeCbor(wide);
    assert.ok(process.threadCpuUsage(began).user < 3_000_000);
    assert.equal(encodeCborItem(value).length, 9_999 + 5 + 3_000_000);
  });

  it('creates own properties for every name', () => {
    const value = decodeCbor(hex('a1 49 5f5f70726f746f5f5f a1 4161 f5')) as Record<string, unknown>;
    assert.deepEqual(Object.keys(value), ['__proto__']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(({} as Record<string, unknown>)['a'], undefined);
  });

  it('round-trips, and agrees with another implementation', () => {
    const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 6 });
    const sorted = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(sorted);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([k, v]) => [k, sorted(v)]),
      );
    };
    fc.assert(
      fc.property(json, (value) => {
        const bytes = encodeCbor(value);
        assert.deepEqual(sorted(decodeCbor(bytes)), sorted(value));
        assert.deepEqual(encodeCbor(decodeCbor(bytes)), bytes);
        assert.deepEqual(sorted(decodeCbor(Buffer.from(peerEncode(value)))), sorted(value));
      }),
      { seed: 1 },
    );
    fc.assert(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()), (value) => {
        assert.equal(peerDecode(encodeCborItem(value)), value);
      }),
      { seed: 2 },
    );
  });

  it('takes no more memory for lists of one item and for empty ones than they need', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const count = 100_000;
    const bytesOf = (repeated: string): number => {
      const head = Buffer.from([0x9a, 0, 0, 0, 0]);
      head.writeUInt32BE(count, 1);
      const bytes = Buffer.concat([head, Buffer.from(repeated.repeat(count), 'hex')]);
      collect();
      const before = process.memoryUsage().heapUsed;
      const value = decodeCbor(bytes);
      collect();
      const used = process.memoryUsage().heapUsed - before;
      assert.ok(Array.isArray(value) && value.length === count);
      return used / count;
    };
    // 8 bytes for the reference, 32 for the list, 24 for its item. With a reserve for more items it would be 190.
    for (const [what, repeated] of Object.entries({ 'a list of one item': '8101', 'an empty list': '80' })) {
      const used = bytesOf(repeated);
      assert.ok(used < 110, `${what} takes ${used.toFixed(0)} bytes`);
    }
  });

  it('throws only decoder errors for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeCbor(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof CborError, String(error));
        }
      }),
      { seed: 3, numRuns: 5_000 },
    );
  });
});
