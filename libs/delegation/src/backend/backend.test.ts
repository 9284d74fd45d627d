import assert from 'node:assert/strict';
import { noQuery } from '@apichain/request';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { UpgradedConnections } from '@apichain/serving';
import { attachScope, RequestScope, ServerRuntime, scopeOf } from '@apichain/request';
import { writeError } from '@apichain/request';
import type { Backend } from './backend.ts';
import { proxyRequest, streamToBackend } from './proxy-request.ts';
import { respondWithText } from './read-text.ts';
import { rewriteLocation } from './backend-exchange.ts';

const portOf = (server: net.Server) => (server.address() as AddressInfo).port;
const agent = new http.Agent();
const subject = { resource: { group: '', resource: 'pods/log' }, name: 'web' };

interface Received {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

describe('backends', () => {
  const seen: IncomingMessage[] = [];
  let backend: http.Server;
  let front: http.Server;
  let place: Backend;
  const upgraded = new UpgradedConnections();

  /** `/proxy…` forwards to the root of the backend, `/log` reads its text, `/stream` joins the connections. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/' } = request;
    const path = url.replace(/^\/(?:proxy|log|stream)/, '');
    try {
      if (url.startsWith('/log')) await respondWithText(request, response, { ...place, path }, subject);
      else if (url.startsWith('/stream')) streamToBackend(request, response, { ...place, path });
      else proxyRequest(request, response, { ...place, path: path.replace(/\?.*/, '') });
    } catch (error) {
      await writeError(request, response, error);
    }
  }

  before(async () => {
    backend = http.createServer((request, response) => {
      seen.push(request);
      const { url = '' } = request;
      if (url === '/moved') response.writeHead(302, { location: '/here?x=1' }).end();
      else if (/^\/\d+$/.test(url)) response.writeHead(Number(url.slice(1))).end('so it is');
      else if (url === '/cors') response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'X-Own': 'yes' }).end();
      else if (url === '/half') response.writeHead(200).write('half', () => response.destroy());
      else request.pipe(response.writeHead(201, 'Made', { 'X-Url': url }));
    });
    backend.on('upgrade', (request: IncomingMessage, socket: net.Socket) => {
      seen.push(request);
      if (request.url === '/refused') socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
      else if (request.url === '/odd') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      else {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello ');
        socket.on('data', (chunk: Buffer) => socket.end(chunk));
      }
    });
    backend.listen(0, '127.0.0.1');
    await once(backend, 'listening');
    place = { protocol: 'http:', host: '127.0.0.1', port: portOf(backend), path: '', agent };
    const scoped = (request: IncomingMessage, response: ServerResponse) =>
      attachScope(new RequestScope(request, response, request.url ?? '/', noQuery, new ServerRuntime()));
    front = http.createServer((request, response) => {
      scoped(request, response);
      void serve(request, response);
    });
    front.on('upgrade', (request: IncomingMessage, socket: net.Socket, head: Buffer) =>
      upgraded.take(
        (_request, response) => {
          scoped(request, response);
          scopeOf(request).pendingUpgrade = { socket, head };
          void serve(request, response);
        },
        request,
        socket,
        head,
      ),
    );
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  after(() => {
    upgraded.destroy();
    for (const server of [front, backend]) {
      server.closeAllConnections();
      server.close();
    }
  });

  function ask(path: string, options: http.RequestOptions = {}, body?: string): Promise<Received> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        { host: '127.0.0.1', port: portOf(front), path, agent: false, ...options },
        (received) => {
          let text = '';
          received.on('data', (chunk) => (text += String(chunk)));
          received.on('error', reject);
          received.on('end', () => resolve({ status: received.statusCode ?? 0, headers: received.headers, text }));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Everything received on a raw connection until its end. */
  function talk(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(portOf(front), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        if (text === '' && String(chunk).startsWith('HTTP/1.1 101')) socket.write('you');
        text += String(chunk);
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Own: yes\r\n\r\n`,
      );
    });
  }

  const messageOf = ({ status, text }: Received) => {
    const { code, message } = JSON.parse(text) as { code: number; message: string };
    assert.equal(status, code);
    return `${status} ${message}`;
  };
  const lost = () => ({ ...place, port: 1 });

  it('receive requests unchanged, except for the identity headers', async () => {
    const headers = { 'x-own': 'yes', authorization: 'Bearer secret', 'impersonate-user': 'a', 'x-remote-user': 'b' };
    const received = await ask('/proxy/a%20b/?q=%2F', { method: 'PUT', headers }, 'body');
    assert.deepEqual([received.status, received.text, received.headers['x-url']], [201, 'body', '/a%20b/?q=%2F']);
    const request = seen.at(-1);
    assert.equal(request?.headers['x-own'], 'yes');
    assert.equal(request.headers['x-forwarded-uri'], '/proxy/a%20b/');
    assert.equal(request.headers['x-forwarded-for'], '127.0.0.1');
    for (const name of ['authorization', 'impersonate-user', 'x-remote-user'])
      assert.equal(request.headers[name], undefined, name);
  });

  it('have paths that begin with a slash', async () => {
    const received = await ask('/proxy?x=1');
    assert.deepEqual([received.status, received.headers.location], [301, '/proxy/?x=1']);
    assert.equal((await ask('/proxy/')).headers['x-url'], '/');
  });

  it('redirect through the server, and do not set its CORS headers', async () => {
    assert.equal((await ask('/proxy/moved')).headers.location, '/proxy/here?x=1');
    const { headers } = await ask('/proxy/cors');
    assert.deepEqual([headers['access-control-allow-origin'], headers['x-own']], [undefined, 'yes']);
  });

  it('are reported with 503 when they are down, and truncated responses are truncated', async () => {
    const there = place;
    place = lost();
    try {
      const refused = 'dial tcp 127.0.0.1:1: connect: connection refused';
      assert.equal(messageOf(await ask('/proxy/x')), `503 error trying to reach service: ${refused}`);
      assert.equal(messageOf(await ask('/log/x?a=b')), `500 Get "http://127.0.0.1:1/x?a=b": ${refused}`);
      assert.match(await talk('/stream/x'), /^HTTP\/1.1 500 .*"message":"error dialing backend: dial tcp/s);
      place = { ...there, protocol: 'https:', agent: https.globalAgent };
      const plain = 'tls: first record does not look like a TLS handshake';
      assert.equal(messageOf(await ask('/proxy/x')), `503 error trying to reach service: ${plain}`);
    } finally {
      place = there;
    }
    await assert.rejects(ask('/proxy/half'), /aborted/);
    await assert.rejects(ask('/log/half'), /aborted/);
  });

  it('are read as text', async () => {
    const received = await ask('/log/x?tailLines=1');
    assert.deepEqual([received.status, received.headers['content-type']], [200, 'text/plain']);
    assert.equal(seen.at(-1)?.url, '/x?tailLines=1');
    assert.equal(messageOf(await ask('/log/400')), '400 so it is');
    assert.equal(messageOf(await ask('/log/500')), '500 Internal error occurred: so it is');
    assert.equal(
      messageOf(await ask('/log/404')),
      '404 the server could not find the requested resource ( pods/log web)',
    );
    assert.equal(messageOf(await ask('/log/403')), '403 so it is ( pods/log web)');
    assert.equal(messageOf(await ask('/log/moved')), '500 Get "/here?x=1": redirects forbidden');
  });

  it('are connected with clients that request an upgrade', async () => {
    assert.match(await talk('/stream/exec?a=b'), /^HTTP\/1.1 101 .*Upgrade: SPDY\/3.1\r\n\r\nhello you$/s);
    assert.equal(seen.at(-1)?.url, '/exec?a=b');
    assert.equal(seen.at(-1)?.headers['x-own'], 'yes');
    assert.match(await talk('/proxy/exec'), /hello you$/);
    assert.match(await talk('/stream/refused'), /^HTTP\/1.1 403 Forbidden\r\n.*\r\n\r\nno$/s);
    assert.match(await talk('/stream/odd'), /"message":"invalid upgrade response: status code 200"/);
    assert.equal(messageOf(await ask('/stream/x')), '400 Upgrade request required');
  });
});

describe('rewriteLocation', () => {
  const lead = (location: string) =>
    rewriteLocation(location, { prefix: '/proxy', backendHost: '10.0.0.1:80', clientHost: 'api:6443' });
  it('keeps redirects within the backend behind the server', () => {
    assert.equal(lead('/a/'), '/proxy/a/');
    assert.equal(lead('http://10.0.0.1:80/a?b#c'), '/proxy/a?b#c');
    assert.equal(lead('https://api:6443/a'), 'https://api:6443/proxy/a');
    assert.equal(lead('/proxy/a'), '/proxy/a');
  });
  it('keeps relative locations and other hosts', () => {
    for (const location of ['a/b', '?x', 'https://example.com/a', '//example.com/a'])
      assert.equal(lead(location), location);
  });
});
