import assert from 'node:assert/strict';
import { serveHealth, type ControllersState } from './health.ts';

describe('health checks of the controllers', () => {
  it('tell a process that runs from controllers that work', async () => {
    let state: ControllersState = 'starting';
    const server = await serveHealth({ host: '127.0.0.1', port: 0 }, () => state);
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return `${response.status} ${await response.text()}`;
    };
    try {
      assert.equal(await get('/healthz'), '200 ok');
      assert.equal(await get('/livez?verbose'), '200 ok');
      assert.equal(await get('/readyz'), '500 the controllers are starting');
      state = 'standby';
      assert.equal(await get('/readyz'), '200 ok');
      state = 'syncing';
      assert.equal(await get('/readyz'), '500 the controllers are syncing');
      state = 'ready';
      assert.equal(await get('/readyz'), '200 ok');
      assert.equal(await get('/metrics'), '404 not found');
      assert.equal(await get('/healthz', 'POST'), '405 method not allowed');
      await assert.rejects(
        serveHealth({ host: '127.0.0.1', port: server.port }, () => state),
        /EADDRINUSE/,
      );
    } finally {
      server.close();
    }
  });
});
