import assert from 'node:assert/strict';
import { noQuery } from '@apichain/request';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { attachScope, RequestAudit, RequestScope, ServerRuntime } from '@apichain/request';
import { relayHeader } from '@apichain/audit';
import { HttpDelegationTarget } from './http.ts';

const portOf = (server: http.Server) => (server.address() as AddressInfo).port;

describe('HttpDelegationTarget', () => {
  let next: http.Server;
  let front: http.Server;
  let target: HttpDelegationTarget;
  let audit: RequestAudit | undefined;
  const large = `{"text":"${Array.from({ length: 200_000 }, (_, i) => i).join(' ')}"}\n`;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

  before(async () => {
    next = http.createServer((request, response) => {
      if (request.url === '/early') {
        response.writeHead(405, { connection: 'close' }).end('no');
        return;
      }
      if (request.url === '/object') {
        response
          .writeHead(200, { 'content-type': 'application/json', [relayHeader]: '{"answersObject":true}' })
          .end(large);
        return;
      }
      request.pipe(response);
    });
    next.listen(0, '127.0.0.1');
    await once(next, 'listening');
    target = new HttpDelegationTarget({ url: `http://127.0.0.1:${portOf(next)}` });
    front = http.createServer((request, response) => {
      const scope = new RequestScope(request, response, request.url ?? '/', noQuery, new ServerRuntime());
      attachScope(scope);
      scope.audit = audit;
      void target.handle(request, response);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  after(async () => {
    agent.destroy();
    target.close();
    for (const server of [front, next]) {
      server.closeAllConnections();
      server.close();
    }
  });

  function post(path: string, body: Buffer, headers: Record<string, string> = {}): Promise<[number, Buffer]> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: portOf(front), method: 'POST', path, agent, headers };
      const request = http.request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => resolve([response.statusCode ?? 0, Buffer.concat(chunks)]));
      });
      request.once('error', reject);
      request.end(body);
    });
  }

  it('forwards bodies of every size', async () => {
    for (const size of [0, 1, 1_000, 300_000, 3_000_000]) {
      const body = Buffer.alloc(size, 'x');
      assert.deepEqual(await post('/echo', body, { 'content-length': String(size) }), [200, body]);
      assert.deepEqual(await post('/echo', body, { 'transfer-encoding': 'chunked' }), [200, body]);
    }
  });

  it('keeps a large response for the audit event as it was sent', async () => {
    audit = new RequestAudit('RequestResponse');
    const [status, body] = await post('/object', Buffer.from('{}'), { 'content-type': 'application/json' });
    const { responseObject } = audit;
    audit = undefined;
    assert.equal(status, 200);
    assert.ok(body.toString() === large);
    assert.ok(`${responseObject}\n` === large);
  });

  it('finishes running requests when its certificates change, and opens new connections', async () => {
    const connections = () =>
      new Promise<number>((resolve, reject) =>
        next.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      );
    const body = Buffer.alloc(1_000_000, 'x');
    const underWay = post('/echo', body, { 'transfer-encoding': 'chunked' });
    target.reload({});
    assert.deepEqual(await underWay, [200, body]);
    assert.deepEqual(await post('/echo', Buffer.from('after')), [200, Buffer.from('after')]);
    assert.ok((await connections()) > 0);
    assert.throws(() => target.reload({ ca: '', clientCertificate: 'nonsense', clientKey: 'nonsense' }));
    assert.deepEqual(await post('/echo', Buffer.from('still')), [200, Buffer.from('still')]);
  });

  it('keeps the connection of a client usable when the response precedes the end of the body', async () => {
    for (const size of [1_000, 400_000, 4_000_000]) {
      const [status] = await post('/early', Buffer.alloc(size), { 'content-length': String(size) });
      assert.ok(status === 405 || status === 503, String(status));
      assert.deepEqual(await post('/echo', Buffer.from('after')), [200, Buffer.from('after')]);
    }
  });
});
