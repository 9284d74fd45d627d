import assert from 'node:assert/strict';
import { FrameBuilder, readFrame } from './frame.ts';
import { decodeRecords, encodeRecord, type LogRecord } from './record.ts';

describe('a frame of the log of the embedded etcd', () => {
  const put = (key: string, value: Buffer): LogRecord => {
    const bytes = Buffer.from(key);
    const kv = { key: bytes, createRevision: 2, modRevision: 3, version: 2, value, lease: '-5' };
    return { kind: 'version', version: { key, kv, sub: 1, deleted: false } };
  };
  const records: LogRecord[] = [
    { kind: 'file', clusterId: '18446744073709551615', memberId: '2' },
    { kind: 'head', revision: 9, compactRevision: -1 },
    { kind: 'grant', id: '7', ttl: 60 },
    put('a', Buffer.from('1')),
    { kind: 'revoke', id: '7' },
    { kind: 'compact', revision: 4 },
    { kind: 'end', records: 6 },
  ];
  const read = (frame: Buffer, sequence: number): LogRecord[] => {
    const found = readFrame(frame, 0);
    assert.equal(found?.sequence, sequence);
    return [...decodeRecords(found.payload)];
  };

  it('decodes to every kind of record, each of its standalone length', () => {
    const builder = new FrameBuilder();
    for (const record of records) {
      const before = builder.length;
      builder.add(record);
      assert.equal(builder.length - before, encodeRecord(record).length, record.kind);
    }
    assert.deepEqual(read(builder.finish(5), 5), records);
  });

  it('reuses its buffer, and allocates another one after a large frame', () => {
    const builder = new FrameBuilder();
    assert.equal(builder.isEmpty, true);
    const large = put('b', Buffer.alloc(100_000, 'x'));
    builder.add(large);
    assert.deepEqual(read(builder.finish(1), 1), [large]);
    for (const keptBytes of [1 << 20, 1_000]) {
      builder.reset(keptBytes);
      assert.equal(builder.isEmpty, true);
      builder.add(put('c', Buffer.from('2')));
      assert.deepEqual(read(builder.finish(2), 2), [put('c', Buffer.from('2'))]);
    }
  });
});
