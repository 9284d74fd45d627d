import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@apichain/meta';
import { requestLocal } from './local-request.ts';

describe('a request of the command line', () => {
  const server = createServer((request, response) => {
    if (request.url !== '/slow') {
      response.writeHead(418, { 'x-method': request.method }).end('short and stout');
      return;
    }
    // Every byte would begin the timeout of a socket anew.
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('reads status, headers and body', async () => {
    const { status, headers, body } = await requestLocal(url(), { method: 'POST', timeoutMs: 10_000 });
    assert.deepEqual([status, headers['x-method'], body], [418, 'POST', 'short and stout']);
  });

  it('is given up when the response is not whole in time', async () => {
    await assert.rejects(requestLocal(`${url()}/slow`, { timeoutMs: 200 }), /^Error: no response within 200 ms$/);
    const told = { timeoutMs: 200, timeoutText: 'a moment' };
    await assert.rejects(requestLocal(`${url()}/slow`, told), /^Error: no response within a moment$/);
  });

  it('fails with the error of the connection', async () => {
    const request = requestLocal(`https://127.0.0.1:${await freePort()}`, { timeoutMs: 10_000 });
    await assert.rejects(request, { code: 'ECONNREFUSED' });
  });
});
