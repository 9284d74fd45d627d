import assert from 'node:assert/strict';
import { JoinedBytes } from './joined-bytes.ts';

describe('JoinedBytes', () => {
  const items = ['{"k":1,"a":1}', '{"b":2}', '{"k":1,"c":"a longer one"}', '{}'].map((text) => Buffer.from(text));
  const joined = new JoinedBytes(Buffer.from('{"items":['), items, [7, 0, 7, 0], Buffer.from(']}\n'));
  const expected = '{"items":[{"a":1},{"b":2},{"c":"a longer one"},{}]}\n';

  it('has a length and joins into one buffer', () => {
    assert.equal(joined.length, expected.length);
    assert.equal(joined.toBuffer().toString(), expected);
  });

  it('is copied in pieces into buffers of any size', () => {
    for (let room = 2; room < 60; room++) {
      const scratch = Buffer.alloc(room);
      let all = '';
      for (const piece of joined.pieces(scratch)) all += piece.toString();
      assert.equal(all, expected, `room ${room}`);
    }
  });

  it('may be empty', () => {
    const none = new JoinedBytes(Buffer.from('['), [], [], Buffer.from(']'));
    assert.equal(none.toBuffer().toString(), '[]');
    assert.equal(none.length, 2);
  });
});

describe('a large item of JoinedBytes', () => {
  it('is sent in several pieces', () => {
    const item = Buffer.alloc(1_000_000, 'a');
    const body = new JoinedBytes(Buffer.from('['), [item, Buffer.from('b'), item], [0, 0, 5], Buffer.from(']'));
    const pieces = Array.from(body.pieces(Buffer.alloc(128 * 1024)), (piece) => Buffer.from(piece));
    assert(pieces.every(({ length }) => length <= 128 * 1024));
    assert(pieces.length >= 16, `${pieces.length} pieces`);
    assert(
      Buffer.concat(pieces).equals(
        Buffer.concat([Buffer.from('['), item, Buffer.from(',b,{'), item.subarray(5), Buffer.from(']')]),
      ),
    );
  });
});
