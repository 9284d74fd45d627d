import assert from 'node:assert/strict';
import { milliseconds } from './duration.ts';

describe('milliseconds', () => {
  it('reads durations as Go does, and days', () => {
    const table = {
      '90s': 90_000,
      '1h30m': 5_400_000,
      '2d': 172_800_000,
      '1d12h': 129_600_000,
      '-1d': -86_400_000,
      '250ms': 250,
    };
    for (const [text, expected] of Object.entries(table)) assert.equal(milliseconds(text), expected, text);
    assert.equal(milliseconds(7), 7);
    for (const wrong of ['', '5', 'an hour', '1dd', Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => milliseconds(wrong), RangeError, String(wrong));
  });
});
