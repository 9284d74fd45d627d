import assert from 'node:assert/strict';
import { parseBindAddress, serveEndpoints } from './serve-endpoints.ts';

describe('parseBindAddress', () => {
  it('takes the address of a host, or of all, and a port', () => {
    assert.deepEqual(parseBindAddress('127.0.0.1:8081'), { host: '127.0.0.1', port: 8081 });
    assert.deepEqual(parseBindAddress(':0'), { host: undefined, port: 0 });
    assert.deepEqual(parseBindAddress('[::1]:10257'), { host: '::1', port: 10257 });
    for (const bad of ['', '8081', 'a:b', 'a:70000', '::1:80', '[::1]', 'http://a:1'])
      assert.equal(parseBindAddress(bad), undefined, bad);
  });
});

describe('serveEndpoints', () => {
  it('responds to GET of its paths, also when an endpoint fails', async () => {
    const server = await serveEndpoints(
      { host: '127.0.0.1', port: 0 },
      {
        '/a': () => ({ code: 201, text: 'made', contentType: 'text/x' }),
        '/b': () => Promise.reject(new Error('no disk')),
      },
    );
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`;
    };
    try {
      const plain = 'text/plain; charset=utf-8';
      assert.equal(await get('/a?x'), '201 text/x made');
      assert.equal(await get('/b'), `500 ${plain} no disk`);
      assert.equal(await get('/toString'), `404 ${plain} not found`);
      assert.equal(await get('/a', 'PUT'), `405 ${plain} method not allowed`);
    } finally {
      server.close();
    }
  });
});
