import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Http2Sessions } from './http2-sessions.ts';

/** All error codes of RFC 9113, section 7. */
const codes = Array.from({ length: 14 }, (_, code) => code);

/** What the client has sent of the body, what the handler has written, and what it reads, when the client resets the request. */
const bodies = ['none', 'half', 'whole'] as const;
const answers = ['none', 'begun', 'blocked', 'ended and blocked'] as const;
const readings = ['nothing', 'the body'] as const;

/** More than the window of a client that does not read. */
const large = Buffer.alloc(1 << 17);

describe('requests that HTTP/2 clients reset', () => {
  let server: http2.Http2Server;
  let sessions: http2.ClientHttp2Session[];
  let open: Set<string>;

  beforeEach(async () => {
    open = new Set();
    server = http2.createServer();
    new Http2Sessions(server, 60_000);
    server.on('request', (request, response) => {
      const path = request.url;
      const { answer, reading } = Object.fromEntries(new URL(path, 'http://a').searchParams);
      open.add(path);
      response.once('close', () => open.delete(path));
      if (reading === 'the body') request.resume();
      if (answer === 'begun') response.write('a');
      if (answer === 'blocked') response.write(large);
      if (answer === 'ended and blocked') response.end(large);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    sessions = [];
  });
  afterEach(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });

  function connect(): http2.ClientHttp2Session {
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    sessions.push(session);
    return session;
  }

  async function until(count: number): Promise<void> {
    for (let left = 100; left > 0 && open.size !== count; left--) await delay(20);
  }

  for (const reading of readings)
    it(`end, whatever their code, when their handler reads ${reading}`, async () => {
      const streams = codes.flatMap((code) => {
        // One connection may not keep more than 10 MB.
        const session = connect();
        return bodies.flatMap((body) =>
          answers.map((answer) => {
            const path = `/?${new URLSearchParams({ code: String(code), body, answer, reading }).toString()}`;
            const method = body === 'none' ? 'GET' : 'POST';
            const stream = session.request({ ':path': path, ':method': method }, { endStream: body === 'none' });
            stream.on('error', () => undefined);
            if (body === 'half') stream.write('half');
            if (body === 'whole') stream.end('whole');
            return { stream, code };
          }),
        );
      });
      await until(streams.length);
      assert.equal(open.size, streams.length);
      for (const { stream, code } of streams) stream.close(code);
      await until(0);
      assert.deepEqual([...open], []);
    });

  it('end without an effect on the others of their connection', async () => {
    const session = connect();
    const gone = session.request({ ':path': '/?answer=ended+and+blocked' });
    gone.on('error', () => undefined);
    const other = session.request({ ':path': '/?answer=ended+and+blocked&other' });
    await until(2);
    gone.close(http2.constants.NGHTTP2_NO_ERROR);
    let received = 0;
    for await (const chunk of other) received += (chunk as Buffer).length;
    assert.equal(received, large.length);
  });
});
