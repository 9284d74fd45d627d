import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { readWal } from './wal.ts';
import { walTypes, crc32c } from './wal-file.ts';

/** Writes records as etcd does: each is padded to eight bytes, and its checksum includes all data before it. */
class WalWriter {
  #crc = 0;
  #parts: Buffer[] = [];

  /** Begins a file, whose first record repeats the checksum of the file before. */
  begin(): this {
    this.#frame(walTypes.crc, this.#crc);
    return this;
  }

  add(type: number, data: Uint8Array): this {
    this.#crc = crc32c(Buffer.from(data), this.#crc);
    this.#frame(type, this.#crc, data);
    return this;
  }

  entry(index: number, text: string): this {
    const data = new BinaryWriter().uint32(0x10).uint64(1).uint32(0x18).uint64(index).uint32(0x22).string(text);
    return this.add(walTypes.entry, data.finish());
  }

  commit(index: number): this {
    return this.add(walTypes.state, new BinaryWriter().uint32(0x18).uint64(index).finish());
  }

  /** The file, with space that is allocated and not written yet. */
  end(): Buffer {
    const file = Buffer.concat([...this.#parts, Buffer.alloc(1_024)]);
    this.#parts = [];
    return file;
  }

  #frame(type: number, crc: number, data?: Uint8Array): void {
    const writer = new BinaryWriter().uint32(0x08).int64(type).uint32(0x10).uint32(crc);
    if (data !== undefined) writer.uint32(0x1a).bytes(data);
    const record = writer.finish();
    const padding = (8 - (record.length % 8)) % 8;
    const length = Buffer.alloc(8);
    length.writeUIntLE(record.length, 0, 6);
    if (padding > 0) length.writeUInt8(0x80 | padding, 7);
    this.#parts.push(length, Buffer.from(record), Buffer.alloc(padding));
  }
}

describe('the write-ahead log of an etcd', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-wal-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const nameOf = (sequence: number, index: number) =>
    join(directory, `${sequence.toString(16).padStart(16, '0')}-${index.toString(16).padStart(16, '0')}.wal`);
  const read = async (after: number) => {
    const { entries, commit, end } = await readWal(directory, after);
    return { entries: entries.map(({ index, data }) => `${String(index)}=${String(data)}`), commit, end };
  };

  it('has the checksums of Castagnoli', () => {
    assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283);
    assert.equal(crc32c(Buffer.from('6789'), crc32c(Buffer.from('12345'))), 0xe3069283);
  });

  it('continues from file to file, and gives the entries after an index', async () => {
    const wal = new WalWriter();
    writeFileSync(nameOf(0, 0), wal.begin().add(walTypes.metadata, Buffer.from('m')).entry(1, 'a').entry(2, 'b').end());
    writeFileSync(nameOf(1, 3), wal.begin().commit(2).entry(3, 'c').entry(4, 'd').commit(3).end());
    writeFileSync(join(directory, '0.tmp'), 'x');
    assert.deepEqual(await read(0), { entries: ['1=a', '2=b', '3=c', '4=d'], commit: 3, end: 'end' });
    assert.deepEqual(await read(2), { entries: ['3=c', '4=d'], commit: 3, end: 'end' });
    assert.deepEqual(await read(3), { entries: ['4=d'], commit: 3, end: 'end' });
    assert.deepEqual(await read(9), { entries: [], commit: 3, end: 'end' });
  });

  it('gives the entries of a new leader in place of those that it replaces', async () => {
    const wal = new WalWriter().begin().entry(1, 'a').entry(2, 'b').entry(3, 'c').entry(2, 'B').commit(2);
    writeFileSync(nameOf(0, 0), wal.end());
    assert.deepEqual(await read(0), { entries: ['1=a', '2=B'], commit: 2, end: 'end' });
  });

  it('says where it is absent, damaged or has a gap', async () => {
    assert.equal((await read(0)).end, 'absent');
    assert.equal((await readWal(join(directory, 'none'), 0)).end, 'absent');
    const file = new WalWriter().begin().entry(1, 'a').entry(2, 'x'.repeat(3_000)).entry(3, 'c').end();
    writeFileSync(nameOf(0, 0), file);
    assert.equal((await read(0)).entries.length, 3);
    const damaged = Buffer.from(file);
    damaged.write('y', file.indexOf('xxx'));
    writeFileSync(nameOf(0, 0), damaged);
    assert.deepEqual(await read(0), { entries: ['1=a'], commit: 0, end: 'damaged' });
    damaged.fill(0, 1_024, 2_048);
    writeFileSync(nameOf(0, 0), damaged);
    assert.deepEqual(await read(0), { entries: ['1=a'], commit: 0, end: 'torn' });
    writeFileSync(nameOf(0, 0), file.subarray(0, 2_000));
    assert.equal((await read(0)).end, 'damaged');
    writeFileSync(nameOf(0, 0), new WalWriter().begin().entry(1, 'a').entry(3, 'c').end());
    assert.deepEqual(await read(0), { entries: ['1=a'], commit: 0, end: 'damaged' });
  });
});
