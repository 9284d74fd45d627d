import assert from 'node:assert/strict';
import http, { type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { watchResponse } from './response-watch.ts';

/** The response of a server to one request. */
async function responseOf(serve: RequestListener): Promise<{ status: number | undefined; body: string }> {
  const server = http.createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    http.get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject);
    const response = await promise;
    return { status: response.statusCode, body: await text(response) };
  } finally {
    server.close();
  }
}

describe('a watched response', () => {
  it('tells once of its head and of its end, which waits', async () => {
    const seen: string[] = [];
    const waited = Promise.withResolvers<void>();
    const response = await responseOf((_request, outgoing) => {
      watchResponse(outgoing, {
        head: (code) => void seen.push(`head ${code}`),
        end: () => {
          seen.push('end');
          setImmediate(() => {
            seen.push('waited');
            waited.resolve();
          });
          return waited.promise;
        },
      });
      outgoing.writeHead(201);
      outgoing.end('text');
      outgoing.end('another');
    });
    assert.deepEqual(response, { status: 201, body: 'text' });
    assert.deepEqual(seen, ['head 201', 'end', 'waited']);
  });

  it('that cannot be sent is replaced by that of the error', async () => {
    const response = await responseOf((_request, outgoing) => {
      watchResponse(outgoing, { head: () => undefined, end: () => undefined });
      assert.throws(() => outgoing.end(7), /ERR_INVALID_ARG_TYPE|chunk/);
      outgoing.statusCode = 500;
      outgoing.end('the error');
    });
    assert.deepEqual(response, { status: 500, body: 'the error' });
  });

  it('whose head is refused while its end is delayed is replaced as well', async () => {
    const response = await responseOf((_request, outgoing) => {
      watchResponse(outgoing, { head: () => undefined, end: () => Promise.resolve() });
      outgoing.statusCode = 7;
      assert.throws(() => outgoing.end('text'), /Invalid status code: 7/);
      outgoing.statusCode = 500;
      outgoing.removeHeader('content-length');
      outgoing.end('the error');
    });
    assert.deepEqual(response, { status: 500, body: 'the error' });
  });
});
