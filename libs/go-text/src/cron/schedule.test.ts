import assert from 'node:assert/strict';
import { parseSchedule, scheduleError } from './parse-schedule.ts';

/** The next `count` times after `from`, as instants in UTC without seconds. */
function times(schedule: string, from: string, count: number): string[] {
  const parsed = parseSchedule(schedule);
  const found: string[] = [];
  let instant: number | undefined = Date.parse(from);
  while (found.length < count) {
    instant = parsed.next(instant);
    if (instant === undefined) return found;
    found.push(new Date(instant).toISOString().slice(0, 16));
  }
  return found;
}

describe('cron schedules', () => {
  const rows: readonly [schedule: string, from: string, expected: readonly string[]][] = [
    [
      '*/15 * * * *',
      '2026-01-01T00:00:00Z',
      ['2026-01-01T00:15', '2026-01-01T00:30', '2026-01-01T00:45', '2026-01-01T01:00'],
    ],
    ['*/15 * * * *', '2026-01-01T00:14:59.999Z', ['2026-01-01T00:15']],
    ['@hourly', '2026-01-01T23:30:00Z', ['2026-01-02T00:00', '2026-01-02T01:00']],
    ['@weekly', '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['@yearly', '2026-01-01T00:00:00Z', ['2027-01-01T00:00']],
    ['@every 90m', '2026-01-01T00:00:10.500Z', ['2026-01-01T01:30', '2026-01-01T03:00']],
    ['59 23 31 2 *', '2026-01-01T00:00:00Z', []],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00']],
    // Both days restricted: either.
    [
      '0 12 13 * fri',
      '2026-01-01T00:00:00Z',
      ['2026-01-02T12:00', '2026-01-09T12:00', '2026-01-13T12:00', '2026-01-16T12:00'],
    ],
    // A star with a step is a restriction, one with the step 1 is not.
    ['0 12 */30 * fri', '2026-01-01T13:00:00Z', ['2026-01-02T12:00', '2026-01-09T12:00']],
    ['0 12 */1 * fri', '2026-01-01T13:00:00Z', ['2026-01-02T12:00', '2026-01-09T12:00']],
    ['0 9-17/4 * jan-feb mon', '2026-02-16T10:00:00Z', ['2026-02-16T13:00', '2026-02-16T17:00', '2026-02-23T09:00']],
    ['TZ=America/New_York 30 9 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T14:30']],
    ['TZ=America/New_York 30 9 * * *', '2026-07-01T00:00:00Z', ['2026-07-01T13:30']],
    // 02:30 does not exist on 8 March.
    ['TZ=America/New_York 30 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-09T06:30']],
    // 01:30 exists twice on 1 November.
    [
      'TZ=America/New_York 30 1 * * *',
      '2026-10-31T12:00:00Z',
      ['2026-11-01T05:30', '2026-11-01T06:30', '2026-11-02T06:30'],
    ],
    // Days that begin at 01:00, west and east of Greenwich.
    ['TZ=America/Santiago 0 12 * * sun', '2026-08-31T12:00:00Z', ['2026-09-06T15:00']],
    ['TZ=Asia/Beirut 0 12 * * sun', '2026-03-23T12:00:00Z', ['2026-03-29T09:00']],
    ['CRON_TZ=Asia/Kolkata 0 0 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T18:30']],
  ];
  for (const [schedule, from, expected] of rows)
    it(`${schedule} after ${from}`, () => {
      assert.deepEqual(times(schedule, from, Math.max(1, expected.length)), expected);
    });

  it('says what is wrong', () => {
    assert.equal(scheduleError('* * * *'), 'expected exactly 5 fields, found 4: [* * * *]');
    assert.equal(
      scheduleError('TZ=Nowhere/At * * * * *'),
      'provided bad location Nowhere/At: unknown time zone Nowhere/At',
    );
  });
});
