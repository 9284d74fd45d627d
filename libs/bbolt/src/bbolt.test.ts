import assert from 'node:assert/strict';
import { randomNumbers } from '@apichain/meta/random-numbers.fixture';
import {
  BboltError,
  bboltPages,
  planBbolt,
  readBbolt,
  type BboltBucket,
  type NewBucket,
  type NewEntry,
} from './index.ts';

type Contents = Readonly<Record<string, readonly (readonly [string, string])[]>>;

const entryOf = ([key, value]: readonly [string, string]): NewEntry => ({
  key: Buffer.from(key),
  valueLength: Buffer.byteLength(value),
  writeValue: (page, at) => {
    page.write(value, at);
  },
});
const bucketsOf = (contents: Contents): NewBucket[] =>
  Object.entries(contents).map(([name, entries]) => ({ name, entries: entries.map(entryOf) }));

function fileOf(contents: Contents, pageSize?: number): Buffer {
  const plan = planBbolt(bucketsOf(contents), pageSize);
  for (;;) {
    const step = plan.next();
    if (step.done === true) return Buffer.concat([...bboltPages(step.value)]);
  }
}

const entriesOf = (bucket: BboltBucket) => [...bucket.entries()].map(({ key, value }) => [String(key), String(value)]);
const contentsOf = (file: Buffer) =>
  Object.fromEntries([...readBbolt(file).root.buckets()].map(([name, bucket]) => [String(name), entriesOf(bucket)]));

const numbered = (count: number, valueLength: (i: number) => number): [string, string][] =>
  Array.from({ length: count }, (_, i) => [`key-${String(i).padStart(8, '0')}`, String(i % 10).repeat(valueLength(i))]);

describe('a bbolt file', () => {
  const contents: Contents = {
    empty: [],
    inline: [
      ['a', '1'],
      ['b', ''],
    ],
    large: numbered(20_000, (i) => i % 50),
    'values longer than a page': numbered(300, (i) => (i % 30 === 0 ? 20_000 : 5)),
    'z with long keys': Array.from({ length: 9 }, (_, i) => [String(i).repeat(10_000), 'value']),
  };

  it('contains what was written, with any size of pages', () => {
    for (const pageSize of [512, 4_096, 16_384, 65_536]) {
      const file = fileOf(contents, pageSize);
      assert.equal(readBbolt(file).pageSize, pageSize);
      assert.deepEqual(contentsOf(file), contents, `pages of ${String(pageSize)} bytes`);
    }
    assert.deepEqual(contentsOf(fileOf({})), {});
    const many = Object.fromEntries(numbered(500, () => 1).map(([name, value]) => [name, [[name, value]] as const]));
    assert.deepEqual(contentsOf(fileOf(many)), many);
  });

  it('may be followed by other bytes, and finds a bucket by its name', () => {
    const file = Buffer.concat([fileOf(contents), Buffer.alloc(32, 1)]);
    const { root } = readBbolt(file);
    assert.deepEqual(entriesOf(root.bucket('inline') ?? assert.fail()), contents['inline']);
    assert.equal(root.bucket('none'), undefined);
  });

  it('is written in chunks of bounded size', () => {
    const chunks = [...bboltPages(planned(bucketsOf(contents)))];
    assert.ok(chunks.length > 3);
    for (const { length } of chunks) assert.ok(length <= 256 * 1_024);
  });

  it('is read by the newest valid meta page', () => {
    const file = fileOf(contents);
    assert.equal(readBbolt(file).transaction, 1n);
    const at = (offset: number) => {
      const damaged = Buffer.from(file);
      damaged.writeUInt8(damaged.readUInt8(offset) ^ 0xff, offset);
      return damaged;
    };
    assert.equal(readBbolt(at(4_096 + 40)).transaction, 0n);
    for (const offset of [16, 24, 40, 72]) assert.equal(readBbolt(at(offset)).transaction, 1n);
    const both = at(20);
    both.writeUInt8(0, 4_096 + 20);
    assert.throws(() => readBbolt(both), /BboltError: this is no bbolt database/);
  });

  const planned = (buckets: NewBucket[]) => {
    for (const plan = planBbolt(buckets); ;) {
      const step = plan.next();
      if (step.done === true) return step.value;
    }
  };

  it('cannot contain what bbolt cannot', () => {
    for (const entries of [
      [
        ['b', '1'],
        ['a', '2'],
      ],
      [
        ['a', '1'],
        ['a', '2'],
      ],
      [['', 'no key']],
      [['k'.repeat(32_769), 'a long key']],
    ] as const) {
      assert.throws(() => fileOf({ bucket: entries }), BboltError);
    }
    assert.throws(() => fileOf({ b: [], a: [] }), /not in ascending order/);
    for (const pageSize of [0, 500, 4_095, 2 ** 20]) assert.throws(() => fileOf({}, pageSize), BboltError);
  });

  it('is refused when its entries change between plan and page', () => {
    const entries = numbered(100, () => 5).map(entryOf);
    const plan = planned([{ name: 'bucket', entries }]);
    entries.pop();
    assert.throws(() => [...bboltPages(plan)], /have changed/);
  });
});

describe('a damaged bbolt file', () => {
  const file = fileOf({
    inline: [['a', '1']],
    key: numbered(400, (i) => (i % 100 === 50 ? 9_000 : i % 40)),
    other: numbered(100, () => 50),
  });
  const pageSize = 4_096;

  /** Reads all of a file. Returns the number of bytes of keys and values, or undefined when the file is refused. */
  function readAll(bytes: Buffer): number | undefined {
    let size = 0;
    try {
      for (const [name, bucket] of readBbolt(bytes).root.buckets()) {
        size += name.length;
        for (const { key, value } of bucket.entries()) size += key.length + value.length;
      }
      return size;
    } catch (error) {
      if (error instanceof BboltError) return undefined;
      throw error;
    }
  }
  /** The file with one page changed; both meta pages stay valid. */
  const changed = (id: number, change: (page: Buffer) => void) => {
    const copy = Buffer.from(file);
    change(copy.subarray(id * pageSize, (id + 1) * pageSize));
    return copy;
  };
  const root = file.readUInt32LE(32);
  const branch = Array.from({ length: file.length / pageSize }, (_, id) => id).find(
    (id) => id > 2 && file.readUInt32LE(id * pageSize) === id && file.readUInt16LE(id * pageSize + 8) === 1,
  );

  it('is refused, each time with BboltError, or read to its end', () => {
    const random = randomNumbers(18);
    let refused = 0;
    for (let run = 0; run < 3_000; run++) {
      const copy = Buffer.from(file);
      for (let flips = 1 + random(8); flips > 0; flips--) {
        // Headers and elements are hit more often than values.
        const page = random(copy.length / pageSize) * pageSize;
        const at = page + random(random(2) === 0 ? 64 : pageSize);
        copy.writeUInt8(random(3) === 0 ? ([0, 1, 0x7f, 0xff][random(4)] ?? 0) : random(256), at);
      }
      const size = readAll(copy);
      if (size === undefined) refused++;
      else assert.ok(size <= file.length, `run ${String(run)}: more was read than there is`);
    }
    assert.ok(refused > 300 && refused < 2_900, `${String(refused)} of 3000 were refused`);
  });

  it('is refused when it is cut off anywhere', () => {
    const random = randomNumbers(7);
    for (let run = 0; run < 300; run++) assert.equal(readAll(file.subarray(0, random(file.length))), undefined);
  });

  it('is refused when pages form a cycle, are used twice, or are no pages', () => {
    assert.ok(branch !== undefined);
    const child = (id: number) => (page: Buffer) => page.writeUInt32LE(id, 16 + 8);
    for (const [what, damaged] of Object.entries({
      'a branch is its own child': changed(branch, child(branch)),
      'a page is referenced twice': changed(branch, (page) => page.copy(page, 16 + 8, 32 + 8, 32 + 16)),
      'a child is a meta page': changed(branch, child(0)),
      'a child is the list of free pages': changed(branch, child(2)),
      'a child is beyond the file': changed(branch, child(1_000_000)),
      'a branch is empty': changed(branch, (page) => page.writeUInt16LE(0, 10)),
      'a page has no kind': changed(branch, (page) => page.writeUInt16LE(3, 8)),
      'a page has too many elements': changed(root, (page) => page.writeUInt16LE(0xffff, 10)),
      'overflow exceeds the file': changed(root, (page) => page.writeUInt32LE(0xffffffff, 12)),
      'a nested bucket is too short': changed(root, (page) => page.writeUInt32LE(8, 16 + 12)),
      'an inline bucket is no leaf': changed(root, (page) => page.fill(7, 16 + 16 * 3 + 6 + 16, 16 + 16 * 3 + 6 + 26)),
    })) {
      assert.equal(readAll(damaged), undefined, what);
    }
  });

  it('is refused when elements overlap, so that no file expands', () => {
    const random = randomNumbers(3);
    const firstLeaf = 3;
    const damaged = changed(firstLeaf, (page) => {
      const count = page.readUInt16LE(10);
      assert.ok(count > 10);
      for (let i = 0; i < count; i++) {
        const at = 16 + i * 16;
        page.writeUInt32LE(16 * count - i * 16, at + 4);
        page.writeUInt32LE(1 + random(4), at + 8);
        page.writeUInt32LE(3_000, at + 12);
      }
    });
    assert.equal(readAll(damaged), undefined);
  });

  it('that is something else is refused', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(100_000), Buffer.from('apiVersion: v1\n'.repeat(1_000))])
      assert.throws(() => readBbolt(bytes), { name: 'BboltError', message: /this is no bbolt database/ });
  });
});
