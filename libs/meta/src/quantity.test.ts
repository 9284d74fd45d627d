import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { assertLinear, outcome } from './linear.fixture.ts';
import { newQuantity, parseQuantity, QuantityError, quantityFromJson } from './quantity.ts';

describe('Quantity', () => {
  it('prints the canonical text', () => {
    for (const [text, canonical] of [
      ['0', '0'],
      ['0m', '0'],
      ['1000', '1k'],
      ['1500', '1500'],
      ['0.5', '500m'],
      ['1.500', '1.500'],
      ['1024Mi', '1Gi'],
      ['1025Mi', '1025Mi'],
      ['1.5Gi', '1536Mi'],
      ['0.1Ki', '102400m'],
      ['1e3', '1e3'],
      ['1e19', '10e18'],
      ['10Ei', '9223372036854775807'],
      ['0.0000000001', '1n'],
      ['-1.5Ki', '-1536'],
      ['12345678901234567890', '12345678901234567890'],
    ] as const) {
      assert.equal(parseQuantity(text).toString(), canonical, text);
    }
  });
  it('refuses malformed quantities', () => {
    const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    for (const text of ['', '1x', '1.2.3', '1 Gi', 'abc'])
      assert.throws(() => parseQuantity(text), { message: format });
    for (const text of ['1ki', '1e', '1mm']) {
      assert.throws(() => parseQuantity(text), { message: "unable to parse quantity's suffix" });
    }
    assert.throws(() => quantityFromJson({}), QuantityError);
  });
  it('rounds away from zero', () => {
    assert.equal(parseQuantity('1500m').value(), 2n);
    assert.equal(parseQuantity('-1500m').value(), -2n);
    assert.equal(parseQuantity('1u').milliValue(), 1n);
    // Beyond 64 bits.
    assert.equal(parseQuantity('1Ei').milliValue(), -9223372036854775808n);
    assert.equal(parseQuantity('1E').milliValue(), 0n);
    assert.equal(parseQuantity('9223372036854775808').value(), -9223372036854775808n);
    assert.equal(parseQuantity('100E').value(), 0n);
    assert.equal(parseQuantity('1Ki').asInt64(), 1024n);
    assert.equal(parseQuantity('1500m').asInt64(), undefined);
  });
  it('is read from JSON numbers and null', () => {
    assert.equal(quantityFromJson(2).toString(), '2');
    assert.equal(quantityFromJson(0.5).toString(), '500m');
    assert.equal(quantityFromJson(null).isZero, true);
    assert.equal(quantityFromJson(' 1Gi ').toString(), '1Gi');
    // In JSON, a line break is written as `\\n`.
    assert.throws(() => quantityFromJson('1Gi\n'), QuantityError);
  });
  it('compares without computing huge powers', () => {
    assert.equal(parseQuantity('1e1000000000').compare(parseQuantity('1')), 1);
    assert.equal(parseQuantity('-1e1000000000').compare(parseQuantity('1')), -1);
  });
  it('reads texts of any form in linear time', () => {
    const long = [
      (n: number) => '9'.repeat(n),
      (n: number) => `${'0'.repeat(n)}x`,
      (n: number) => `${'9'.repeat(n)}x`,
      (n: number) => `0.${'9'.repeat(n)}`,
      (n: number) => `1e${'9'.repeat(n)}`,
      (n: number) => `1e${'0'.repeat(n)}9`,
      (n: number) => `1${'m'.repeat(n)}`,
      (n: number) => `${' '.repeat(n)}1${' '.repeat(n)}x`,
    ];
    for (const text of long) assertLinear(text, (given) => void outcome(() => quantityFromJson(given)), 200_000);
    assert.throws(() => parseQuantity('9'.repeat(2_800_000)), {
      message: 'unable to parse numeric part of quantity',
    });
    assert.equal(parseQuantity(`1${'0'.repeat(999)}`).toString(), '1');
  });
  it('computes with huge exponents in constant time', () => {
    const [huge, one] = [parseQuantity('1e999999999'), parseQuantity('1')];
    assert.equal(huge.add(one).toString(), '1e999999999');
    assert.equal(one.add(huge).toString(), huge.add(one).toString().replace('e999999999', ''));
    assert.equal(one.sub(huge).sign, -1);
    assert.equal(huge.sub(one).compare(huge), 0);
    assert.equal(huge.value(), 0n);
    assert.equal(huge.milliValue(), 0n);
    assert(huge.scaledValue(-9) > 10n ** 1000n);
  });
  it('splits texts as the regular expression of the message does', () => {
    const syntax = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
    const texts = fc.string({ unit: fc.constantFrom(...'0129.+-eEmKi'), maxLength: 12 });
    const format = /^quantities must match/;
    fc.assert(
      fc.property(texts, (text) => {
        const isRefused = format.test(outcome(() => parseQuantity(text)));
        assert.equal(isRefused, text === '' || !syntax.test(text), text);
      }),
      { numRuns: 2000 },
    );
  });
  it('adds and subtracts exactly', () => {
    const amounts = fc.tuple(fc.integer(), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'n')).map(([n, s]) => `${n}${s}`);
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const [left, right] = [parseQuantity(a), parseQuantity(b)];
        const sum = left.add(right);
        assert.equal(sum.scaledValue(-9), left.scaledValue(-9) + right.scaledValue(-9));
        assert.equal(sum.sub(right).compare(left), 0);
        assert.equal(parseQuantity(sum.toString()).compare(sum), 0);
      }),
    );
  });

  it('keeps no text of which it is a part', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let at = 0; at < 50; at++) {
      const whole = Buffer.alloc(1 << 20, `${1_000_000_000_000_000 + at}`).toString();
      assert.equal(parseQuantity(whole.slice(0, 16)).compare(newQuantity(1_000_000_000_000_000 + at)), 0);
    }
    const kept = heap() - before;
    assert.ok(kept < 10 << 20, `${kept} bytes`);
  });
});
