import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { CoalescedSocket } from './coalesced-socket.ts';

/** The socket under test asks of a TLS socket nothing but what a plain one has, besides the certificate. */
const asTls = (socket: net.Socket): TLSSocket => Object.assign(socket as TLSSocket, {});

describe('CoalescedSocket', () => {
  let server: http.Server;
  let writes = 0;

  beforeEach(async () => {
    writes = 0;
    server = http.createServer((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(5_000_000, 'x'));
      else if (request.url === '/close') response.writeHead(200, { connection: 'close' }).end('bye');
      else setTimeout(() => response.end(`${request.url ?? ''} `), 5);
    });
    const toHttp = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      const send = socket._write.bind(socket);
      socket._write = (chunk: unknown, encoding, callback) => {
        writes++;
        send(chunk, encoding, callback);
      };
      for (const listener of toHttp) Reflect.apply(listener, server, [new CoalescedSocket(asTls(socket))]);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function ask(text: string): Promise<string> {
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    socket.write(text);
    await once(socket, 'close');
    return received;
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it('answers pipelined requests in order, many in one write', async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
    const received = await ask([...paths, '/close'].map(get).join(''));
    assert.deepEqual(received.match(/^\/\d+ |bye/gm), [...paths.map((path) => `${path} `), 'bye']);
    assert.ok(writes < paths.length, `${writes} writes`);
  });

  it('sends what is large whole', async () => {
    const received = await ask(get('/large') + get('/after') + get('/close'));
    assert.equal(received.length > 5_000_000, true);
    assert.match(received.slice(-600), /\r\n\r\n\/after [^]*bye/);
  });

  it('sends an answer that stands when the server lets idle connections go', async () => {
    const closed = ask(get('/answered'));
    // Right when the response is complete for the server, before a turn of the loop has passed.
    server.once('request', (_request, response) => response.once('finish', () => server.closeIdleConnections()));
    assert.match(await closed, /\/answered $/);
  });

  it('ends with its peer', async () => {
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(server, 'connection');
    socket.destroy();
    for (let i = 0; i < 200 && (await connectionsOf(server)) > 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(await connectionsOf(server), 0);
  });
});

function connectionsOf(server: net.Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
