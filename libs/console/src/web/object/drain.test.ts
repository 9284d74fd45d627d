import assert from 'node:assert/strict';
import { ApiError } from '../api/api.ts';
import type { StoredObject } from '../api/stored-object.ts';
import { drain, hasLocalData, reasonToStay, type DrainApi, type DrainedPod } from './drain.ts';

const pod = (name: string, owner?: string, rest: Partial<StoredObject> = {}): StoredObject => {
  const ownerReferences = owner === undefined ? [] : [{ kind: owner, name: 'o', uid: 'o', controller: true }];
  return { metadata: { name, namespace: 'shop', uid: `uid-${name}`, ownerReferences }, ...rest };
};

describe('draining a node', () => {
  const evicted: string[] = [];
  const refusals = new Map<string, number[]>();
  const api: DrainApi = {
    pods: () => Promise.resolve([]),
    evict: async ({ metadata: { name } }) => {
      const code = refusals.get(name)?.shift();
      if (code !== undefined) throw new ApiError(code, `no: ${code}`);
      evicted.push(name);
    },
    uidOf: ({ metadata }) => Promise.resolve(metadata.name === 'stateful-0' ? 'another' : ''),
  };
  const run = async (pods: readonly StoredObject[], withUnmanaged = false, signal = new AbortController().signal) => {
    const seen: DrainedPod[][] = [];
    await drain({ api, pods, withUnmanaged, signal, retryMs: 0, show: (now) => seen.push([...now]) });
    return { seen, last: seen.at(-1)?.map(({ key, state, reason }) => `${key} ${state} ${reason}`.trim()) };
  };
  beforeEach(() => {
    evicted.length = 0;
    refusals.clear();
  });

  it('evicts what its controllers make again, and says why it leaves the rest', async () => {
    const pods = [pod('web', 'ReplicaSet'), pod('stateful-0', 'StatefulSet'), pod('agent', 'DaemonSet'), pod('alone')];
    const { last } = await run(pods);
    assert.deepEqual(evicted, ['web', 'stateful-0']);
    assert.deepEqual(last, [
      'shop/web gone',
      'shop/stateful-0 gone',
      'shop/agent left it is of a DaemonSet, which would make it again',
      'shop/alone left it has no controller that would make it again',
    ]);
    await run([pod('alone')], true);
    assert.deepEqual(evicted, ['web', 'stateful-0', 'alone']);
  });

  it('waits for disruption budgets, and goes on with the others', async () => {
    refusals.set('web', [429, 429]);
    const { seen, last } = await run([pod('web', 'ReplicaSet'), pod('other', 'ReplicaSet')]);
    assert.deepEqual(evicted, ['other', 'web']);
    assert.ok(seen.some((pods) => pods.some(({ state, reason }) => state === 'waits' && reason === 'no: 429')));
    assert.deepEqual(last, ['shop/web gone', 'shop/other gone']);
  });

  it('reports what the server refuses, and ends when it is stopped', async () => {
    refusals.set('web', [403]);
    assert.deepEqual((await run([pod('web', 'ReplicaSet')])).last, ['shop/web failed no: 403']);
    const stop = new AbortController();
    stop.abort();
    assert.deepEqual((await run([pod('web', 'ReplicaSet')], false, stop.signal)).last, ['shop/web asked']);
    assert.deepEqual(evicted, []);
  });

  it('takes completed pods, leaves static ones, and knows local data', () => {
    assert.equal(reasonToStay(pod('done', undefined, { status: { phase: 'Succeeded' } }), false), undefined);
    const { metadata } = pod('static', 'Node');
    const mirror = { metadata: { ...metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } } };
    assert.match(reasonToStay(mirror, true) ?? '', /static/);
    assert.equal(hasLocalData(pod('a', undefined, { spec: { volumes: [{ name: 'x', emptyDir: {} }] } })), true);
    assert.equal(hasLocalData(pod('a')), false);
  });
});
