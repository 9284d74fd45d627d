import assert from 'node:assert/strict';
import { type Ending, countEndedPods } from './accounting.ts';
import { viewJob } from './job-view.ts';
import { newJob, newPod } from './job.fixture.ts';

/** The names of released pods, and the counts. */
function count(
  job: ReturnType<typeof newJob>,
  pods: Parameters<typeof viewJob>[1],
  ending: Ending = 'none',
  released: string[] = [],
) {
  const { status, changed, release, isPartial } = countEndedPods(viewJob(job, pods, new Set(released)), ending);
  const { succeeded = 0, failed = 0, uncountedTerminatedPods, completedIndexes } = status;
  return {
    release: release.map(({ metadata }) => metadata.name),
    counts: `${succeeded}/${failed}`,
    uncounted: uncountedTerminatedPods,
    completedIndexes,
    changed,
    isPartial,
  };
}

describe('countEndedPods', () => {
  const ended = newPod('ok', { phase: 'Succeeded', exitCode: 0 });
  const broken = newPod('broken', { phase: 'Failed', exitCode: 1 });
  const running = newPod('running');

  it('enters ended pods before it counts them, and each once', () => {
    const first = count(newJob(), [ended, broken, running]);
    assert.deepEqual(first, {
      release: ['ok', 'broken'],
      counts: '0/0',
      uncounted: { succeeded: ['ok-uid'], failed: ['broken-uid'] },
      completedIndexes: undefined,
      changed: true,
      isPartial: false,
    });
    const entered = newJob({}, { uncountedTerminatedPods: first.uncounted ?? {} });
    const again = count(entered, [ended, broken, running]);
    assert.deepEqual([again.uncounted, again.counts, again.changed], [first.uncounted, '0/0', false]);
    const after = count(entered, [newPod('ok', { phase: 'Succeeded', tracked: false }), broken]);
    assert.deepEqual([after.uncounted, after.counts, after.changed], [{ failed: ['broken-uid'] }, '1/0', true]);
  });
  it('counts a pod that is gone, and one whose finalizer this controller has removed', () => {
    const entered = newJob({}, { failed: 2, uncountedTerminatedPods: { failed: ['broken-uid', 'gone-uid'] } });
    assert.equal(count(entered, [broken], 'none', ['broken-uid']).counts, '0/4');
  });
  it('counts pods that still run as failures of a failed job, and of no other', () => {
    assert.deepEqual(count(newJob(), [running], 'failure').uncounted, { failed: ['running-uid'] });
    const success = count(newJob(), [running], 'success');
    assert.deepEqual([success.uncounted, success.release], [{}, ['running']]);
  });
  it('enters indexes, and a second success of one not again', () => {
    const job = newJob({ completionMode: 'Indexed', completions: 3 }, { completedIndexes: '1', succeeded: 1 });
    const of = (name: string, index: number) => newPod(name, { phase: 'Succeeded', exitCode: 0, index });
    const found = count(job, [of('c', 2), of('a', 0), of('again', 1), of('beyond', 7)]);
    assert.deepEqual([found.completedIndexes, found.counts, found.uncounted], ['0-2', '3/0', {}]);
    assert.deepEqual(found.release, ['a', 'again', 'c', 'beyond']);
  });
  it('keeps the pod that carries the failure count of its index', () => {
    const job = newJob({ completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 2 });
    const failed = newPod('broken', { phase: 'Failed', exitCode: 1, index: 0 });
    assert.deepEqual(count(job, [failed]).release, []);
    assert.deepEqual(count(job, [failed, newPod('next', { index: 0 })]).release, ['broken']);
  });
  it('stops before the status gets large', () => {
    const pods = Array.from({ length: 600 }, (_, i) => newPod(`p${i}`, { phase: 'Failed', exitCode: 1 }));
    const found = count(newJob({ parallelism: 600, completions: 600 }), pods);
    assert.deepEqual([found.release.length, found.isPartial], [500, true]);
  });
});
