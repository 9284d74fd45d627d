import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session, type Settings } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import type { Header } from './hpack.ts';
import { Http2Session } from './session.ts';
import type { Answer } from './stream.ts';

const allBytes = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

describe('HTTP/2 session', () => {
  let server: Http2Server | undefined;
  let session: Http2Session | undefined;
  let peer: ServerHttp2Session | undefined;

  /** Echoes the body; its headers tell how many requests came before, and repeat those of the request. */
  const open = async (settings: Settings = {}): Promise<Http2Session> => {
    let count = 0;
    const made = createServer({ settings });
    server = made;
    made.on('session', (started) => {
      peer = started;
    });
    made.on('stream', (stream, headers) => {
      const tag = { 'x-count': String(count++), 'x-echo': String(headers['x-text'] ?? '') };
      stream.respond({ ':status': 200, ...tag }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-text': allBytes.trim() }));
      stream.pipe(stream);
    });
    made.listen(0, '127.0.0.1');
    await once(made, 'listening');
    const socket = connect((made.address() as AddressInfo).port, '127.0.0.1');
    session = new Http2Session(socket);
    return session;
  };
  const headers = (...more: Header[]): readonly Header[] => [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', '/echo'],
    [':authority', 'localhost'],
    ...more,
  ];
  const bodyOf = (answer: Answer) => Buffer.concat(answer.body);

  afterEach(() => {
    session?.destroy();
    peer?.destroy();
    server?.close();
  });

  it('reads headers in every form, and the same ones again', async () => {
    const opened = await open();
    const list = headers(['x-text', 'a+b/c=\u00e9']);
    for (let i = 0; i < 3; i++) {
      const answer = await opened.request({ headers: list, body: Buffer.from('x'), timeout: 1_000 });
      assert.equal(answer.headers.get('x-count'), String(i));
      assert.equal(answer.headers.get('x-echo'), 'a+b/c=\u00e9');
      assert.equal(answer.trailers?.get('x-text'), allBytes.trim());
    }
  });
  it('carries more headers than the table of the peer holds', async () => {
    const opened = await open();
    for (let i = 0; i < 100; i++) {
      const text = `${String(i)}${'y'.repeat(90)}`;
      const answer = await opened.request({
        headers: headers(['x-text', text]),
        body: Buffer.from('x'),
        timeout: 1_000,
      });
      assert.equal(answer.headers.get('x-echo'), text);
    }
  });
  it('gets by without a table', async () => {
    const opened = await open({ headerTableSize: 0 });
    const list = headers(['x-text', 'a']);
    for (let i = 0; i < 5; i++) {
      const answer = await opened.request({ headers: list, body: Buffer.from('x'), timeout: 1_000 });
      assert.equal(answer.headers.get('x-echo'), 'a');
    }
  });
  it('keeps to the windows of both sides', async () => {
    const opened = await open({ initialWindowSize: 1_000 });
    const bodies = Array.from({ length: 5 }, (_, i) => Buffer.alloc(6_000_000, i + 1));
    const answers = await Promise.all(
      bodies.map((body) => opened.request({ headers: headers(), body, timeout: 15_000 })),
    );
    for (const [i, answer] of answers.entries()) assert.ok(bodyOf(answer).equals(bodies[i] ?? Buffer.alloc(0)));
  });
  it('lets requests wait that the peer does not take yet', async () => {
    const opened = await open({ maxConcurrentStreams: 2 });
    await opened.request({ headers: headers(), body: Buffer.from('first'), timeout: 1_000 });
    const texts = Array.from({ length: 20 }, (_, i) => `body ${String(i)}`);
    const answers = await Promise.all(
      texts.map((text) => opened.request({ headers: headers(), body: Buffer.from(text), timeout: 5_000 })),
    );
    assert.deepEqual(
      answers.map((answer) => String(bodyOf(answer))),
      texts,
    );
  });
  it('answers pings and has its own answered', async () => {
    const opened = await open();
    await opened.request({ headers: headers(), body: Buffer.from('x'), timeout: 1_000 });
    await new Promise<void>((resolve) => opened.ping(resolve));
    await new Promise<void>((resolve, reject) => {
      peer?.ping((error) => (error === null ? resolve() : reject(error)));
    });
  });
  it('finishes what is under way when the peer says goodbye, and takes no more', async () => {
    const opened = await open();
    await opened.request({ headers: headers(), body: Buffer.from('x'), timeout: 1_000 });
    const last = opened.request({ headers: headers(), body: Buffer.from('last'), timeout: 1_000 });
    if (server !== undefined) await once(server, 'stream');
    peer?.goaway();
    assert.equal(String(bodyOf(await last)), 'last');
    assert.equal(opened.isUsable, false);
    await assert.rejects(opened.request({ headers: headers(), body: Buffer.from('x'), timeout: 1_000 }), {
      failure: 'refused',
    });
  });
});
