import { bucketHeader, pageFlags, pageHeader, readUint64, writeUint64 } from './page.ts';

/**
 * A meta page says where a database begins. There are two, on pages 0 and 1; transactions write them in turn, so that the older one is valid when a
 * crash interrupts the writing of the newer one. Source: https://github.com/etcd-io/bbolt/blob/v1.3.11/db.go
 */
export interface Meta {
  readonly pageSize: number;
  /** The root page of the bucket of buckets. */
  readonly root: number;
  readonly freelist: number;
  /** The number of pages in use; later pages of the file have no meaning. */
  readonly pageCount: number;
  readonly transaction: bigint;
}

const layout = {
  magic: 16,
  version: 20,
  pageSize: 24,
  flags: 28,
  root: 32,
  sequence: 32 + bucketHeader.sequence,
  freelist: 48,
  pageCount: 56,
  transaction: 64,
  checksum: 72,
  length: 80,
} as const;
const magic = 0xed0cdaed;
const version = 2;

/** The page sizes that are looked for, in bytes: those of processors, and smaller and larger ones that bbolt accepts. */
const smallestPage = 512;
const largestPage = 2 ** 20;
export const isPageSize = (size: number): boolean =>
  Number.isInteger(Math.log2(size)) && size >= smallestPage && size <= largestPage;

/** FNV-1a of 64 bits. */
function checksumOf(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

/** The meta page at an offset, or undefined when there is no valid one. */
function readMeta(bytes: Buffer, at: number): Meta | undefined {
  if (at + layout.length > bytes.length) return undefined;
  const page = bytes.subarray(at, at + layout.length);
  if (page.readUInt32LE(layout.magic) !== magic || page.readUInt32LE(layout.version) !== version) return undefined;
  if (page.readBigUInt64LE(layout.checksum) !== checksumOf(page.subarray(layout.magic, layout.checksum)))
    return undefined;
  return {
    pageSize: page.readUInt32LE(layout.pageSize),
    root: readUint64(page, layout.root),
    freelist: readUint64(page, layout.freelist),
    pageCount: readUint64(page, layout.pageCount),
    transaction: page.readBigUInt64LE(layout.transaction),
  };
}

/**
 * The valid meta page of the latest transaction, or undefined when neither is valid. `bytes` is the file or its beginning: two megabytes contain both
 * meta pages.
 */
export function newestMeta(bytes: Buffer): Meta | undefined {
  const first = readMeta(bytes, 0);
  const found = first === undefined || !isPageSize(first.pageSize) ? [] : [first];
  // When the first is damaged, the page size is unknown: the second says at which offset it stands.
  for (let size = smallestPage; size <= largestPage; size *= 2) {
    if (found[0] !== undefined && found[0].pageSize !== size) continue;
    const second = readMeta(bytes, size);
    if (second?.pageSize === size) found.push(second);
  }
  return found.sort((a, b) => Number(b.transaction - a.transaction))[0];
}

/** The page with the number `id` (0 or 1). */
export function metaPage(id: number, meta: Meta): Buffer {
  const page = Buffer.alloc(meta.pageSize);
  writeUint64(page, id, pageHeader.id);
  page.writeUInt16LE(pageFlags.meta, pageHeader.flags);
  page.writeUInt32LE(magic, layout.magic);
  page.writeUInt32LE(version, layout.version);
  page.writeUInt32LE(meta.pageSize, layout.pageSize);
  writeUint64(page, meta.root, layout.root);
  writeUint64(page, meta.freelist, layout.freelist);
  writeUint64(page, meta.pageCount, layout.pageCount);
  page.writeBigUInt64LE(meta.transaction, layout.transaction);
  page.writeBigUInt64LE(checksumOf(page.subarray(layout.magic, layout.checksum)), layout.checksum);
  return page;
}
