import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatheredWrites } from './gathered-writes.ts';

/** What a client gets of a response that `write` makes, and the sizes of the writes. */
async function answered(write: (writes: GatheredWrites, response: http.ServerResponse) => Promise<void> | void) {
  const sizes: number[] = [];
  const server = http.createServer((_request, response) => {
    const original = response.write.bind(response);
    response.write = (chunk: Buffer, ...rest: never[]) => {
      sizes.push(chunk.length);
      return original(chunk, ...rest);
    };
    const writes = new GatheredWrites(response);
    Promise.resolve(write(writes, response)).then(
      () => {
        writes.flush();
        response.end();
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const body = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
  server.close();
  return { body, sizes };
}

describe('GatheredWrites', () => {
  it('writes what comes in one turn at once', async () => {
    const { body, sizes } = await answered(async (writes) => {
      for (const text of ['a', 'b', 'c']) writes.write(Buffer.from(text));
      await new Promise((resolve) => setTimeout(resolve, 5));
      writes.write(Buffer.from('d'));
    });
    assert.equal(body, 'abcd');
    assert.deepEqual(sizes, [3, 1]);
  });

  it('leaves it to others when to write what is little', async () => {
    const flushes: (() => void)[] = [];
    const { body, sizes } = await answered(async (_writes, response) => {
      const writes = new GatheredWrites(response, (flush) => flushes.push(flush));
      writes.write(Buffer.from('a'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      writes.write(Buffer.from('b'));
      assert.equal(flushes.length, 1);
      flushes[0]?.();
      writes.write(Buffer.from('c'));
      assert.equal(flushes.length, 2);
      writes.flush();
    });
    assert.equal(body, 'abc');
    assert.deepEqual(sizes, [2, 1]);
  });

  it('keeps the order of a large body whose parts it joins', async () => {
    const parts = Array.from({ length: 300 }, (_, i) => Buffer.alloc(16_000 + i, String(i % 10)));
    const { body, sizes } = await answered(async (writes, response) => {
      for (const part of parts) if (!writes.write(part)) await once(response, 'drain');
    });
    assert.ok(body === Buffer.concat(parts).toString());
    assert.ok(sizes.length < parts.length / 5, `${sizes.length} writes`);
  });
});
