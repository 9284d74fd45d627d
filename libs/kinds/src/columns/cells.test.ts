import assert from 'node:assert/strict';
import { humanDuration } from '@apichain/go-text';
import { age } from './cells.ts';

describe('humanDuration', () => {
  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  const cases: readonly (readonly [number, string])[] = [
    [-5 * second, '<invalid>'],
    [0, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 5 * second, '2m5s'],
    [10 * minute + 5 * second, '10m'],
    [3 * hour + 7 * minute, '3h7m'],
    [9 * hour + 7 * minute, '9h'],
    [2 * day + 3 * hour, '2d3h'],
    [9 * day, '9d'],
    [800 * day, '2y70d'],
    [3000 * day, '8y'],
  ];
  for (const [milliseconds, text] of cases) {
    it(`shows ${milliseconds} ms as ${text}`, () => assert.equal(humanDuration(milliseconds), text));
  }

  it('shows <unknown> without a timestamp', () => assert.equal(age(undefined), '<unknown>'));
});
