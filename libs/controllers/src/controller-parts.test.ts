import { untilAborted } from '@apichain/meta';
import assert from 'node:assert/strict';
import { testContext } from './context.fixture.ts';
import { controllerParts } from './controller-parts.ts';
import type { parseSettings } from './settings.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the parts of a controller', () => {
  const begin = (flags: Parameters<typeof parseSettings>[0]) => {
    const stop = new AbortController();
    const context = testContext(() => Promise.reject(new Error('no server')), stop.signal, flags);
    return { stop, parts: controllerParts(context, 'deployment-controller') };
  };

  it('are worked on by as many workers as the flag says, in each queue', async () => {
    const { stop, parts } = begin({ 'concurrent-deployment-syncs': '3' });
    const begun: string[] = [];
    const forever = (key: string) => {
      begun.push(key);
      return untilAborted(stop.signal);
    };
    const further = parts.furtherQueue(forever);
    for (const key of ['a', 'b', 'c', 'd']) parts.queue.add(key);
    further.add('e');
    const { synced, stopped } = parts.run(forever);
    await synced;
    while (begun.length < 4) await turn();
    await turn();
    assert.deepEqual(begun.toSorted(), ['a', 'b', 'c', 'e']);
    stop.abort();
    await stopped;
  });

  it('queue a key again that failed', async () => {
    const { stop, parts } = begin({});
    const tries = Promise.withResolvers<void>();
    let count = 0;
    parts.enqueue({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name: 'web' } });
    const { stopped } = parts.run(async (key) => {
      assert.equal(key, 'default/web');
      if (++count < 3) throw new Error('not yet');
      tries.resolve();
    });
    await tries.promise;
    stop.abort();
    await stopped;
  });
});
