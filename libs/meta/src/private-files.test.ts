import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isClosedToOthers, listenPrivately } from './private-files.ts';

describe('private files', () => {
  let directory: string;
  let mask: number;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-private-'));
    mask = process.umask(0);
  });
  afterEach(() => {
    process.umask(mask);
    rmSync(directory, { recursive: true, force: true });
  });
  const rights = (path: string) => statSync(path).mode & 0o777;

  it('a socket is private from its creation', async () => {
    const path = join(directory, 's.sock');
    const server = createServer();
    listenPrivately(server, { path });
    assert.equal(rights(path), 0o600);
    assert.equal(process.umask(), 0);
    await once(server, 'listening');
    server.close();
  });

  it('a worker thread, which cannot set the umask, listens only in private directories', async () => {
    const code = `
      import { parentPort, workerData } from 'node:worker_threads';
      import { createServer } from 'node:net';
      const { listenPrivately } = await import(workerData.module);
      const server = createServer();
      try {
        listenPrivately(server, { path: workerData.path });
        server.once('listening', () => { server.close(); parentPort.postMessage('listens'); });
      } catch (error) { parentPort.postMessage(error.message); }`;
    const outcome = async (): Promise<unknown> => {
      const module = new URL('./private-files.ts', import.meta.url).href;
      const workerData = { module, path: join(directory, 'w.sock') };
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData });
      const [message] = (await once(worker, 'message')) as [unknown];
      await worker.terminate();
      return message;
    };
    assert.equal(await outcome(), 'listens');
    chmodSync(directory, 0o755);
    assert.match(String(await outcome()), /^a worker thread cannot listen in/);
  });

  it('a directory is private when only its owner has permissions', () => {
    assert.equal(isClosedToOthers(directory), true);
    chmodSync(directory, 0o710);
    assert.equal(isClosedToOthers(directory), false);
  });
});
