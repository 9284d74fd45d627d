import assert from 'node:assert/strict';
import type { StoreChange } from '@apichain/embedded-etcd';
import { seededRandom } from '@apichain/meta';
import { ChainActivity } from './chain-activity.ts';

/** An activity over a store that is a list of changes. */
function activityOver(changes: StoreChange[], random?: () => number): ChainActivity {
  return new ChainActivity({
    changesSince: (revision) => changes.filter((change) => change.revision > revision),
    revision: () => changes.length,
    directoryOf: ({ resource }) => `/registry/${resource}/`,
    timers: { fireDue: () => false, fireRetry: () => false },
    random,
  });
}

const limits = { silenceMs: 20 };
const pods = { group: '', resource: 'pods', namespace: '', isSelective: false };

describe('ChainActivity', () => {
  it('waits for work, queues and followers, and names what does not end', async () => {
    const changes: StoreChange[] = [];
    const activity = activityOver(changes);
    await activity.settle(limits);

    const endWork = activity.begin('GET /slow');
    await assert.rejects(activity.settle(limits), /nothing has happened for 0.02 s: GET \/slow is in flight/);
    endWork();
    const endKey = activity.enqueue('default/stuck');
    await assert.rejects(activity.settle(limits), /in queues: default\/stuck/);
    endKey();
    await activity.settle(limits);

    const follower = activity.follow(pods);
    await assert.rejects(activity.settle(limits), /pods are being listed/);
    follower.is('failing');
    await activity.settle(limits);
    follower.is('following');
    changes.push({ key: '/registry/secrets/a/b', revision: 1 });
    await activity.settle(limits);
    changes.push({ key: '/registry/pods/a/b', revision: 2 });
    await assert.rejects(activity.settle(limits), /a watch of pods is at 0, the last change at 2/);
    follower.reached('2');
    await activity.settle(limits);
  });

  it('does not take a process that is busy, or gets no processor, for silence', async () => {
    const activity = activityOver([]);
    const end = activity.begin('GET /slow');
    const settled = activity.settle(limits);
    await new Promise(setImmediate);
    for (const until = performance.now() + 10 * limits.silenceMs; performance.now() < until;);
    setImmediate(end);
    await settled;
  });

  it('is settled only when what follows from the last thing is over as well', async () => {
    const activity = activityOver([]);
    const done: string[] = [];
    const end = activity.enqueue('key');
    setImmediate(() => {
      void activity
        .request('first', async () => done.push('first'))
        .then(async () => {
          await activity.request('second', async () => done.push('second'));
          end();
        });
    });
    await activity.settle(limits);
    assert.deepEqual(done, ['first', 'second']);
  });

  it('grants permits in the order of a seed, only while it settles', async () => {
    const orderOf = async (seed: number, names: readonly string[]) => {
      const activity = activityOver([], seededRandom(seed));
      const order: string[] = [];
      for (const name of names) void activity.request(name, async () => order.push(name));
      await new Promise(setImmediate);
      assert.deepEqual(order, []);
      await activity.settle(limits);
      return order.join('');
    };
    const orders = new Set<string>();
    for (let seed = 0; seed < 50; seed++) {
      const order = await orderOf(seed, ['a', 'b', 'c']);
      assert.equal(await orderOf(seed, ['c', 'a', 'b']), order);
      orders.add(order);
    }
    assert.equal(orders.size, 6);
  });

  it('goes on while an action of the test lasts, and after its end', async () => {
    const activity = activityOver([], seededRandom(1));
    assert.equal(await activity.during(activity.request('start', async () => 'started')), 'started');
    const late = activity.request('late', async () => 'late');
    activity.ending();
    assert.equal(await late, 'late');
    activity.end();
    assert.equal(await activity.request('after the end', async () => 'sent'), 'sent');
  });
});
