import assert from 'node:assert/strict';
import { once } from 'node:events';
import { duplexPair, type Duplex } from 'node:stream';
import { constants, createDeflate } from 'node:zlib';
import { SpdyConnection, type SpdyStream } from './connection.ts';
import { headerDictionary } from './headers.ts';

/** The client side: compresses headers as one stream, as clients do. */
class Client {
  readonly #deflate = createDeflate({ dictionary: headerDictionary });
  readonly #socket: Duplex;
  #received = Buffer.alloc(0) as Buffer;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => (this.#received = Buffer.concat([this.#received, chunk])));
  }

  async open(id: number, headers: Readonly<Record<string, string>>, flags = 0): Promise<void> {
    const text = (value: string) => [u32(Buffer.byteLength(value)), Buffer.from(value)];
    const pairs = Object.entries(headers);
    const block = Buffer.concat([u32(pairs.length), ...pairs.flat().flatMap(text)]);
    const compressed = await new Promise<Buffer>((resolve) => {
      const chunks: Buffer[] = [];
      const take = (chunk: Buffer) => chunks.push(chunk);
      this.#deflate.on('data', take);
      this.#deflate.write(block);
      this.#deflate.flush(constants.Z_SYNC_FLUSH, () => {
        this.#deflate.off('data', take);
        resolve(Buffer.concat(chunks));
      });
    });
    this.control(1, Buffer.concat([u32(id), u32(0), Buffer.alloc(2), compressed]), flags);
  }

  control(type: number, payload: Buffer, flags = 0): void {
    this.#socket.write(Buffer.concat([Buffer.of(0x80, 3, 0, type, flags), u32(payload.length).subarray(1), payload]));
  }

  data(id: number, text: string, flags = 0): void {
    this.#socket.write(Buffer.concat([u32(id), Buffer.of(flags), u32(text.length).subarray(1), Buffer.from(text)]));
  }

  /** The next frame: its first bytes, and its payload. */
  async frame(): Promise<{ readonly head: Buffer; readonly payload: Buffer }> {
    for (;;) {
      const length = this.#received.length < 8 ? Infinity : this.#received.readUIntBE(5, 3);
      if (this.#received.length >= 8 + length) {
        const frame = { head: this.#received.subarray(0, 5), payload: this.#received.subarray(8, 8 + length) };
        this.#received = this.#received.subarray(8 + length);
        return frame;
      }
      await once(this.#socket, 'data');
    }
  }
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

describe('a SPDY connection', () => {
  const start = () => {
    const [near, far] = duplexPair();
    const streams: SpdyStream[] = [];
    const opened: ((stream: SpdyStream) => void)[] = [];
    const connection = new SpdyConnection(far, (stream) => {
      const waiting = opened.shift();
      if (waiting === undefined) streams.push(stream);
      else waiting(stream);
    });
    const ended = connection.run();
    const next = async () => streams.shift() ?? new Promise<SpdyStream>((resolve) => opened.push(resolve));
    return { client: new Client(near), near, next, ended };
  };

  it('accepts streams with their headers, which are compressed together', async () => {
    const { client, next } = start();
    await client.open(1, { streamType: 'error', port: '80' });
    await client.open(3, { streamType: 'data', port: '80' });
    assert.deepEqual(
      [...(await next()).headers],
      [
        ['streamtype', 'error'],
        ['port', '80'],
      ],
    );
    assert.equal((await next()).headers.get('streamtype'), 'data');
    for (const id of [1, 3]) {
      const { head, payload } = await client.frame();
      assert.deepEqual([head.subarray(0, 4).toString('hex'), payload.readUInt32BE(0)], ['80030002', id]);
    }
  });

  it('carries data in both directions until each side has ended', async () => {
    const { client, next } = start();
    await client.open(1, {});
    const stream = await next();
    await client.frame();
    client.data(1, 'hello', 1);
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).toString(), 'hello');
    stream.end('bye');
    const { head, payload } = await client.frame();
    assert.deepEqual([head.readUInt32BE(0), payload.toString()], [1, 'bye']);
    assert.equal((await client.frame()).head.readUInt8(4), 1);
  });

  it('answers pings', async () => {
    const { client } = start();
    client.control(6, u32(7));
    const { head, payload } = await client.frame();
    assert.deepEqual([head.toString('hex'), payload.readUInt32BE(0)], ['8003000600', 7]);
  });

  it('ends its streams when the client resets them, goes away or sends what is not SPDY', async () => {
    const { client, next, near, ended } = start();
    await client.open(1, {});
    await client.open(3, {});
    const [first, second] = [await next(), await next()];
    const reset = once(first, 'close');
    client.control(3, Buffer.concat([u32(1), u32(5)]));
    await reset;
    const closed = once(second, 'close');
    near.destroy();
    await Promise.all([closed, ended]);
    const other = start();
    other.client.control(1, Buffer.alloc(10, 1));
    await other.ended;
  });
});
