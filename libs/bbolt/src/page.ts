/**
 * The layout of a page: a header (page id, flags, number of elements, number of overflow pages), the elements, and the keys and values that the
 * elements point to. An element's position counts from the element itself. Numbers are little-endian. Source:
 * https://github.com/etcd-io/bbolt/blob/v1.3.11/page.go
 */
export const pageHeader = { id: 0, flags: 8, count: 10, overflow: 12, length: 16 } as const;
export const pageFlags = { branch: 0x01, leaf: 0x02, meta: 0x04, freelist: 0x10 } as const;

/** An element of a branch page: the first key below a page, and the id of that page. */
export const branchElement = { position: 0, keyLength: 4, page: 8, length: 16 } as const;
/** An element of a leaf page. */
export const leafElement = { flags: 0, position: 4, keyLength: 8, valueLength: 12, length: 16 } as const;
/** The flag of a leaf element whose value is a nested bucket. */
export const bucketFlag = 0x01;

/** The value of a nested bucket: its root page and its sequence. With root 0 the only page of the bucket follows. */
export const bucketHeader = { root: 0, sequence: 8, length: 16 } as const;

/** The largest key and value, in bytes. */
export const maxKeyLength = 32_768;
export const maxValueLength = 2 ** 31 - 2;

const high = 2 ** 32;

/** A 64-bit number as a double. A number that is no page id, because it exceeds every file, loses its last digits. */
export const readUint64 = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * high;

export function writeUint64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % high, at);
  bytes.writeUInt32LE(Math.floor(value / high), at + 4);
}

/** A file is no bbolt database, or is damaged or incomplete. The message is one line and says what was found where. */
export class BboltError extends Error {
  override readonly name = 'BboltError';
}
