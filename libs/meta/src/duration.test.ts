import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatDuration, parseDuration, parseDurationMs } from '@apichain/go-text';
import { assertLinear, outcome } from './linear.fixture.ts';

describe('durations', () => {
  it('read and print as in Go', () => {
    for (const [text, printed] of [
      ['1h30m', '1h30m0s'],
      ['1.5s', '1.5s'],
      ['-2ms', '-2ms'],
      ['0', '0s'],
      ['100us', '100\u00b5s'],
      ['1h2m3.004s', '1h2m3.004s'],
    ] as const) {
      assert.equal(formatDuration(parseDuration(text)), printed);
    }
  });
  it('have the errors of Go', () => {
    assert.equal(parseDurationMs('1h2m3.5s'), 3_723_500);
    assert.equal(parseDurationMs('-10ms'), -10);
    assert.equal(parseDurationMs('1500us'), 1.5);
    assert.throws(() => parseDuration('1'), { message: 'time: missing unit in duration "1"' });
    assert.throws(() => parseDuration('1x'), { message: 'time: unknown unit "x" in duration "1x"' });
    assert.throws(() => parseDuration('.s'), { message: 'time: invalid duration ".s"' });
    assert.throws(() => parseDuration('9999999h'), { message: 'time: invalid duration "9999999h"' });
  });
  it('are read in linear time', () => {
    const units = [
      (n: number) => '0h'.repeat(n),
      (n: number) => `0.${'0'.repeat(n)}1s`,
      (n: number) => '9'.repeat(n) + 's',
    ];
    for (const text of [...units, (n: number) => '0'.repeat(n) + '1s', (n: number) => '1'.repeat(n)])
      assertLinear(text, (given) => void outcome(() => parseDuration(given)), 200_000);
    assert.throws(() => parseDuration('0h'.repeat(501)), /^DurationError: time: invalid duration/);
    assert.equal(parseDuration('0h'.repeat(500)), 0n);
    assert.equal(parseDuration(`${'0'.repeat(100)}1.${'9'.repeat(100)}s`), 1_999_999_999n);
  });
  it('round-trip', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 62n), max: 1n << 62n }), (n) =>
        assert.equal(parseDuration(formatDuration(n)), n),
      ),
    );
  });
});
