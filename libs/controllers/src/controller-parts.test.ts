import { RestClient, SharedInformers, silentLogger } from '@apichain/client';
import { untilAborted } from '@apichain/meta';
import assert from 'node:assert/strict';
import { controllerParts } from './controller-parts.ts';
import { Discovery } from './discovery.ts';
import { parseSettings } from './settings.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the parts of a controller', () => {
  const begin = (flags: Parameters<typeof parseSettings>[0]) => {
    const stop = new AbortController();
    const client = new RestClient({ send: () => Promise.reject(new Error('no server')), close: async () => undefined });
    const informers = new SharedInformers({ client });
    const context = {
      client,
      discovery: new Discovery(client),
      signal: stop.signal,
      log: silentLogger,
      settings: parseSettings(flags),
      rootCa: '',
      tokenKey: undefined,
      signer: undefined,
      informer: informers.informer.bind(informers),
      metadataInformer: informers.metadataInformer.bind(informers),
      knownInformer: informers.known.bind(informers),
      knownMetadata: informers.knownMetadata.bind(informers),
    };
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
