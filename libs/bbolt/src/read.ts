import { newestMeta } from './meta.ts';
import {
  branchElement,
  bucketFlag,
  bucketHeader,
  leafElement,
  pageFlags,
  pageHeader,
  readUint64,
  BboltError,
} from './page.ts';

/** A key and its value: views of the file. */
interface BboltEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** An opened database. */
export interface BboltDatabase {
  /** In bytes. */
  readonly pageSize: number;
  /** The number of the transaction whose state this is. */
  readonly transaction: bigint;
  /** The bucket of buckets. */
  readonly root: BboltBucket;
}

/** The pages of a file. Every access is checked. */
class Pages {
  readonly #bytes: Buffer;
  readonly #pageSize: number;
  readonly #pageCount: number;

  constructor(bytes: Buffer, pageSize: number, pageCount: number) {
    this.#bytes = bytes;
    this.#pageSize = pageSize;
    this.#pageCount = pageCount;
  }

  /** The pages that an iteration has visited. */
  noVisits(): Uint8Array {
    return new Uint8Array(this.#pageCount);
  }

  /** A page with its overflow pages. Throws BboltError when it is damaged, or when one of them was visited before. */
  visit(id: number, visited: Uint8Array): Buffer {
    if (id < 2 || id >= this.#pageCount) throw new BboltError(`page ${String(id)} does not exist`);
    const start = id * this.#pageSize;
    if (readUint64(this.#bytes, start + pageHeader.id) !== id)
      throw new BboltError(`page ${String(id)} contains another page`);
    const end = id + 1 + this.#bytes.readUInt32LE(start + pageHeader.overflow);
    if (end > this.#pageCount) throw new BboltError(`page ${String(id)} exceeds the file`);
    for (let each = id; each < end; each++) {
      if (visited[each] === 1) throw new BboltError(`page ${String(each)} is referenced twice`);
      visited[each] = 1;
    }
    return this.#bytes.subarray(start, end * this.#pageSize);
  }
}

/** The offset of the bytes that an element points to. `budget`: how many bytes the remaining elements of the page may have together. */
function checkedStart(page: Buffer, element: number, position: number, length: number, budget: number): number {
  const start = element + position;
  if (length > budget || start + length > page.length) throw new BboltError('an element exceeds its page');
  return start;
}

function elementCount(page: Buffer, elementLength: number): number {
  const count = page.readUInt16LE(pageHeader.count);
  if (pageHeader.length + count * elementLength > page.length) throw new BboltError('a page has too many elements');
  return count;
}

/** The pages below a branch page, first to last. */
function childrenOf(page: Buffer): number[] {
  const count = elementCount(page, branchElement.length);
  if (count === 0) throw new BboltError('a branch page is empty');
  return Array.from({ length: count }, (_, i) =>
    readUint64(page, pageHeader.length + i * branchElement.length + branchElement.page),
  );
}

interface LeafEntry extends BboltEntry {
  readonly isBucket: boolean;
}

function* leafEntries(page: Buffer): Generator<LeafEntry> {
  const count = elementCount(page, leafElement.length);
  let budget = page.length - pageHeader.length - count * leafElement.length;
  for (let i = 0, at: number = pageHeader.length; i < count; i++, at += leafElement.length) {
    const keyLength = page.readUInt32LE(at + leafElement.keyLength);
    const length = keyLength + page.readUInt32LE(at + leafElement.valueLength);
    const start = checkedStart(page, at, page.readUInt32LE(at + leafElement.position), length, budget);
    budget -= length;
    yield {
      key: page.subarray(start, start + keyLength),
      value: page.subarray(start + keyLength, start + length),
      isBucket: (page.readUInt32LE(at + leafElement.flags) & bucketFlag) !== 0,
    };
  }
}

/** A bucket: keys with values, and nested buckets. */
export class BboltBucket {
  readonly #pages: Pages;
  /** A page id, or the page of an inline bucket. */
  readonly #root: number | Buffer;

  constructor(pages: Pages, root: number | Buffer) {
    this.#pages = pages;
    this.#root = root;
  }

  /** The keys and values in ascending order of keys, without nested buckets. Throws BboltError while iterating when the bucket is damaged. */
  *entries(): Generator<BboltEntry> {
    for (const entry of this.#all()) if (!entry.isBucket) yield entry;
  }

  /** The nested buckets by name, in ascending order. Throws BboltError while iterating when the bucket is damaged. */
  *buckets(): Generator<[Buffer, BboltBucket]> {
    for (const { key, value, isBucket } of this.#all()) if (isBucket) yield [key, this.#nested(value)];
  }

  /** The nested bucket of a name. Throws BboltError when this bucket is damaged. */
  bucket(name: string): BboltBucket | undefined {
    const wanted = Buffer.from(name);
    for (const [key, bucket] of this.buckets()) if (key.equals(wanted)) return bucket;
    return undefined;
  }

  #nested(value: Buffer): BboltBucket {
    if (value.length < bucketHeader.length) throw new BboltError('a nested bucket is too short');
    const root = readUint64(value, bucketHeader.root);
    return new BboltBucket(this.#pages, root === 0 ? value.subarray(bucketHeader.length) : root);
  }

  *#all(): Generator<LeafEntry> {
    let before: Buffer | undefined;
    for (const page of this.#leaves()) {
      for (const entry of leafEntries(page)) {
        if (before !== undefined && Buffer.compare(before, entry.key) >= 0)
          throw new BboltError('keys are not in ascending order');
        before = entry.key;
        yield entry;
      }
    }
  }

  *#leaves(): Generator<Buffer> {
    if (typeof this.#root !== 'number') {
      if (this.#root.length < pageHeader.length || this.#root.readUInt16LE(pageHeader.flags) !== pageFlags.leaf)
        throw new BboltError('an inline bucket has no leaf page');
      yield this.#root;
      return;
    }
    const visited = this.#pages.noVisits();
    /** The pages still to visit; the last one is next. A page is visited once, which bounds the length of this list. */
    const next = [this.#root];
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      const page = this.#pages.visit(id, visited);
      const flags = page.readUInt16LE(pageHeader.flags);
      if (flags === pageFlags.leaf) yield page;
      else if (flags === pageFlags.branch) for (const child of childrenOf(page).reverse()) next.push(child);
      else throw new BboltError(`page ${String(id)} is neither a branch nor a leaf`);
    }
  }
}

/**
 * Opens a database: the state of its last whole transaction. Takes no locks and copies nothing; keys and values are views of `bytes`, the whole file.
 * Iteration takes time linear in the file and visits no page twice. Throws BboltError when the file is no bbolt database or is cut off. Damage
 * further inside is thrown by the iteration that reaches it: pages have no checksums, so damage inside of a value is not noticed. Source of the
 * format: https://github.com/etcd-io/bbolt
 */
export function readBbolt(bytes: Buffer): BboltDatabase {
  const meta = newestMeta(bytes);
  if (meta === undefined) throw new BboltError('this is no bbolt database, or both of its meta pages are damaged');
  const { pageSize, pageCount, transaction } = meta;
  if (pageCount * pageSize > bytes.length)
    throw new BboltError(
      `the file is cut off: it has ${String(bytes.length)} bytes instead of at least ${String(pageCount * pageSize)}`,
    );
  return { pageSize, transaction, root: new BboltBucket(new Pages(bytes, pageSize, pageCount), meta.root) };
}
