import type { JobSpec, JobStatus } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { viewJob } from './job-view.ts';
import { ago, newJob, newPod, now } from './job.fixture.ts';
import { outcomeOf } from './outcome.ts';

const indexed: JobSpec = { completionMode: 'Indexed', completions: 4, parallelism: 4, backoffLimit: 2 ** 31 - 1 };
const failed = (name: string, exitCode = 1, index?: number) =>
  newPod(name, { phase: 'Failed', exitCode, ...(index !== undefined && { index }) });
const failJob42 = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] };

describe('outcomeOf', () => {
  const rows: readonly [
    what: string,
    spec: JobSpec,
    status: JobStatus,
    pods: readonly Pod[],
    reason: string | undefined,
  ][] = [
    ['a job that runs', {}, {}, [newPod('a')], undefined],
    ['failures up to the limit', { backoffLimit: 2 }, { failed: 1 }, [failed('a')], undefined],
    ['failures beyond the limit', { backoffLimit: 1 }, { failed: 1 }, [failed('a')], 'BackoffLimitExceeded'],
    [
      'failures that are entered, but not counted yet',
      { backoffLimit: 1 },
      { failed: 1, uncountedTerminatedPods: { failed: ['a-uid'] } },
      [failed('a')],
      'BackoffLimitExceeded',
    ],
    [
      'a deleted pod, which is a failure',
      { backoffLimit: 0 },
      {},
      [newPod('a', { deleted: true })],
      'BackoffLimitExceeded',
    ],
    [
      'a deleted pod that only counts when it has failed',
      { backoffLimit: 0, podReplacementPolicy: 'Failed' },
      {},
      [newPod('a', { deleted: true })],
      undefined,
    ],
    [
      'restarts in place',
      { backoffLimit: 3, template: { spec: { restartPolicy: 'OnFailure' } } },
      {},
      [newPod('a', { status: { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 3 }] } })],
      'BackoffLimitExceeded',
    ],
    ['a deadline ahead', { activeDeadlineSeconds: 61 }, {}, [], undefined],
    ['a deadline that is reached', { activeDeadlineSeconds: 60 }, {}, [], 'DeadlineExceeded'],
    ['no deadline while suspended', { activeDeadlineSeconds: 60, suspend: true }, {}, [], undefined],
    ['a failure by policy', { podFailurePolicy: failJob42 }, {}, [failed('a', 42)], 'PodFailurePolicy'],
    ['a failure that the policy does not name', { podFailurePolicy: failJob42 }, {}, [failed('a', 1)], undefined],
    [
      'a failure that is ignored',
      {
        backoffLimit: 0,
        podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [42] } }] },
      },
      {},
      [failed('a', 1)],
      undefined,
    ],
    [
      'too many failed indexes',
      { ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 0 },
      {},
      [failed('a', 1, 2)],
      'MaxFailedIndexesExceeded',
    ],
    [
      'no index left that could succeed',
      { ...indexed, backoffLimitPerIndex: 0 },
      { completedIndexes: '0,1', failedIndexes: '3' },
      [failed('a', 1, 2)],
      'FailedIndexes',
    ],
    [
      'an index that may be tried again',
      { ...indexed, backoffLimitPerIndex: 1 },
      { completedIndexes: '0,1,3' },
      [failed('a', 1, 2)],
      undefined,
    ],
    [
      'a success rule that is met',
      {
        ...indexed,
        successPolicy: { rules: [{ succeededIndexes: '3' }, { succeededIndexes: '0-2', succeededCount: 2 }] },
      },
      { completedIndexes: '0,2' },
      [],
      'SuccessPolicy',
    ],
    [
      'what was decided before',
      { backoffLimit: 0 },
      { failed: 3, conditions: [{ type: 'SuccessCriteriaMet', status: 'True', reason: 'SuccessPolicy' }] },
      [],
      'SuccessPolicy',
    ],
    [
      'an announced failure',
      {},
      {
        conditions: [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', lastTransitionTime: ago(1) }],
      },
      [],
      'DeadlineExceeded',
    ],
  ];
  for (const [what, spec, status, pods, reason] of rows)
    it(`${reason ?? 'nothing'} for ${what}`, () => {
      assert.equal(outcomeOf(viewJob(newJob(spec, status), pods, new Set()), now)?.reason, reason);
    });

  it('names the container and the rule', () => {
    const view = viewJob(newJob({ podFailurePolicy: failJob42 }), [failed('a', 42)], new Set());
    assert.equal(
      outcomeOf(view, now)?.message,
      'Container main for pod default/a failed with exit code 42 matching FailJob rule at index 0',
    );
  });
});
