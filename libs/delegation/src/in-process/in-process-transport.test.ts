import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { inProcessTransport } from './in-process-transport.ts';

describe('inProcessTransport', () => {
  const read = async (body: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it('sends bodies and headers and returns the response', async () => {
    const transport = inProcessTransport(
      (request, response) => {
        let text = `${request.method} ${request.url} ${String(request.headers['x-a'])} `;
        request.on('data', (chunk: Buffer) => (text += chunk.toString()));
        request.on('end', () => response.writeHead(201, { 'X-B': 'b' }).end(text));
      },
      { 'X-A': 'a' },
    );
    const { status, headers, body } = await transport.send({ method: 'POST', path: '/p?q=1', body: 'text' });
    assert.deepEqual([status, headers['x-b'], await read(body)], [201, 'b', 'POST /p?q=1 a text']);
    await transport.close();
    await assert.rejects(transport.send({ method: 'GET', path: '/' }), /the transport is closed/);
  });

  it('serves other requests beside an aborted one', async () => {
    const warned: Error[] = [];
    const warn = (warning: Error) => warned.push(warning);
    process.on('warning', warn);
    const transport = inProcessTransport((request, response) => {
      if (request.url === '/unfinished') response.write('first');
      else if (request.url !== '/silent') request.resume().on('end', () => response.end('whole'));
    }, {});
    const send = (path: string, signal?: AbortSignal) =>
      transport.send({ method: 'DELETE', path, body: '{}', ...(signal && { signal }) });
    const ask = async (path: string) => read((await send(path)).body);
    const stop = new AbortController();
    for (let i = 0; i < 20; i++) {
      const { signal } = stop;
      assert.equal(await read((await send('/', signal)).body), 'whole');
    }
    const { body } = await send('/unfinished', stop.signal);
    const silent = send('/silent', stop.signal);
    stop.abort();
    await assert.rejects(read(body), { name: 'AbortError' });
    await assert.rejects(silent, { name: 'AbortError' });
    await assert.rejects(send('/', stop.signal), { name: 'AbortError' });
    assert.deepEqual(await Promise.all([ask('/a'), ask('/b')]), ['whole', 'whole']);
    const left = await send('/unfinished');
    await transport.close();
    process.off('warning', warn);
    assert.deepEqual(warned, []);
    await assert.rejects(read(left.body), /aborted/);
    await assert.rejects(transport.send({ method: 'GET', path: '/' }), /the transport is closed/);
  });

  it('lets the server wait while nobody reads', async () => {
    const piece = Buffer.alloc(48 * 1024, 'x');
    let written = 0;
    const transport = inProcessTransport((_request, response) => {
      const write = (error?: Error | null) => {
        if (error) return;
        if (written++ === 8) response.end();
        else response.write(piece, write);
      };
      write();
    }, {});
    const { body } = await transport.send({ method: 'GET', path: '/' });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(written, 2);
    assert.equal((await read(body)).length, 8 * piece.length);
    const unread = await transport.send({ method: 'GET', path: '/' });
    await unread.body.dump();
    await transport.close();
  });

  it('delivers what was written from a buffer that the server uses again', async () => {
    const pieceBytes = 96 * 1024;
    const transport = inProcessTransport((_request, response) => {
      const scratch = Buffer.alloc(pieceBytes, 'a');
      response.write(scratch, () => response.end(scratch.fill('b'), () => scratch.fill('c')));
    }, {});
    const { body } = await transport.send({ method: 'GET', path: '/' });
    assert.ok((await read(body)) === 'a'.repeat(pieceBytes) + 'b'.repeat(pieceBytes), 'the body has been overwritten');
    await transport.close();
  });

  it('lets connections be served while its clients ask again and again', async () => {
    const transport = inProcessTransport((_request, response) => response.end('at once'), {});
    let served = 0;
    let isDone = false;
    const serveConnections = () => {
      served++;
      if (!isDone) setImmediate(serveConnections);
    };
    setImmediate(serveConnections);
    const end = performance.now() + 2_000;
    while (performance.now() < end && served < 5) await read((await transport.send({ method: 'GET', path: '/' })).body);
    isDone = true;
    assert(served >= 5, `served ${served} times`);
    await transport.close();
  });

  it('tells the client of a response that breaks off', async () => {
    const transport = inProcessTransport((request, response) => {
      if (request.url === '/partial') response.write('first', () => response.destroy(new Error('a reason')));
      else response.destroy();
    }, {});
    const { body } = await transport.send({ method: 'GET', path: '/partial' });
    await assert.rejects(read(body), /aborted/);
    await assert.rejects(transport.send({ method: 'GET', path: '/' }), /aborted/);
    await transport.close();
  });

  it('serves outside of what the client is doing', async () => {
    const doing = new AsyncLocalStorage<string>();
    const transport = inProcessTransport((_request, response) => response.end(String(doing.getStore())), {});
    const received = await doing.run('work', () => transport.send({ method: 'GET', path: '/' }));
    assert.equal(await read(received.body), 'undefined');
    await transport.close();
  });

  it('notifies the server when a stream is aborted', async () => {
    const closed = Promise.withResolvers<void>();
    const transport = inProcessTransport((_request, response) => {
      response.on('close', () => closed.resolve());
      response.write('first');
    }, {});
    const stop = new AbortController();
    const { body } = await transport.send({ method: 'GET', path: '/', signal: stop.signal, longRunning: true });
    const reading = read(body);
    stop.abort();
    await assert.rejects(reading);
    await closed.promise;
    await transport.close();
  });
});
