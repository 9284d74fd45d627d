import assert from 'node:assert/strict';
import { formatMicroTime, formatTime, parseTime, sameInstant } from './go-time.ts';

describe('times', () => {
  it('are written in UTC', () => {
    const date = new Date('2026-01-02T03:04:05.678Z');
    assert.equal(formatTime(date), '2026-01-02T03:04:05Z');
    assert.equal(formatMicroTime(date), '2026-01-02T03:04:05.678000Z');
  });
  it('are read with any zone and compared by instant', () => {
    assert.equal(parseTime('1970-01-01T00:00:01.000002Z'), 1_000_002n);
    assert.equal(parseTime('2026-02-30T00:00:00Z'), undefined);
    assert.equal(parseTime('2026-01-01 00:00:00Z'), undefined);
    assert(sameInstant('2026-01-01T00:00:00Z', '2026-01-01T02:00:00+02:00'));
    assert(sameInstant(null, undefined));
    assert(!sameInstant(null, '2026-01-01T00:00:00Z'));
  });
});
