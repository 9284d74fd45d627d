import assert from 'node:assert/strict';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './call.fixture.ts';
import { startChain } from './start-chain.ts';
import { type TestChain } from './test-chain.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const create = (chain: TestChain, name: string, data = {}) =>
  call(chain, configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const remove = (chain: TestChain, name: string) =>
  call(chain, `${configMaps}/${name}`, undefined, chain.admin, 'DELETE');

interface WatchEvent {
  type: string;
  object: {
    metadata: { name: string; uid: string; resourceVersion: string };
    data?: Record<string, string>;
    /** Of the Status of an ERROR event. */
    code?: number;
    reason?: string;
  };
}

/** Collects the events until `enough` of them are there. */
function watch(
  chain: TestChain,
  query: string,
): { events: WatchEvent[]; until(enough: number): Promise<void>; end(): void } {
  const { ca, cert, key } = chain.admin;
  const events: WatchEvent[] = [];
  let rest = '';
  const request = https.get(
    `${chain.url}${configMaps}?watch=true${query}`,
    { ca, cert, key, agent: false },
    (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) events.push(JSON.parse(line) as WatchEvent);
      });
      response.on('error', () => undefined);
    },
  );
  request.on('error', () => undefined);
  return {
    events,
    end: () => request.destroy(),
    until: async (enough) => {
      for (let tries = 0; events.length < enough; tries++) {
        assert.ok(tries < 500, `${events.length} of ${enough} events: ${JSON.stringify(events)}`);
        await sleep(10);
      }
    },
  };
}

describe('restore', () => {
  let chain: TestChain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain.stop());

  it('sends the actual changes to watches', async () => {
    for (const name of ['kept', 'changed', 'deleted', 'replaced']) await create(chain, name, { at: 'first' });
    const { json } = await call(chain, configMaps);
    const items = json['items'] as WatchEvent['object'][];
    const uids = new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
    const since = (json['metadata'] as { resourceVersion: string }).resourceVersion;
    const clean = chain.snapshot();

    const watching = watch(chain, `&resourceVersion=${since}`);
    await call(
      chain,
      `${configMaps}/changed`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'changed' }, data: { at: 'second' } },
      chain.admin,
      'PUT',
    );
    await remove(chain, 'deleted');
    await remove(chain, 'replaced');
    await create(chain, 'replaced', { at: 'second' });
    await create(chain, 'new');
    await watching.until(5);
    watching.events.length = 0;
    await chain.restore(clean);
    await watching.until(5);
    watching.end();

    const seen = watching.events.map(
      ({ type, object: { metadata, data } }) => `${type} ${metadata.name} ${data?.['at']}`,
    );
    assert.deepEqual(seen.sort(), [
      'ADDED deleted first',
      'ADDED replaced first',
      'DELETED new undefined',
      'DELETED replaced second',
      'MODIFIED changed first',
    ]);
    const order = watching.events.filter(({ object }) => object.metadata.name === 'replaced');
    assert.deepEqual(
      order.map(({ type }) => type),
      ['DELETED', 'ADDED'],
    );
    for (const { metadata, data } of (await call(chain, configMaps)).json['items'] as WatchEvent['object'][]) {
      assert.equal(data?.['at'], 'first');
      assert.equal(metadata.uid, uids.get(metadata.name));
    }
    // Watchers do not see that the store went back: resourceVersions only grow.
    for (const { object } of watching.events) assert.ok(Number(object.metadata.resourceVersion) > Number(since));
  });

  it('can be repeated', async () => {
    const clean = chain.snapshot();
    for (let round = 0; round < 20; round++) {
      assert.equal((await create(chain, `round-${round}`)).status, 201);
      await remove(chain, 'kept');
      await chain.restore(clean);
      const names = ((await call(chain, configMaps)).json['items'] as WatchEvent['object'][]).map(
        ({ metadata }) => metadata.name,
      );
      assert.ok(names.includes('kept') && !names.includes(`round-${round}`), names.join());
    }
  });

  it('ends watches from revisions of another restore with 410', async () => {
    const fault = chain.faults.add({ match: { verb: 'watch' }, status: 410, times: 1 });
    const gone = watch(chain, '');
    await gone.until(1);
    const [event] = gone.events;
    assert.deepEqual([event?.type, event?.object.code, event?.object.reason], ['ERROR', 410, 'Expired']);
    fault.remove();
    chain.faults.add({ match: { verb: 'watch' }, status: 410, dropWatchAfterMs: 50, times: 1 });
    const later = watch(chain, '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan');
    await later.until(1);
    assert.equal(later.events.at(-1)?.type, 'ERROR');
    chain.faults.clear();
  });
});
