import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:tls';
import { createCA, issueServing } from './certificates.ts';
import { Listener } from './listener.ts';

/** More than the buffers of a connection. */
const large = Buffer.alloc(1 << 24, 'a');

describe('HTTP/1.1 over TLS', () => {
  let listener: Listener;
  let port: number;
  /** Resolves when the response to a GET has been written, though not sent. */
  let written: PromiseWithResolvers<void>;

  before(async () => {
    const ca = await createCA('test-ca');
    const { certificate, key } = await issueServing(ca, 'server', ['127.0.0.1']);
    listener = new Listener(
      { certificate, key, clientCAs: [], bindAddress: '127.0.0.1', port: 0, maxConcurrentStreams: 100 },
      {
        messages: { IncomingMessage, ServerResponse },
        isFromChain: () => false,
        upgrade: (_request, socket) => socket.destroy(),
        request: (request, response) => {
          if (request.method === 'GET') {
            response.end(large);
            written.resolve();
            return;
          }
          let bytes = 0;
          request.on('data', (chunk: Buffer) => (bytes += chunk.length));
          request.on('end', () => response.end(String(bytes)));
        },
      },
    );
    ({ port } = await listener.listen());
  });
  after(async () => {
    listener.stopAccepting();
    await listener.close();
  });

  // Node pauses its parser when a request arrives while the response before it has not been sent, and a TLS connection goes on passing it what it has decrypted.
  it('has whole requests that arrive before the client has read the response to the one before', async () => {
    written = Promise.withResolvers();
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await written.promise;
    const body = Buffer.alloc(100_000, 'b');
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.resume();
    await once(socket, 'close');
    const text = Buffer.concat(received).toString('latin1');
    assert.ok(text.length > large.length);
    assert.match(text.slice(large.length), /HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n100000$/);
    assert.doesNotMatch(text, /400 Bad Request/);
  });
});
