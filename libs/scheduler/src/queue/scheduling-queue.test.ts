import assert from 'node:assert/strict';
import { withClock } from '@apichain/meta';
import { type TestPod, testCluster, testNode, testPod } from '../cluster/objects.fixture.ts';
import { clusterEvent } from '../framework/cluster-event.ts';
import { defaultProfile } from '../framework/profile.ts';
import { TestClock } from '../test-clock.fixture.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

/** Runs a test with a queue and a clock. */
function withQueue(test: (queue: SchedulingQueue, clock: TestClock) => void): () => void {
  return () => {
    const clock = new TestClock();
    withClock(clock, () => {
      const { plugins } = defaultProfile({ reserve: () => assert.fail('no volume is expected') });
      const queue = new SchedulingQueue({ plugins, cluster: testCluster({}), onActive: () => undefined });
      test(queue, clock);
      queue.close();
    });
  };
}

const fit = new Set(['NodeResourcesFit']);
const names = (queue: SchedulingQueue) => {
  const popped: string[] = [];
  for (let pod = queue.pop(); pod !== undefined; pod = queue.pop()) popped.push(pod.info.name);
  return popped;
};
const priority = (value: number): TestPod => ({ spec: { priority: value } });
const nodeAdded = (cpu = '4') => clusterEvent('Node', 'Add', { after: testNode('new', { allocatable: { cpu } }) });

/** Lets an attempt for the only pod fail. */
function reject(queue: SchedulingQueue, rejectors: ReadonlySet<string> = fit): void {
  const queued = queue.pop();
  assert.ok(queued !== undefined);
  queue.putBack(queued, rejectors);
}

describe('SchedulingQueue', () => {
  it(
    'gives pods by priority, then by the time at which they came',
    withQueue((queue, clock) => {
      for (const [name, value] of [
        ['a', 1],
        ['b', 2],
        ['c', 1],
        ['d', 3],
      ] as const) {
        queue.add(testPod(name, priority(value)));
        clock.advance(1);
      }
      assert.deepEqual(names(queue), ['d', 'b', 'a', 'c']);
    }),
  );

  it(
    'keeps a rejected pod until something happens that its plugin waits for',
    withQueue((queue) => {
      queue.add(testPod('a', { requests: { cpu: '2' } }));
      reject(queue);
      assert.deepEqual(queue.sizes, { active: 0, backoff: 0, unschedulable: 1 });
      queue.onEvent(clusterEvent('PersistentVolume', 'Add', {}));
      queue.onEvent(nodeAdded('1'));
      assert.equal(queue.hasNext, false);
      queue.onEvent(nodeAdded());
      assert.deepEqual(names(queue), ['a']);
    }),
  );

  it(
    'lets a rejected pod back off behind others, and takes it early when there is nothing else',
    withQueue((queue) => {
      queue.add(testPod('a', priority(9)));
      reject(queue);
      queue.onEvent(nodeAdded());
      assert.equal(queue.sizes.backoff, 1);
      queue.add(testPod('b'));
      assert.deepEqual(names(queue), ['b', 'a']);
    }),
  );

  it(
    'doubles the back-off after an error, from 1 s to 10 s',
    withQueue((queue, clock) => {
      queue.add(testPod('a'));
      const waits: number[] = [];
      for (let attempt = 0; attempt < 6; attempt++) {
        reject(queue, new Set());
        let seconds = 0;
        for (; !queue.hasNext; seconds++) clock.advance(1_000);
        waits.push(seconds);
      }
      // The end of a back-off is looked for once a second.
      assert.deepEqual(waits, [2, 3, 5, 9, 11, 11]);
    }),
  );

  it(
    'tries a pod again after five minutes without an event',
    withQueue((queue, clock) => {
      queue.add(testPod('a'));
      reject(queue);
      clock.advance(300_000);
      assert.equal(queue.hasNext, false);
      clock.advance(1_000);
      assert.deepEqual(names(queue), ['a']);
    }),
  );

  it(
    'holds pods with gates until the last one is removed',
    withQueue((queue, clock) => {
      const gated = (...gates: string[]) =>
        testPod('a', { spec: { schedulingGates: gates.map((name) => ({ name })) } });
      queue.add(gated('x', 'y'));
      queue.onEvent(nodeAdded());
      clock.advance(3_600_000);
      queue.update(gated('x', 'y'), gated('x'));
      assert.equal(queue.hasNext, false);
      queue.update(gated('x'), gated());
      assert.deepEqual(names(queue), ['a']);
    }),
  );

  it(
    'tries a pod again when its own change may help',
    withQueue((queue) => {
      const before = testPod('a');
      queue.add(before);
      reject(queue, new Set(['TaintToleration']));
      queue.update(before, testPod('a', { labels: { changed: 'yes' } }));
      assert.equal(queue.hasNext, false);
      queue.update(before, testPod('a', { spec: { tolerations: [{ operator: 'Exists' }] } }));
      assert.deepEqual(names(queue), ['a']);
    }),
  );

  it(
    'forgets deleted pods wherever they are',
    withQueue((queue) => {
      for (const name of ['active', 'rejected', 'failed']) queue.add(testPod(name));
      const [active, rejected, failed] = [queue.pop(), queue.pop(), queue.pop()];
      assert.ok(active !== undefined && rejected !== undefined && failed !== undefined);
      queue.add(active.info.pod);
      queue.putBack(rejected, fit);
      queue.putBack(failed, new Set());
      for (const { uid } of [active, rejected, failed]) queue.delete(uid);
      assert.deepEqual(queue.sizes, { active: 0, backoff: 0, unschedulable: 0 });
    }),
  );

  it(
    'keeps a nomination that is not written yet',
    withQueue((queue) => {
      const before = testPod('a');
      queue.add(before);
      const queued = queue.pop();
      assert.ok(queued !== undefined);
      queue.putBack(queued, fit);
      queue.nominator.set(queued.info, 'n1');
      queue.update(before, testPod('a', { labels: { changed: 'yes' } }));
      assert.deepEqual(
        queue.nominator.forNode('n1').map(({ name }) => name),
        ['a'],
      );
      queue.update(testPod('a', { status: { nominatedNodeName: 'n1' } }), testPod('a'));
      assert.deepEqual(queue.nominator.forNode('n1'), []);
    }),
  );
});
