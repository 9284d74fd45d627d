import assert from 'node:assert/strict';
import { ByteStore } from './byte-store.ts';

describe('the stored bytes of an embedded etcd', () => {
  it('are copies that do not retain the received buffer', () => {
    const store = new ByteStore();
    const kept = Array.from({ length: 100 }, (_, i) => {
      const message = Buffer.alloc(100_000, i);
      const slice = message.subarray(1_000, 1_000 + i * 100);
      const copy = store.keep(slice);
      message.fill(0xff);
      assert.ok(copy.buffer.byteLength <= 16_384, 'what is kept lies in a small block');
      return copy;
    });
    kept.forEach((copy, i) => {
      assert.deepEqual(copy, Buffer.alloc(i * 100, i));
    });
  });

  it('are not copied when they are large and fill their buffer', () => {
    const alone = Buffer.alloc(50_000, 1);
    assert.equal(new ByteStore().keep(alone), alone);
  });
});
