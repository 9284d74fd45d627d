import { isPageSize } from './meta.ts';
import {
  branchElement,
  bucketHeader,
  leafElement,
  maxKeyLength,
  maxValueLength,
  pageHeader,
  writeUint64,
  BboltError,
} from './page.ts';
import { writeLeaf, type NewEntry, type PlannedPage } from './write-page.ts';

/** A bucket to write. */
export interface NewBucket {
  readonly name: string;
  /** In ascending order of keys. Iterated twice, and must be the same both times. */
  readonly entries: Iterable<NewEntry>;
}

/** The pages of a bucket, in the order of the file: leaves, then level by level to the root. */
export interface PlannedTree {
  /** 0 = the bucket is inline: its only leaf is part of its value in the bucket of buckets. */
  readonly root: number;
  readonly leaves: readonly PlannedPage[];
  readonly branches: readonly (readonly PlannedPage[])[];
}

/** The pages that every file begins with: two meta pages and the list of free pages. */
export const firstPages = 3;

/** The number of elements of a page, which takes two bytes, must not overflow. In bytes. */
const largestWritten = 65_536;

/** bbolt keeps a bucket inline when it takes at most this part of a page. */
const inlinePart = 1 / 4;

/** Every level of branches must have fewer pages than the level below it, also when two keys do not fit on a page. */
const leastBranch = 2;

/** Distributes elements over pages, in order. An element that does not fit on a page gets overflow pages. */
class Pager {
  readonly pages: PlannedPage[] = [];
  readonly #pageSize: number;
  readonly #leastCount: number;
  #nextId: number;
  #used: number = pageHeader.length;
  #count = 0;
  #firstKey: Buffer = Buffer.alloc(0);

  constructor(pageSize: number, nextId: number, leastCount: number) {
    this.#pageSize = pageSize;
    this.#nextId = nextId;
    this.#leastCount = leastCount;
  }

  /** The first page id that is not assigned. */
  get nextId(): number {
    return this.#nextId;
  }

  add(key: Buffer, length: number): void {
    if (this.#count >= this.#leastCount && this.#used + length > this.#pageSize) this.endPage();
    if (this.#count === 0) this.#firstKey = key;
    this.#used += length;
    this.#count++;
  }

  endPage(): void {
    const pages = Math.ceil(this.#used / this.#pageSize);
    const [id, count, used, firstKey] = [this.#nextId, this.#count, this.#used, this.#firstKey];
    this.pages.push({ id, pages, count, used, firstKey });
    this.#nextId += pages;
    this.#used = pageHeader.length;
    this.#count = 0;
  }
}

function checkEntry({ key, valueLength }: NewEntry, before: Buffer | undefined): void {
  if (key.length === 0 || key.length > maxKeyLength)
    throw new BboltError(`a key has ${String(key.length)} bytes; 1 to ${String(maxKeyLength)} are possible`);
  if (valueLength > maxValueLength)
    throw new BboltError(`a value has ${String(valueLength)} bytes; ${String(maxValueLength)} are possible`);
  if (before !== undefined && Buffer.compare(before, key) >= 0)
    throw new BboltError('the keys to write are not in ascending order');
}

/** The number of entries that one step of the plan visits. */
const entriesPerStep = 1_000;

type Steps<Result> = Generator<undefined, Result, undefined>;

function* planTree(
  entries: Iterable<NewEntry>,
  pageSize: number,
  firstId: number,
  mayBeInline: boolean,
): Steps<{ readonly tree: PlannedTree; readonly nextId: number }> {
  const leaves = new Pager(pageSize, firstId, 1);
  let before: Buffer | undefined;
  let visited = 0;
  for (const entry of entries) {
    checkEntry(entry, before);
    before = entry.key;
    leaves.add(entry.key, leafElement.length + entry.key.length + entry.valueLength);
    if (++visited % entriesPerStep === 0) yield;
  }
  leaves.endPage();
  const [first] = leaves.pages;
  if (mayBeInline && leaves.pages.length === 1 && first !== undefined && first.used <= pageSize * inlinePart)
    return { tree: { root: 0, leaves: leaves.pages, branches: [] }, nextId: firstId };
  const branches: PlannedPage[][] = [];
  let level = leaves.pages;
  let { nextId } = leaves;
  while (level.length > 1) {
    const above = new Pager(pageSize, nextId, leastBranch);
    for (const { firstKey } of level) above.add(firstKey, branchElement.length + firstKey.length);
    above.endPage();
    level = above.pages;
    branches.push(level);
    ({ nextId } = above);
    yield;
  }
  return { tree: { root: level[0]?.id ?? firstId, leaves: leaves.pages, branches }, nextId };
}

/** The value of a bucket in the bucket of buckets, whose length is known before its contents. */
function bucketEntry({ name, entries }: NewBucket, { root, leaves }: PlannedTree): NewEntry {
  const [inline] = root === 0 ? leaves : [];
  return {
    key: Buffer.from(name),
    valueLength: bucketHeader.length + (inline?.used ?? 0),
    writeValue: (page, at) => {
      writeUint64(page, root, at + bucketHeader.root);
      writeUint64(page, 0, at + bucketHeader.sequence);
      const start = at + bucketHeader.length;
      if (inline === undefined) return;
      writeLeaf(page.subarray(start, start + inline.used), { ...inline, id: 0 }, entries[Symbol.iterator](), 0);
    },
  };
}

/** A file to write: which key stands on which page. `bboltPages` creates its pages. */
export interface BboltPlan {
  readonly pageSize: number;
  readonly trees: readonly { readonly entries: Iterable<NewEntry>; readonly tree: PlannedTree }[];
  /** The bucket of buckets. */
  readonly root: { readonly entries: readonly NewEntry[]; readonly tree: PlannedTree };
  readonly pageCount: number;
}

/**
 * Plans a database file with these buckets: one pass over the entries, in steps of some hundred microseconds. `pageSize`: in bytes, a power of two from
 * 512 to 65,536. Throws BboltError for keys or buckets that are not in ascending order, and for keys and values that no database can contain.
 */
export function* planBbolt(buckets: readonly NewBucket[], pageSize = 4_096): Steps<BboltPlan> {
  if (!isPageSize(pageSize) || pageSize > largestWritten)
    throw new BboltError(`${String(pageSize)} is no size of a page`);
  const trees: { entries: Iterable<NewEntry>; tree: PlannedTree }[] = [];
  const rootEntries: NewEntry[] = [];
  let nextId = firstPages;
  for (const bucket of buckets) {
    const planned = yield* planTree(bucket.entries, pageSize, nextId, true);
    ({ nextId } = planned);
    trees.push({ entries: bucket.entries, tree: planned.tree });
    rootEntries.push(bucketEntry(bucket, planned.tree));
  }
  const { tree, nextId: pageCount } = yield* planTree(rootEntries, pageSize, nextId, false);
  return { pageSize, trees, root: { entries: rootEntries, tree }, pageCount };
}
