import assert from 'node:assert/strict';
import type { CronJob, Job } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import { WorkloadChain, soon } from './workload-chain.ts';

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
const template = { spec: podSpec };
const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const conditionsOf = ({ status }: Job) =>
  (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);

/** The state that a kubelet reports of a pod whose container has ended now. */
function ended(exitCode: number, now: number) {
  const finishedAt = new Date(now).toISOString().replace(/\.\d+Z/, 'Z');
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: [
      {
        name: 'main',
        image: 'busybox',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode, finishedAt } },
      },
    ],
  };
}

describe('job controller', function () {
  this.timeout(480_000);

  async function pods(chain: WorkloadChain, phase?: string): Promise<Pod[]> {
    const found = await chain.list<Pod>('pods');
    return phase === undefined ? found : found.filter(({ status }) => status?.phase === phase);
  }

  it('runs an Indexed job whose pods fail, and retries each index by the clock', async () => {
    await using chain = await WorkloadChain.start(['job', 'garbagecollector']);
    await chain.create<Job>('jobs', {
      kind: 'Job',
      metadata: { name: 'work' },
      spec: {
        completions: 3,
        parallelism: 2,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        maxFailedIndexes: 1,
        template,
      },
    });
    const end = async (index: number, exitCode: number) => {
      const pod = await soon(async () => {
        const found = (await pods(chain, 'Pending')).find(
          ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === String(index),
        );
        assert.ok(found, `no pod for index ${index}`);
        return found;
      });
      await chain.setStatus('pods', pod.metadata.name ?? '', ended(exitCode, chain.chain.clock.now()));
      return pod;
    };
    const first = await end(0, 0);
    assert.match(first.metadata.name ?? '', /^work-0-[a-z0-9]{5}$/);
    assert.equal(first.spec?.hostname, 'work-0');
    assert.equal(first.metadata.labels?.['batch.kubernetes.io/job-name'], 'work');
    assert.deepEqual(first.spec.containers?.[0]?.env, [
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: {
          fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
        },
      },
    ]);
    const failed = await end(1, 1);
    assert.equal(failed.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'], '0');
    await end(2, 0);
    await soon(async () => {
      const { status } = await chain.get<Job>('jobs', 'work');
      assert.equal(status?.completedIndexes, '0,2');
      assert.equal(status.active, undefined);
    });
    assert.equal((await pods(chain, 'Pending')).length, 0, 'the failed index waits');
    await chain.chain.clock.advance(11 * secondMs);
    const second = await end(1, 1);
    assert.equal(second.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'], '1');
    const job = await soon(async () => {
      const found = await chain.get<Job>('jobs', 'work');
      assert.deepEqual(conditionsOf(found), ['FailureTarget=True FailedIndexes', 'Failed=True FailedIndexes']);
      return found;
    });
    const {
      succeeded,
      failed: failures,
      completedIndexes,
      failedIndexes,
      uncountedTerminatedPods,
      ready,
      terminating,
    } = job.status ?? {};
    assert.deepEqual(
      { succeeded, failures, completedIndexes, failedIndexes, uncountedTerminatedPods, ready, terminating },
      {
        succeeded: 2,
        failures: 2,
        completedIndexes: '0,2',
        failedIndexes: '1',
        uncountedTerminatedPods: {},
        ready: 0,
        terminating: 0,
      },
    );
    for (const { metadata } of await pods(chain)) assert.equal(metadata.finalizers, undefined);
    await soon(async () => {
      const events = await chain.events('work');
      assert.equal(events.filter((event) => /^SuccessfulCreate: Created pod: work-\d-/.test(event)).length, 4);
      assert.equal(events.at(-1), 'FailedIndexes: Job has failed indexes');
    });
  });

  it('suspends and resumes, and completes', async () => {
    await using chain = await WorkloadChain.start(['job']);
    await chain.create<Job>('jobs', {
      kind: 'Job',
      metadata: { name: 'pause' },
      spec: { parallelism: 2, completions: 2, template },
    });
    await soon(async () => assert.equal((await chain.get<Job>('jobs', 'pause')).status?.active, 2));
    await chain.patch('jobs', 'pause', { spec: { suspend: true } });
    await soon(async () => {
      const job = await chain.get<Job>('jobs', 'pause');
      assert.deepEqual(conditionsOf(job), ['Suspended=True JobSuspended']);
      assert.equal(job.status?.startTime, undefined);
      assert.equal((await pods(chain)).length, 0);
    });
    await chain.patch('jobs', 'pause', { spec: { suspend: false } });
    const running = await soon(async () => {
      const found = await pods(chain);
      assert.equal(found.length, 2);
      return found;
    });
    for (const { metadata } of running)
      await chain.setStatus('pods', metadata.name ?? '', ended(0, chain.chain.clock.now()));
    await soon(async () => {
      const job = await chain.get<Job>('jobs', 'pause');
      assert.deepEqual(conditionsOf(job), [
        'Suspended=False JobResumed',
        'SuccessCriteriaMet=True CompletionsReached',
        'Complete=True CompletionsReached',
      ]);
      assert.equal(job.status?.succeeded, 2);
      assert.ok(job.status.completionTime);
    });
    await soon(async () => {
      const events = await chain.events('pause');
      assert.deepEqual(
        events.map((event) => event.replace(/pod: pause-\w+/, 'pod: X')),
        [
          ...['SuccessfulCreate: Created pod: X', 'SuccessfulCreate: Created pod: X'],
          ...['SuccessfulDelete: Deleted pod: X', 'SuccessfulDelete: Deleted pod: X'],
          ...['Suspended: Job suspended', 'SuccessfulCreate: Created pod: X', 'SuccessfulCreate: Created pod: X'],
          ...['Resumed: Job resumed', 'Completed: Job completed'],
        ],
      );
    });
  });

  it('fails at its deadline, and by pod failure policy', async () => {
    await using chain = await WorkloadChain.start(['job']);
    await chain.create<Job>('jobs', {
      kind: 'Job',
      metadata: { name: 'late' },
      spec: { activeDeadlineSeconds: 60, template },
    });
    const podFailurePolicy = {
      rules: [{ action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [42] } }],
    };
    await chain.create<Job>('jobs', {
      kind: 'Job',
      metadata: { name: 'strict' },
      spec: { podFailurePolicy, template },
    });
    const pod = await soon(async () => {
      const [found] = await chain.list<Pod>('pods', 'job-name=strict');
      assert.ok(found);
      return found;
    });
    await chain.setStatus('pods', pod.metadata.name ?? '', ended(42, chain.chain.clock.now()));
    await soon(async () => {
      const [failure] = (await chain.get<Job>('jobs', 'strict')).status?.conditions ?? [];
      assert.equal(
        failure?.message,
        `Container main for pod default/${pod.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
      );
    });
    await soon(async () => assert.equal((await chain.get<Job>('jobs', 'late')).status?.active, 1));
    await chain.chain.clock.advance(minuteMs);
    await soon(async () => {
      assert.deepEqual(conditionsOf(await chain.get<Job>('jobs', 'late')), [
        'FailureTarget=True DeadlineExceeded',
        'Failed=True DeadlineExceeded',
      ]);
    });
  });
});

describe('cronjob controller', function () {
  this.timeout(480_000);

  it('starts jobs by the clock, keeps a history and forbids concurrency', async () => {
    await using chain = await WorkloadChain.start(['cronjob', 'garbagecollector']);
    await chain.chain.clock.set(new Date('2040-01-01T00:00:30Z'));
    await chain.create<CronJob>('cronjobs', {
      kind: 'CronJob',
      metadata: { name: 'tick' },
      spec: {
        schedule: '*/10 * * * *',
        timeZone: 'Europe/Berlin',
        concurrencyPolicy: 'Forbid',
        successfulJobsHistoryLimit: 1,
        jobTemplate: { spec: { template } },
      },
    });
    const names: string[] = [];
    const complete = async (job: Job) => {
      const now = new Date(chain.chain.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
      const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now });
      await chain.setStatus('jobs', job.metadata.name ?? '', {
        startTime: job.metadata.creationTimestamp,
        completionTime: now,
        succeeded: 1,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      });
    };
    for (let run = 0; run < 3; run++) {
      await soon(async () => {
        const { metadata } = await chain.get<CronJob>('cronjobs', 'tick');
        assert.ok(metadata.uid);
      });
      await chain.chain.clock.advance(10 * minuteMs);
      const job = await soon(async () => {
        const found = (await chain.list<Job>('jobs')).find(({ metadata }) => !names.includes(metadata.name ?? ''));
        assert.ok(found);
        return found;
      });
      names.push(job.metadata.name ?? '');
      await complete(job);
      await soon(async () => {
        const { status } = await chain.get<CronJob>('cronjobs', 'tick');
        assert.equal(status?.active, undefined);
        assert.ok(status?.lastSuccessfulTime);
      });
    }
    const minutes = Date.parse('2040-01-01T00:10:00Z') / minuteMs;
    assert.deepEqual(names, [`tick-${minutes}`, `tick-${minutes + 10}`, `tick-${minutes + 20}`]);
    const jobs = await soon(async () => {
      const left = await chain.list<Job>('jobs');
      assert.deepEqual(
        left.map(({ metadata }) => metadata.name),
        [names[2]],
      );
      return left;
    });
    assert.equal(
      jobs[0]?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'],
      '2040-01-01T01:30:00+01:00',
    );
    await chain.chain.clock.advance(10 * minuteMs);
    await soon(async () => assert.equal((await chain.get<CronJob>('cronjobs', 'tick')).status?.active?.length, 1));
    await chain.chain.clock.advance(10 * minuteMs);
    await soon(async () => {
      const events = await chain.events('tick');
      assert.ok(
        events.includes(
          'JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
        ),
      );
      assert.ok(events.includes(`SuccessfulCreate: Created job ${names[0]}`));
      assert.ok(events.includes(`SawCompletedJob: Saw completed job: ${names[0]}, condition: Complete`));
      assert.ok(events.includes(`SuccessfulDelete: Deleted job ${names[0]}`));
    });
  });
});
