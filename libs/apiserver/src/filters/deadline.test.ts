import assert from 'node:assert/strict';
import { once } from 'node:events';
import tls from 'node:tls';
import { alwaysAllow } from '@apichain/authz';
import type { CertificatePair } from '@apichain/serving';
import { TestServers, type TestServer } from '../server.fixture.ts';

/** Frame types and flags of RFC 9113, section 6. */
const [dataFrame, headersFrame, resetFrame, settingsFrame, pingFrame] = [0, 1, 3, 4, 6];
const endStream = 0x1;
const endHeaders = 0x4;
const acknowledged = 0x1;
const noError = 0;
const initialWindowSize = 4;

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
  /** The number of the server's write in which it ended: each write is one record of TLS, and is read as one. */
  readonly write: number;
}

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A field line without Huffman coding and without an index: RFC 7541, section 6.2.2. */
function field(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}

/** A request without a body, or with one that is not ended. */
function requestOf(stream: number, method: string, path: string, body?: string): Buffer {
  const fields = [
    field(':method', method),
    field(':scheme', 'https'),
    field(':path', path),
    field(':authority', 'localhost'),
  ];
  const flags = endHeaders | (body === undefined ? endStream : 0);
  const head = frame(headersFrame, flags, stream, Buffer.concat(fields));
  return body === undefined ? head : Buffer.concat([head, frame(dataFrame, 0, stream, Buffer.from(body))]);
}

/** A client that shows what is on the wire, because the clients of Node and of others each hide a part of it. */
class RawClient {
  readonly frames: Frame[] = [];
  readonly #socket: tls.TLSSocket;
  #rest = Buffer.alloc(0);
  #writes = 0;
  #onFrame: () => void = () => undefined;

  private constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static async connect(port: number, { certificate: cert, key }: CertificatePair, window: number): Promise<RawClient> {
    const socket = tls.connect({
      port,
      host: '127.0.0.1',
      cert,
      key,
      ALPNProtocols: ['h2'],
      rejectUnauthorized: false,
    });
    await once(socket, 'secureConnect');
    const client = new RawClient(socket);
    const setting = Buffer.alloc(6);
    setting.writeUInt16BE(initialWindowSize, 0);
    setting.writeUInt32BE(window, 2);
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    socket.write(frame(settingsFrame, 0, 0, setting));
    return client;
  }

  #read(chunk: Buffer): void {
    this.#writes++;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 9) {
      const end = 9 + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) break;
      const [type, flags, stream] = [this.#rest.readUInt8(3), this.#rest.readUInt8(4), this.#rest.readUInt32BE(5)];
      this.frames.push({ type, flags, stream, payload: this.#rest.subarray(9, end), write: this.#writes });
      this.#rest = this.#rest.subarray(end);
    }
    this.#onFrame();
  }

  /** Sends these bytes in one write. */
  send(...parts: readonly Buffer[]): void {
    this.#socket.write(Buffer.concat(parts));
  }

  /** Resolves when the frames make this true. */
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise<void>((resolve) => (this.#onFrame = resolve));
  }

  /** Resolves when everything has come that the server sent before it answered. */
  async ping(): Promise<void> {
    this.#socket.write(frame(pingFrame, 0, 0, Buffer.alloc(8)));
    await this.until(() => this.frames.some(({ type, flags }) => type === pingFrame && flags === acknowledged));
  }

  close(): void {
    this.#socket.destroy();
  }
}

describe('responses that are ended when their deadline passes', () => {
  const servers = new TestServers();
  let target: TestServer;
  let client: RawClient | undefined;

  beforeEach(async () => {
    target = await servers.start({ authorizer: alwaysAllow });
    for (const [path, body] of Object.entries({ '/empty': '', '/full': 'whole' }))
      target.server.paths.handle(path, (_context, _request, response) => {
        // Ends the response in the turn in which the deadline passes, before anything can be written, however quick the machine is.
        setTimeout(() => {
          const passed = performance.now() + 60;
          while (performance.now() < passed);
          response.end(body);
        }, 1);
        return new Promise((resolve) => response.once('close', resolve));
      });
  });
  afterEach(() => client?.close());

  const open = async (window: number): Promise<RawClient> => {
    return (client = await RawClient.connect(target.port, servers.certificates.bob, window));
  };
  const isEnd = ({ type, flags }: Frame) => type <= headersFrame && (flags & endStream) !== 0;
  const isReset = ({ type }: Frame) => type === resetFrame;
  /** Several, because the writing of one response is in progress when the deadline of the next passes. */
  const streams = [1, 3, 5, 7, 9];
  const ofEach = (frames: readonly Frame[], is: (frame: Frame) => boolean) =>
    streams.map((of) => frames.findIndex((frame) => frame.stream === of && is(frame)));

  for (const path of ['/empty', '/full'])
    it(`are sent without a reset: ${path}`, async () => {
      const raw = await open(65_535);
      raw.send(...streams.map((stream) => requestOf(stream, 'GET', `${path}?timeout=30ms`)));
      await raw.until(() => !ofEach(raw.frames, (frame) => isEnd(frame) || isReset(frame)).includes(-1));
      await raw.ping();
      assert.ok(!ofEach(raw.frames, isEnd).includes(-1), 'each response is whole');
      assert.deepEqual(raw.frames.filter(isReset), []);
    });

  for (const path of ['/empty', '/full'])
    it(`are sent before the rest of a request is refused: ${path}`, async () => {
      const raw = await open(65_535);
      raw.send(...streams.map((stream) => requestOf(stream, 'POST', `${path}?timeout=30ms`, 'half')));
      await raw.until(() => !ofEach(raw.frames, isReset).includes(-1));
      const ends = ofEach(raw.frames, isEnd);
      const resets = ofEach(raw.frames, isReset);
      assert.ok(!ends.includes(-1), 'each response is whole');
      const writes = (at: readonly number[]) => at.map((index) => raw.frames[index]?.write ?? 0);
      const [written, reset] = [writes(ends), writes(resets)];
      assert.ok(
        written.every((write, i) => write < (reset[i] ?? 0)),
        `written in ${String(written)}, reset in ${String(reset)}`,
      );
    });

  it('are reset with an error when their client does not read them', async () => {
    const raw = await open(0);
    raw.send(requestOf(1, 'GET', '/full?timeout=30ms'));
    await raw.until(() => raw.frames.some(isReset));
    const types = raw.frames.filter(({ stream }) => stream === 1).map(({ type }) => type);
    assert.deepEqual(types, [headersFrame, resetFrame]);
    assert.notEqual(raw.frames.find(isReset)?.payload.readUInt32BE(0), noError, 'it does not look complete');
  });
});
