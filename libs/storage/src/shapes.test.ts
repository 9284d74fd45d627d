import assert from 'node:assert/strict';
import { Shapes } from './shapes.ts';

describe('shapes of objects', () => {
  it('are dropped where there are too many, but small ones are kept', () => {
    const size = 8 * 1024 * 1024;
    const all = Array.from({ length: 20 }, () => new Shapes());
    for (const shapes of all) {
      shapes.set('large', Buffer.alloc(size));
      shapes.set('length', Buffer.from('8388608'));
    }
    const kept = all.filter((shapes) => shapes.has('large'));
    assert(kept.length > 0 && kept.length <= 2, `${kept.length} are kept`);
    assert(all.every((shapes) => shapes.has('length')));
    for (const shapes of all) shapes.clear();
    assert(all.every(({ size: left }) => left === 0));
  });

  it('keep nothing alive but their own bytes', () => {
    const shapes = new Shapes();
    shapes.set('small', Buffer.from('from the pool'));
    shapes.set('part', Buffer.alloc(1024 * 1024).subarray(0, 100));
    for (const shape of shapes.values()) assert.equal(shape.buffer.byteLength, shape.length);
    shapes.clear();
  });
});
