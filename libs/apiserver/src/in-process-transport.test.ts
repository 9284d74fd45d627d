import assert from 'node:assert/strict';
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

  it('reuses connections, except those of aborted requests', async () => {
    const sockets = new Set<unknown>();
    const warned: Error[] = [];
    const warn = (warning: Error) => warned.push(warning);
    process.on('warning', warn);
    const transport = inProcessTransport((request, response) => {
      sockets.add(request.socket);
      if (request.url === '/unanswered') response.write('first');
      else request.resume().on('end', () => response.end('whole'));
    }, {});
    const ask = async (path: string) => read((await transport.send({ method: 'DELETE', path, body: '{}' })).body);
    for (let i = 0; i < 20; i++) assert.equal(await ask('/'), 'whole');
    assert.equal(sockets.size, 1);
    const stop = new AbortController();
    const { body } = await transport.send({ method: 'GET', path: '/unanswered', signal: stop.signal });
    stop.abort();
    await assert.rejects(read(body));
    assert.deepEqual(await Promise.all([ask('/a'), ask('/b')]), ['whole', 'whole']);
    assert.equal(sockets.size, 3);
    await transport.close();
    process.off('warning', warn);
    assert.deepEqual(warned, []);
    await assert.rejects(transport.send({ method: 'GET', path: '/' }), /the transport is closed/);
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
