import type { CronJob, CronJobSpec } from '@apichain/api/batch/v1';
import { parseSchedule } from '@apichain/go-text';
import assert from 'node:assert/strict';
import { jobsBeyondHistory, jobOf } from './jobs.ts';
import { NeverDueError, dueTime } from './missed-times.ts';

const created = '2026-01-01T10:00:00Z';
const at = (time: string) => Date.parse(`2026-01-${time}Z`);
const newCronJob = (spec: CronJobSpec, lastScheduleTime?: string): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tick', namespace: 'default', uid: 'u', creationTimestamp: created },
  spec,
  status: lastScheduleTime === undefined ? {} : { lastScheduleTime },
});

describe('dueTime', () => {
  const rows: readonly [
    what: string,
    spec: CronJobSpec,
    last: string | undefined,
    now: string,
    due: string | undefined,
    next: string,
    many?: boolean,
  ][] = [
    ['before the first time', { schedule: '0 * * * *' }, undefined, '01T10:30:00', undefined, '01T11:00:00.100'],
    ['at the first time', { schedule: '0 * * * *' }, undefined, '01T11:00:00', '01T11:00:00', '01T12:00:00.100'],
    ['after a start', { schedule: '0 * * * *' }, '2026-01-01T11:00:00Z', '01T11:00:01', undefined, '01T12:00:00.100'],
    [
      'after missed times, the latest',
      { schedule: '0 * * * *' },
      '2026-01-01T11:00:00Z',
      '02T11:30:00',
      '02T11:00:00',
      '02T12:00:00.100',
    ],
    [
      'of more than a hundred',
      { schedule: '* * * * *' },
      undefined,
      '01T12:00:30',
      '01T12:00:00',
      '01T12:01:00.100',
      true,
    ],
    [
      'within the deadline only',
      { schedule: '* * * * *', startingDeadlineSeconds: 200 },
      undefined,
      '01T12:00:30',
      '01T12:00:00',
      '01T12:01:00.100',
      false,
    ],
    [
      'with uneven times',
      { schedule: '30 6-16/4 * * 1-5' },
      '2026-01-02T14:30:00Z',
      '05T06:45:00',
      '05T06:30:00',
      '05T10:30:00.100',
    ],
  ];
  for (const [what, spec, last, now, due, next, many = false] of rows)
    it(what, () => {
      const found = dueTime(newCronJob(spec, last), parseSchedule(spec.schedule ?? ''), at(now));
      assert.deepEqual(
        { due: found.due, many: found.missedMany, next: found.lookAgain },
        { due: due === undefined ? undefined : at(due), many, next: at(next) },
      );
    });
  it('refuses a schedule that never comes', () =>
    assert.throws(() => dueTime(newCronJob({}), parseSchedule('0 0 31 2 *'), at('05T00:00:00')), NeverDueError));
});

describe('jobs of a CronJob', () => {
  it('are named after the minute, with the time in the zone of the CronJob', () => {
    const cronJob = newCronJob({
      timeZone: 'America/St_Johns',
      jobTemplate: { metadata: { annotations: { a: 'b' } } },
    });
    const { metadata } = jobOf(cronJob, at('01T11:00:00'));
    assert.equal(metadata.name, `tick-${at('01T11:00:00') / 60_000}`);
    assert.deepEqual(metadata.annotations, {
      a: 'b',
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T07:30:00-03:30',
    });
  });
  it('are deleted beyond the limits, the oldest first', () => {
    const job = (name: string, type: string, startTime?: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      status: { conditions: [{ type, status: 'True' }], ...(startTime !== undefined && { startTime }) },
    });
    const jobs = [
      job('new', 'Complete', '2026-01-01T03:00:00Z'),
      job('never', 'Complete'),
      job('old', 'Complete', '2026-01-01T01:00:00Z'),
      job('failed', 'Failed', '2026-01-01T02:00:00Z'),
      job('running', 'Suspended', '2026-01-01T00:00:00Z'),
    ];
    const names = (spec: CronJobSpec) => jobsBeyondHistory(newCronJob(spec), jobs).map(({ metadata }) => metadata.name);
    assert.deepEqual(names({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }), ['old', 'new', 'failed']);
    assert.deepEqual(names({}), []);
  });
});
