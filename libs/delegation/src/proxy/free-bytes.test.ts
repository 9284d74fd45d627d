import assert from 'node:assert/strict';
import { freeBytes, minFreedBytes } from './free-bytes.ts';

describe('freeBytes', () => {
  it('empties a large buffer that has its memory for itself', () => {
    const bytes = Buffer.alloc(minFreedBytes, 'x');
    freeBytes(bytes);
    assert.equal(bytes.length, 0);
    freeBytes(bytes);
  });

  it('leaves small buffers and shared memory as they are', () => {
    const whole = Buffer.alloc(4 * minFreedBytes, 'x');
    for (const bytes of [Buffer.alloc(minFreedBytes - 1, 'x'), whole.subarray(minFreedBytes), Buffer.from('x')]) {
      freeBytes(bytes);
      assert.ok(bytes.length > 0 && bytes.every((byte) => byte === 0x78));
    }
    const shared = Buffer.from(new SharedArrayBuffer(minFreedBytes));
    freeBytes(shared);
    assert.equal(shared.length, minFreedBytes);
  });
});
