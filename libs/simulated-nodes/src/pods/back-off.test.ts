import assert from 'node:assert/strict';
import { pullAttempt } from './back-off.ts';

describe('pulls that fail', () => {
  const rows: readonly (readonly [now: number, reason: string, since: number, until: number])[] = [
    [0, 'ErrImagePull', 0, 1],
    [1, 'ImagePullBackOff', 1, 10],
    [10, 'ErrImagePull', 10, 11],
    [29, 'ImagePullBackOff', 11, 30],
    [30, 'ErrImagePull', 30, 31],
    [309, 'ImagePullBackOff', 151, 310],
    [310, 'ErrImagePull', 310, 311],
    [611, 'ImagePullBackOff', 611, 910],
    [910, 'ErrImagePull', 910, 911],
    [86_400, 'ImagePullBackOff', 86_111, 86_410],
  ];
  for (const [now, reason, since, until] of rows)
    it(`show ${reason} after ${now} s`, () => {
      const begin = Date.UTC(2026, 0, 1);
      assert.deepEqual(pullAttempt(begin, begin + now * 1_000), {
        reason,
        since: begin + since * 1_000,
        until: begin + until * 1_000,
      });
    });
});
