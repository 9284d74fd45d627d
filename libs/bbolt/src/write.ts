import { metaPage } from './meta.ts';
import { bucketFlag, pageFlags, pageHeader, writeUint64 } from './page.ts';
import { firstPages, type BboltPlan, type PlannedTree } from './plan.ts';
import { writeBranch, writeLeaf, type NewEntry, type PlannedPage } from './write-page.ts';

/** The size of a chunk of the file, in bytes. A page with overflow pages can be larger. */
const chunkBytes = 256 * 1_024;

const freelistId = 2;

/** Two meta pages and a list of free pages without entries. */
function head({ pageSize, pageCount, root }: BboltPlan): Buffer {
  const meta = (id: 0 | 1) =>
    metaPage(id, { pageSize, pageCount, root: root.tree.root, freelist: freelistId, transaction: BigInt(id) });
  const freelist = Buffer.alloc(pageSize * (firstPages - freelistId));
  writeUint64(freelist, freelistId, pageHeader.id);
  freelist.writeUInt16LE(pageFlags.freelist, pageHeader.flags);
  return Buffer.concat([meta(0), meta(1), freelist]);
}

type PlacedPage = readonly [page: PlannedPage, write: (target: Buffer) => void];

function* pagesOf(
  entries: Iterable<NewEntry>,
  { leaves, branches }: PlannedTree,
  flags: number,
): Generator<PlacedPage> {
  const iterator = entries[Symbol.iterator]();
  for (const page of leaves) {
    yield [
      page,
      (target) => {
        writeLeaf(target, page, iterator, flags);
      },
    ];
  }
  let below = leaves;
  for (const level of branches) {
    const children = below[Symbol.iterator]();
    for (const page of level) {
      yield [
        page,
        (target) => {
          writeBranch(target, page, children);
        },
      ];
    }
    below = level;
  }
}

function* inChunks(pages: Iterable<PlacedPage>, pageSize: number): Generator<Buffer> {
  let chunk = Buffer.alloc(0);
  let used = 0;
  for (const [page, write] of pages) {
    const length = page.pages * pageSize;
    if (used + length > chunk.length) {
      if (used > 0) yield chunk.subarray(0, used);
      chunk = Buffer.alloc(Math.max(chunkBytes, length));
      used = 0;
    }
    write(chunk.subarray(used, used + length));
    used += length;
  }
  if (used > 0) yield chunk.subarray(0, used);
}

function* everyPage({ trees, root }: BboltPlan): Generator<PlacedPage> {
  for (const { entries, tree } of trees) if (tree.root !== 0) yield* pagesOf(entries, tree, 0);
  yield* pagesOf(root.entries, root.tree, bucketFlag);
}

/**
 * The whole database file in chunks of about 256 KiB, each created when it is taken. The file has `pageCount * pageSize` bytes. It has no free pages, and
 * bbolt's `check` accepts it. Throws Error when entries have changed since they were planned.
 */
export function* bboltPages(plan: BboltPlan): Generator<Buffer> {
  yield head(plan);
  yield* inChunks(everyPage(plan), plan.pageSize);
}
