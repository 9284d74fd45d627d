import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { until } from '@apichain/meta/until.fixture';
import { call, installEcho, TestServers, type TestServer } from './server.fixture.ts';
import { defaultLimits } from './server-config.ts';

describe('the listener', () => {
  const servers = new TestServers();

  it('serves HTTP/2 on the same port', async () => {
    const target = await servers.start({}, installEcho);
    const { certificate: cert, key } = servers.certificates.admin;
    const session = http2.connect(target.url, { cert, key, rejectUnauthorized: false });
    const get = (headers: http2.OutgoingHttpHeaders, body?: string) =>
      new Promise<{ status: unknown; text: string }>((resolve, reject) => {
        const stream = session.request(headers);
        let status: unknown;
        let text = '';
        stream.on('response', (headers) => (status = headers[':status']));
        stream.setEncoding('utf8');
        stream.on('data', (chunk: string) => (text += chunk));
        stream.on('end', () => resolve({ status, text }));
        stream.on('error', reject);
        stream.end(body);
      });
    const responses = await Promise.all([
      get({ ':path': '/whoami' }),
      get({ ':path': '/version' }),
      get({ ':path': '/nope' }),
    ]);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 404],
    );
    assert.match(responses[0].text, /"name": "admin"/);
    assert.deepEqual(await get({ ':path': '/echo/x', ':method': 'POST' }, 'hello'), { status: 200, text: 'hello' });
    assert.match((await get({ ':path': '/throws' })).text, /panic/);
    session.close();
  });

  it('aborts a request whose client disconnects during the response', async () => {
    const aborted: string[] = [];
    const target = await servers.start({}, (server) =>
      server.paths.handle('/endless', (context, request, response) => {
        context.signal.addEventListener('abort', () => aborted.push(request.httpVersion));
        response.writeHead(200);
        response.write('first');
      }),
    );
    const { certificate: cert, key } = servers.certificates.admin;
    const leaving: Record<string, (stream: http2.ClientHttp2Stream, session: http2.ClientHttp2Session) => void> = {
      'closes its stream': (stream) => stream.close(),
      'cancels its stream': (stream) => stream.close(http2.constants.NGHTTP2_CANCEL),
      'closes its connection': (_stream, session) => session.destroy(),
    };
    for (const [how, leave] of Object.entries(leaving)) {
      const session = http2.connect(target.url, { cert, key, rejectUnauthorized: false });
      const stream = session.request({ ':path': '/endless' });
      await once(stream, 'data');
      leave(stream, session);
      await until(() => aborted.length > 0);
      assert.deepEqual(aborted.splice(0), ['2.0'], how);
      session.destroy();
    }
    const request = https.get(`${target.url}/endless`, { cert, key, rejectUnauthorized: false, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    request.destroy();
    await until(() => aborted.length > 0);
    assert.deepEqual(aborted, ['1.1']);
  });

  it('serves only HTTP/1.1 when HTTP/2 is disabled', async () => {
    const { serving } = servers.certificates;
    const protocolOf = async (disableHttp2: boolean) => {
      const options = { bindAddress: '127.0.0.1', port: 0, ...serving, clientCAs: [], maxConcurrentStreams: 100 };
      const { port } = await servers.start({ serving: { ...options, disableHttp2 } });
      const ALPNProtocols = ['h2', 'http/1.1'];
      const socket = tls.connect({ port, host: '127.0.0.1', ALPNProtocols, rejectUnauthorized: false });
      await new Promise((resolve) => socket.once('secureConnect', resolve));
      socket.destroy();
      return socket.alpnProtocol;
    };
    assert.equal(await protocolOf(false), 'h2');
    assert.equal(await protocolOf(true), 'http/1.1');
  });

  it('ends HTTP/2 connections of unauthenticated clients, and others with --goaway-chance', async () => {
    const { certificate: cert, key } = servers.certificates.admin;
    const end = async (target: TestServer, options: http2.SecureClientSessionOptions) => {
      const session = http2.connect(target.url, { ...options, rejectUnauthorized: false });
      const closed = new Promise((resolve) => session.once('close', resolve));
      session.request({ ':path': '/version' }).resume();
      await closed;
    };
    await end(await servers.start({ limits: { ...defaultLimits, goawayChance: 1 } }), { cert, key });
    await end(await servers.start(), {});
  });

  it('survives malformed requests', async () => {
    const target = await servers.start();
    const garbage = tls.connect({ host: '127.0.0.1', port: target.port, rejectUnauthorized: false });
    garbage.on('error', () => undefined);
    garbage.write('NOT HTTP\r\n\r\n');
    const text = await new Promise<string>((resolve) => garbage.on('data', (chunk) => resolve(String(chunk))));
    assert.match(text, /^HTTP\/1.1 400 Bad Request/);
    const plain = net.connect(target.port, '127.0.0.1');
    plain.on('error', () => undefined);
    plain.write('GET / HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => plain.on('close', resolve));
    const broken = await call(target, '/%zz', { as: servers.certificates.admin });
    assert.equal(broken.status, 400);
    assert.equal(broken.text, '400 Bad Request');
    assert.equal((await call(target, '/livez')).status, 200);
  });
});
