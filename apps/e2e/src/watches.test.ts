import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import { openWatch, type WatchEvent } from './streams.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

const browser = { origin: 'https://console.example.com' };

describe('watches through the whole chain', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain?.stop());

  const create = async (name: string, labels: Record<string, string> = {}): Promise<string> => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } });
    const created = await call(chain, 'POST', configMaps, { body });
    assert.equal(created.status, 201, created.text);
    return created.json<{ metadata: { resourceVersion: string } }>().metadata.resourceVersion;
  };
  const patch = async (name: string, change: object): Promise<string> => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await call(chain, 'PATCH', `${configMaps}/${name}`, { headers, body: JSON.stringify(change) });
    assert.equal(patched.status, 200, patched.text);
    return patched.json<{ metadata: { resourceVersion: string } }>().metadata.resourceVersion;
  };
  const latest = async (): Promise<string> =>
    (await call(chain, 'GET', `${configMaps}?limit=1`)).json<{ metadata: { resourceVersion: string } }>().metadata
      .resourceVersion;

  const openSocket = (path: string, protocols: string[] = [], headers: Record<string, string> = browser) => {
    const socket = new WebSocket(chain.url.replace('https', 'wss') + path, protocols, { ...chain.admin, headers });
    const messages: { text: string; binary: boolean }[] = [];
    const waiting: (() => void)[] = [];
    const wake = () => waiting.splice(0).forEach((go) => go());
    let closed = false;
    socket.on('message', (data: Buffer, binary) => {
      messages.push({ text: data.toString('utf8'), binary });
      wake();
    });
    socket.on('close', () => {
      closed = true;
      wake();
    });
    const opened = new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const next = async (): Promise<WatchEvent | undefined> => {
      while (messages.length === 0) {
        if (closed) return undefined;
        await new Promise<void>((go) => waiting.push(go));
      }
      const message = messages.shift();
      assert.ok(message !== undefined && !message.binary);
      return JSON.parse(message.text) as WatchEvent;
    };
    return { socket, opened, next };
  };

  describe('over a WebSocket', () => {
    it('sends each event as one text message and ends after timeoutSeconds', async () => {
      const start = await latest();
      const { opened, next } = openSocket(`${configMaps}?watch=1&resourceVersion=${start}&timeoutSeconds=2`);
      await opened;
      await create('ws-1');
      await create('ws-2');
      assert.equal((await next())?.object.metadata.name, 'ws-1');
      assert.equal((await next())?.object.metadata.name, 'ws-2');
      assert.equal(await next(), undefined);
    });

    it('sends protobuf without length prefixes, and text with a line feed', async () => {
      const first = async (accept: string) => {
        const path = `${configMaps}?watch=1&labelSelector=none&allowWatchBookmarks=true&timeoutSeconds=1`;
        const { socket } = openSocket(path, [], { ...browser, accept });
        const [data, binary] = (await once(socket, 'message')) as [Buffer, boolean];
        return `${binary ? 'binary' : 'text'} ${data.toString('latin1')}`;
      };
      assert.match(await first('application/json'), /^text \{"type":"BOOKMARK",.*\}\n$/);
      assert.match(await first('application/vnd.kubernetes.protobuf'), /^binary \n\u0008BOOKMARK\u0012/);
    });

    it('on the deprecated path', async () => {
      const { socket, opened, next } = openSocket(`/api/v1/watch/namespaces/default/configmaps/ws-1`);
      await opened;
      assert.equal((await next())?.type, 'ADDED');
      socket.close();
    });

    it('returns an error before the upgrade as an HTTP error', async () => {
      const refused = (path: string, ...more: [string[]?, Record<string, string>?]) => {
        const { socket, opened } = openSocket(path, ...more);
        return new Promise<number | undefined>((resolve) => {
          // The test expects the connection to fail and reads the status of the response.
          opened.catch(() => undefined);
          socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
        });
      };
      assert.equal(await refused(`${configMaps}?watch=1&labelSelector=a%3D%3D%3D`), 400);
      assert.equal(await refused('/api/v1/nonsense?watch=1'), 404);
      const watched = `${configMaps}?watch=1&timeoutSeconds=1`;
      assert.equal(await refused(watched, [], {}), 403, 'without an origin');
      assert.equal(await refused(watched, ['a', 'b']), 400, 'with two protocols');
    });
  });

  it('streams chunks to a client that offers another upgrade', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    const path = `${configMaps}?watch=1&labelSelector=none&allowWatchBookmarks=true&timeoutSeconds=1`;
    const response = await call(chain, 'GET', path, { headers });
    assert.equal(response.status, 200);
    assert.match(response.text, /^\{"type":"BOOKMARK"/);
  });

  it('watches on deprecated paths', async () => {
    await create('old-path');
    for (const path of [
      '/api/v1/watch/configmaps',
      '/api/v1/watch/namespaces/default/configmaps',
      '/api/v1/watch/namespaces/default/configmaps/old-path',
    ]) {
      const watch = await openWatch(chain, `${path}?fieldSelector=metadata.name%3Dold-path`);
      assert.equal(watch.status, 200, path);
      assert.deepEqual(await watch.take(1), ['ADDED old-path'], path);
      watch.close();
    }
  });

  it('watches one object, unless the field selector names another one', async () => {
    const start = await create('single');
    const watch = await openWatch(chain, `${configMaps}/single?watch=1&resourceVersion=${start}`);
    const selected = await openWatch(
      chain,
      `${configMaps}?watch=1&resourceVersion=${start}&fieldSelector=metadata.name%3Dsingle`,
    );
    await create('other');
    await patch('single', { data: { a: '1' } });
    await call(chain, 'DELETE', `${configMaps}/single`);
    assert.deepEqual(await selected.take(2), ['MODIFIED single', 'DELETED single']);
    selected.close();
    // A plain GET of a single object ignores the watch parameter. Only lists and the deprecated /watch/ paths watch.
    watch.close();
    const wrong = await call(
      chain,
      'GET',
      '/api/v1/watch/namespaces/default/configmaps/single?fieldSelector=metadata.name%3Dother',
    );
    assert.equal(wrong.status, 400);
  });

  it('sends ADDED and DELETED for objects that enter and leave the selection', async () => {
    const start = await latest();
    const watch = await openWatch(chain, `${configMaps}?watch=1&resourceVersion=${start}&labelSelector=in%3Dyes`);
    await create('moving', { in: 'no' });
    await patch('moving', { metadata: { labels: { in: 'yes' } } });
    await patch('moving', { data: { a: '1' } });
    const left = await patch('moving', { metadata: { labels: { in: 'no' } } });
    await patch('moving', { data: { a: '2' } });
    await patch('moving', { metadata: { labels: { in: 'yes' } } });
    await call(chain, 'DELETE', `${configMaps}/moving`);
    assert.deepEqual(await watch.take(2), ['ADDED moving', 'MODIFIED moving']);
    const gone = (await watch.next()) as WatchEvent & { object: { metadata: { labels: object }; data: object } };
    assert.equal(gone.type, 'DELETED');
    assert.equal(gone.object.metadata.resourceVersion, left);
    assert.deepEqual(gone.object.metadata.labels, { in: 'yes' }, 'the last state that was selected');
    assert.deepEqual(await watch.take(2), ['ADDED moving', 'DELETED moving']);
    watch.close();
  });

  it('streams the initial events and marks their end', async () => {
    await create('initial', { initial: 'yes' });
    const watch = await openWatch(
      chain,
      `${configMaps}?watch=1&labelSelector=initial&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    assert.deepEqual(await watch.take(1), ['ADDED initial']);
    const bookmark = await watch.next();
    assert.equal(bookmark?.type, 'BOOKMARK');
    assert.deepEqual(bookmark.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
    assert.ok(BigInt(bookmark.object.metadata.resourceVersion) >= BigInt(await latest()) - 1n);
    watch.close();
    const forbidden = await call(chain, 'GET', `${configMaps}?watch=1&sendInitialEvents=true`);
    assert.equal(forbidden.status, 422);
  });

  it('sends a bookmark before it ends', async () => {
    const start = await latest();
    const watch = await openWatch(
      chain,
      `${configMaps}?watch=1&resourceVersion=${start}&allowWatchBookmarks=true&timeoutSeconds=4`,
    );
    const bookmark = await watch.next();
    assert.equal(bookmark?.type, 'BOOKMARK');
    assert.equal(await watch.next(), undefined);
  });

  const eventsOf = async (query: string, accept = 'application/json') => {
    const path = `${configMaps}?watch=1&labelSelector=none&${query}`;
    const response = await call(chain, 'GET', path, { headers: { accept } });
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers['content-type'], 'application/json');
    const lines = response.text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as { type: string; object: Record<string, unknown> });
  };

  it('waits for a future version, and returns 500 for an invalid one as kube-apiserver does', async () => {
    assert.deepEqual(await eventsOf('resourceVersion=999999999&timeoutSeconds=1'), []);
    const state = 'resourceVersion=999999999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const [future] = await eventsOf(state);
    assert.equal(future?.type, 'ERROR');
    assert.match(String(future.object['message']), /^Timeout: Too large resource version: 999999999, current: \d+$/);
    const bad = await call(chain, 'GET', `${configMaps}?watch=1&resourceVersion=x`);
    assert.equal(bad.status, 500, bad.text);
  });

  it('ends immediately with a negative timeout', async () => {
    assert.deepEqual(await eventsOf('timeoutSeconds=-1'), []);
  });

  it('marks the end of the initial events in a Table, also with includeObject=None', async () => {
    const query = 'allowWatchBookmarks=true&timeoutSeconds=1&includeObject=None';
    const [bookmark] = await eventsOf(query, 'application/json;stream=watch;as=Table;g=meta.k8s.io;v=v1');
    assert.equal(bookmark?.type, 'BOOKMARK');
    assert.equal(bookmark.object['kind'], 'Table');
    const [row] = bookmark.object['rows'] as { cells: unknown[]; object: { kind: string; metadata: object } }[];
    assert.deepEqual(row?.cells, ['', 0, '<unknown>']);
    assert.equal(row.object.kind, 'PartialObjectMetadata');
    const { annotations } = row.object.metadata as { annotations?: object };
    assert.deepEqual(annotations, { 'k8s.io/initial-events-end': 'true' });
  });

  it('has bookmarks with the fields that Go writes of an empty object', async () => {
    const query = 'watch=1&labelSelector=none&allowWatchBookmarks=true&timeoutSeconds=1';
    type Blank = { metadata: { annotations?: object }; spec: Record<string, unknown>; status: object };
    const blank = async (path: string) =>
      (JSON.parse((await call(chain, 'GET', `${path}?${query}`)).text) as { object: Blank }).object;
    const pod = await blank('/api/v1/namespaces/default/pods');
    assert.deepEqual(pod.spec, { containers: null });
    assert.deepEqual(pod.status, {});
    assert.equal((await blank('/apis/apps/v1/deployments')).spec['replicas'], 0);
    const daemonSet = await blank('/apis/apps/v1/daemonsets');
    assert.deepEqual(daemonSet.metadata.annotations, {
      'deprecated.daemonset.template.generation': '0',
      'k8s.io/initial-events-end': 'true',
    });
    assert.equal('replicas' in daemonSet.spec, false);
  });

  it('cannot be requested as a list of partial objects', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    assert.deepEqual(await eventsOf('allowWatchBookmarks=true&timeoutSeconds=9', accept), []);
  });
});

describe('a compacted revision', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain({ args: ['--etcd-compaction-interval=500ms'] });
    // The watch caches keep no history of these kinds back to revision 3, so they have to read it from etcd.
    for (const name of ['a', 'b', 'c']) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      assert.equal((await call(chain, 'POST', configMaps, { body })).status, 201);
    }
  });
  after(() => chain?.stop());

  const tokenOf = (rv: number) =>
    Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start: 'a\u0000' })).toString('base64url');

  it('ends the pages of a list with 410 and a new continue token', async () => {
    interface Page {
      reason?: string;
      metadata: { continue: string };
      items: { metadata: { name: string } }[];
    }
    const path = (token: string) => `${configMaps}?limit=1&continue=${encodeURIComponent(token)}`;
    let expired = await call(chain, 'GET', path(tokenOf(3)));
    await waitFor(
      async () => (expired = await call(chain, 'GET', path(tokenOf(3)))).status === 410,
      10_000,
      () => `${expired.status}: ${expired.text}`,
    );
    const status = expired.json<Page>();
    assert.equal(status.reason, 'Expired');
    const next = await call(chain, 'GET', path(status.metadata.continue));
    assert.equal(next.status, 200, next.text);
    const page = next.json<Page>();
    assert.deepEqual(
      page.items.map(({ metadata }) => metadata.name),
      ['b'],
    );
    const last = await call(chain, 'GET', path(page.metadata.continue));
    assert.deepEqual(
      last.json<Page>().items.map(({ metadata }) => metadata.name),
      ['c'],
    );
  });

  it('responds to a watch from it with 200 and an ERROR event', async () => {
    const watch = await openWatch(chain, '/apis/apps/v1/deployments?watch=1&resourceVersion=3');
    assert.equal(watch.status, 200);
    const event = await watch.next();
    assert.equal(event?.type, 'ERROR');
    assert.equal(event.object.code, 410);
    assert.equal(await watch.next(), undefined);
  });
});
