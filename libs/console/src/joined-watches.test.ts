import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { joinWatches } from './joined-watches.ts';

describe('joined watches', () => {
  const servers: http.Server[] = [];
  async function listen(listener: RequestListener): Promise<number> {
    const server = http.createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** The responses to the pages. */
  const joining: ServerResponse[] = [];

  /** Asks for watches of an API. */
  async function join(api: RequestListener, paths: readonly string[], headers: IncomingHttpHeaders = {}) {
    const port = await listen(api);
    const joiner = await listen((request, response) => {
      joining.push(response);
      void joinWatches(request, response, port);
    });
    const query = new URLSearchParams(paths.map((path): [string, string] => ['path', path])).toString();
    const asked = http.get({ host: '127.0.0.1', port: joiner, path: `/console/watches?${query}`, headers });
    const [received] = (await once(asked, 'response')) as [http.IncomingMessage];
    return received;
  }

  const linesOf = (body: string) =>
    body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly watch: number });

  it('have the events and the end of each watch, whatever happens to the others', async () => {
    const api: RequestListener = ({ url = '' }, response) => {
      if (url.startsWith('/api/v1/nodes')) response.writeHead(403).end('{"kind":"Status"}');
      else if (url.startsWith('/apis/apps')) response.destroy();
      else {
        // A document may arrive in parts, and a character as well.
        const bytes = Buffer.from('{"type":"ADDED","object":{"name":"jä"}}\n{"type":"BOOKMARK"}\n');
        const middle = bytes.indexOf(0xa4);
        response.writeHead(200).write(bytes.subarray(0, middle));
        setImmediate(() => response.end(bytes.subarray(middle)));
      }
    };
    const paths = ['/api/v1/pods?watch=1', '/api/v1/nodes?watch=true', '/apis/apps/v1/deployments?watch=1'];
    const received = await join(api, paths);
    assert.deepEqual([received.statusCode, received.headers['content-type']], [200, 'application/json']);
    const lines = linesOf(await text(received));
    const ofWatch = (index: number) => lines.filter(({ watch }) => watch === index);
    assert.deepEqual(ofWatch(0), [
      { watch: 0, event: { type: 'ADDED', object: { name: 'jä' } } },
      { watch: 0, event: { type: 'BOOKMARK' } },
      { watch: 0, end: { code: 200 } },
    ]);
    assert.deepEqual(ofWatch(1), [{ watch: 1, end: { code: 403, message: '{"kind":"Status"}' } }]);
    assert.deepEqual(ofWatch(2), [{ watch: 2, end: { code: 502, message: 'socket hang up' } }]);
  });

  it('may be logs, with their lines as texts', async () => {
    const api: RequestListener = ({ url }, response) => {
      if (url?.includes('/b/') === true) response.writeHead(400).end('{"message":"waits to start"}');
      else response.end('first "line"\n\nlast');
    };
    const paths = ['/api/v1/namespaces/x/pods/a/log?follow=true', '/api/v1/namespaces/x/pods/b/log'];
    const lines = linesOf(await text(await join(api, paths)));
    assert.deepEqual(
      lines.filter(({ watch }) => watch === 0),
      [
        { watch: 0, event: 'first "line"' },
        { watch: 0, event: 'last' },
        { watch: 0, end: { code: 200 } },
      ],
    );
    assert.deepEqual(
      lines.filter(({ watch }) => watch === 1),
      [{ watch: 1, end: { code: 400, message: '{"message":"waits to start"}' } }],
    );
  });

  it('carry what makes a request one of a session, and nothing else', async () => {
    const seen: (string | undefined)[] = [];
    const api: RequestListener = ({ headers }, response) => {
      const { cookie, accept, authorization, 'x-console-proof': proof } = headers;
      seen.push(cookie, accept, authorization, String(proof));
      response.end();
    };
    const headers = { cookie: 'a=b', accept: 'a/b', authorization: 'Bearer stolen', 'x-console-proof': 'p' };
    await text(await join(api, ['/api/v1/pods?watch=1'], headers));
    assert.deepEqual(seen, ['a=b', 'a/b', undefined, 'p']);
  });

  it('are watches only, and not many', async () => {
    const api: RequestListener = () => assert.fail('the API was asked');
    const wrong = [
      [],
      ['/api/v1/pods'],
      ['/api/v1/pods?watch=0'],
      ['/console/session?watch=1'],
      ['//x/api?watch=1'],
      ['/api/v1/namespaces/x/pods/a/exec?command=log'],
    ];
    for (const paths of [...wrong, Array<string>(49).fill('/api/v1/pods?watch=1')]) {
      const received = await join(api, paths);
      assert.equal(received.statusCode, 400, paths.join());
      received.resume();
    }
  });

  it('wait for a page that reads slowly', async () => {
    const lines = 400;
    const line = `{"type":"ADDED","object":"${'x'.repeat(100_000)}"}\n`;
    const received = await join((_request, response) => response.end(line.repeat(lines)), ['/api/v1/pods?watch=1']);
    const joined = joining.at(-1);
    assert.ok(joined);
    while (!joined.writableNeedDrain) await nextTurn();
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    assert.ok(joined.writableLength < 4_000_000, `${joined.writableLength} bytes wait for the page`);
    assert.equal(linesOf(await text(received)).length, lines + 1);
  });

  it('end with the page that follows them', async () => {
    const paths = ['/api/v1/pods?watch=1', '/api/v1/nodes?watch=1'];
    let open = 0;
    const allEnded = Promise.withResolvers<void>();
    const received = await join((_request, response) => {
      open++;
      response.once('close', () => --open === 0 && allEnded.resolve());
      response.writeHead(200).write('{"type":"BOOKMARK"}\n');
    }, paths);
    for await (const _ of received) if (open === paths.length) break;
    await allEnded.promise;
  });
});
