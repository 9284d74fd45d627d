import type { JobSpec, JobStatus } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { type FailureRecord, noFailures, recordEnds, remainingDelay } from './failure-backoff.ts';
import { viewJob } from './job-view.ts';
import { newJob, newPod, now } from './job.fixture.ts';
import { planPods } from './pod-plan.ts';

const indexed: JobSpec = { completionMode: 'Indexed', completions: 5, parallelism: 3 };
const countKey = 'batch.kubernetes.io/job-index-failure-count';
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe('planPods', () => {
  const rows: readonly [
    what: string,
    spec: JobSpec,
    status: JobStatus,
    pods: readonly Pod[],
    plan: unknown,
    record?: FailureRecord,
  ][] = [
    ['a new job', { completions: 5, parallelism: 2 }, {}, [], [undefined, undefined]],
    ['the last completions', { completions: 5, parallelism: 2 }, { succeeded: 4 }, [], [undefined]],
    ['a work queue before a success', { completions: undefined, parallelism: 2 }, {}, [newPod('a')], [undefined]],
    [
      'a work queue after a success',
      { completions: undefined, parallelism: 2 },
      { succeeded: 1 },
      [newPod('a')],
      'none',
    ],
    [
      'less parallelism',
      { completions: 5, parallelism: 1 },
      {},
      [newPod('b'), newPod('a', { phase: 'Pending' })],
      ['a'],
    ],
    ['a suspended job', { suspend: true }, {}, [newPod('a')], ['a']],
    ['a pod that ends', { completions: 1 }, {}, [newPod('a', { deleted: true })], [undefined]],
    ['a pod that must have failed', { podReplacementPolicy: 'Failed' }, {}, [newPod('a', { deleted: true })], 'none'],
    ['a recent failure', {}, {}, [], 6_000, { failures: 1, lastFailure: now - 4_000 }],
    ['three failures', {}, {}, [], 36_000, { failures: 3, lastFailure: now - 4_000 }],
    ['an old failure', {}, {}, [], [undefined], { failures: 1, lastFailure: now - 10_000 }],
    ['the first indexes', indexed, {}, [], [0, 1, 2]],
    ['indexes in between', indexed, { completedIndexes: '1' }, [newPod('a', { index: 2 })], [0, 3]],
    [
      'two pods of one index',
      indexed,
      {},
      [newPod('b', { index: 1 }), newPod('a', { index: 1, phase: 'Pending' })],
      ['a'],
    ],
    ['a pod without index', indexed, {}, [newPod('a')], ['a']],
    ['an index beyond the completions', indexed, {}, [newPod('a', { index: 5 })], ['a']],
    [
      'an index that waits while others start',
      { ...indexed, backoffLimitPerIndex: 3 },
      {},
      [newPod('a', { index: 0, phase: 'Failed', exitCode: 1, endedAgo: 2, annotations: { [countKey]: '1' } })],
      [1, 2],
    ],
    [
      'only indexes that wait',
      { ...indexed, backoffLimitPerIndex: 3 },
      { completedIndexes: '1-4' },
      [newPod('a', { index: 0, phase: 'Failed', exitCode: 1, endedAgo: 2, annotations: { [countKey]: '1' } })],
      18_000,
    ],
    [
      'no failed index again',
      { ...indexed, backoffLimitPerIndex: 0 },
      { completedIndexes: '1-3', failedIndexes: '0' },
      [],
      [4],
    ],
  ];
  for (const [what, given, status, pods, expected, record = noFailures] of rows)
    it(`for ${what}`, () => {
      const spec = { ...newJob(given).spec };
      if (given.completions === undefined && 'completions' in given) delete spec.completions;
      const plan = planPods(viewJob({ ...newJob({}, status), spec }, pods, new Set()), record, now);
      const found = { none: 'none', delete: [] as unknown, create: [] as unknown, wait: 0 as unknown };
      if (plan.action === 'delete') found.delete = names(plan.pods);
      if (plan.action === 'create') found.create = plan.indexes;
      if (plan.action === 'wait') found.wait = plan.delayMs;
      assert.deepEqual(found[plan.action], expected);
    });
});

describe('failures of a job', () => {
  const failed = (name: string, endedAgo: number) => newPod(name, { phase: 'Failed', exitCode: 1, endedAgo });
  const succeeded = (name: string, endedAgo: number) => newPod(name, { phase: 'Succeeded', exitCode: 0, endedAgo });
  it('count since the last success', () => {
    const before = { failures: 4, lastFailure: now - 90_000 };
    assert.deepEqual(recordEnds(before, [], [failed('a', 3), failed('b', 1)]), {
      failures: 6,
      lastFailure: now - 1_000,
    });
    assert.deepEqual(recordEnds(before, [succeeded('c', 2)], [failed('a', 3), failed('b', 1)]), {
      failures: 1,
      lastFailure: now - 1_000,
    });
    assert.deepEqual(recordEnds(before, [succeeded('c', 2)], []), noFailures);
  });
  it('delay up to ten minutes', () => assert.equal(remainingDelay({ failures: 50, lastFailure: now }, now), 600_000));
});
