import assert from 'node:assert/strict';
import { RestClient, SharedInformers, silentLogger, type Transport, type TransportRequest } from '@apichain/client';
import { newInvalid, withClock, type Clock } from '@apichain/meta';
import type { DiscoveredMapping } from '@apichain/rest-mapper';
import type { ControllerContext } from '../context.ts';
import { DependencyGraph } from './graph.ts';
import { Monitors } from './monitors.ts';

const mapping = (resource: string, kind: string): DiscoveredMapping => ({
  ...{ group: '', version: 'v1', resource, kind },
  ...{ singular: '', scope: 'Namespaced', verbs: ['delete', 'list', 'watch'], shortNames: [] },
});
const pods = mapping('pods', 'Pod');
const secrets = mapping('secrets', 'Secret');

/**
 * A server with one object of each resource, whose watches are silent, and which refuses watches that begin with the objects. `onSecrets` is what lists of
 * Secrets get.
 */
class Server implements Transport {
  readonly lists: string[] = [];
  readonly onSecrets: 'list' | 'refusal' | 'silence';

  constructor(onSecrets: 'list' | 'refusal' | 'silence' = 'list') {
    this.onSecrets = onSecrets;
  }

  async send({ path, signal }: TransportRequest) {
    const resource = path.startsWith('/api/v1/secrets') ? 'secrets' : 'pods';
    const isWatch = path.includes('watch=true');
    const reaction = resource === 'secrets' ? this.onSecrets : 'list';
    if (!isWatch) this.lists.push(resource);
    if (path.includes('sendInitialEvents')) throw newInvalid({ group: '', kind: 'ListOptions' }, '', []);
    if (isWatch || reaction === 'silence')
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    const item = { metadata: { name: 'a', namespace: 'default', uid: `uid-of-${resource}`, resourceVersion: '1' } };
    const kind = resource === 'secrets' ? 'SecretList' : 'PodList';
    const list = { apiVersion: 'v1', kind, metadata: { resourceVersion: '1' }, items: [item] };
    async function* bytes() {
      yield Buffer.from(JSON.stringify(list));
    }
    const body = Object.assign(bytes(), { dump: async () => undefined });
    return { status: reaction === 'refusal' ? 503 : 200, headers: {}, body };
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}

/** Monitors of a server, and what they know. The informers are shared with others if there are any. */
function monitorsOf(server: Server, stop: AbortController, isServed = (_name: string): boolean => false) {
  const client = new RestClient(server);
  const informers = new SharedInformers({ client });
  const ignored = () => undefined;
  const changes: string[] = [];
  const graph = new DependencyGraph({
    ...{ attemptToDelete: ignored, attemptToDeleteLater: ignored, attemptToOrphan: ignored, invalidNamespace: ignored },
  });
  const context: Pick<ControllerContext, 'client' | 'log' | 'signal' | 'knownMetadata'> = {
    ...{ client, log: silentLogger, signal: stop.signal },
    knownMetadata: (resource) => informers.knownMetadata(resource),
  };
  const monitors = new Monitors(context, graph, () => changes.push('types'), isServed);
  return { monitors, graph, informers, changes };
}

describe('Monitors', () => {
  it('follow with the informers of other controllers, which outlive the watch', async () => {
    const server = new Server();
    const { monitors, graph, informers } = monitorsOf(server, new AbortController());
    const shared = informers.informer({ group: '', version: 'v1', resource: 'pods' }).start();
    await shared.waitForSync();
    await monitors.watch([pods, secrets]);
    assert.deepEqual(server.lists, ['pods', 'secrets']);
    assert.ok(graph.get('uid-of-pods') !== undefined && graph.get('uid-of-secrets') !== undefined);
    await monitors.watch([secrets]);
    const later: unknown[] = [];
    shared.addHandlers({ onAdd: ({ metadata }) => later.push(metadata.name) });
    assert.deepEqual(later, ['a']);
    await Promise.all([monitors.stop(), informers.stop()]);
  });

  it('report the definitions of the first list whose types have not been discovered', async () => {
    const definitions = {
      ...mapping('customresourcedefinitions', 'CustomResourceDefinition'),
      group: 'apiextensions.k8s.io',
    };
    for (const [served, reported] of [
      ['a', []],
      ['b', ['types']],
    ] as const) {
      const { monitors, changes } = monitorsOf(new Server(), new AbortController(), (name) => name === served);
      await monitors.watch([definitions]);
      assert.deepEqual(changes, reported);
      await monitors.stop();
    }
  });

  it('do not wait for a resource whose server refuses', async () => {
    const { monitors, graph } = monitorsOf(new Server('refusal'), new AbortController());
    const never: Clock = { now: () => 0, setTimer: () => () => undefined };
    await withClock(never, () => monitors.watch([secrets, pods]));
    assert.ok(graph.get('uid-of-pods') !== undefined);
    await monitors.stop();
  });

  it('wait for a server that does not respond by the clock of the chain', async () => {
    const delays: number[] = [];
    const atOnce: Clock = {
      now: () => 0,
      setTimer: (callback, delayMs) => {
        delays.push(delayMs);
        setImmediate(callback);
        return () => undefined;
      },
    };
    const { monitors } = monitorsOf(new Server('silence'), new AbortController());
    await withClock(atOnce, () => monitors.watch([secrets]));
    assert.deepEqual(delays, [5_000]);
  });
});
