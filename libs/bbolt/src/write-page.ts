import { branchElement, leafElement, pageFlags, pageHeader, writeUint64 } from './page.ts';

/** A key and a value to write. The value is written only when its page is, so that it needs no memory before. */
export interface NewEntry {
  readonly key: Buffer;
  readonly valueLength: number;
  /** Writes exactly `valueLength` bytes into `page` at `at`. */
  writeValue(page: Buffer, at: number): void;
}

/** A page of a tree. */
export interface PlannedPage {
  readonly id: number;
  /** The number of pages that it takes, with overflow pages. */
  readonly pages: number;
  /** The number of its elements. */
  readonly count: number;
  /** Its length in bytes, without the unused rest. */
  readonly used: number;
  readonly firstKey: Buffer;
}

function writeHeader(target: Buffer, { id, pages, count }: PlannedPage, flags: number): void {
  writeUint64(target, id, pageHeader.id);
  target.writeUInt16LE(flags, pageHeader.flags);
  target.writeUInt16LE(count, pageHeader.count);
  target.writeUInt32LE(pages - 1, pageHeader.overflow);
}

/** Writes a leaf page with the next entries. `target`: zeros, at least `page.used` bytes. */
export function writeLeaf(target: Buffer, page: PlannedPage, entries: Iterator<NewEntry>, elementFlags: number): void {
  writeHeader(target, page, pageFlags.leaf);
  let start = pageHeader.length + page.count * leafElement.length;
  for (let i = 0, at: number = pageHeader.length; i < page.count; i++, at += leafElement.length) {
    const next = entries.next();
    if (next.done === true) throw new Error('the entries have changed while they were written');
    const { key, valueLength } = next.value;
    target.writeUInt32LE(elementFlags, at + leafElement.flags);
    target.writeUInt32LE(start - at, at + leafElement.position);
    target.writeUInt32LE(key.length, at + leafElement.keyLength);
    target.writeUInt32LE(valueLength, at + leafElement.valueLength);
    start += key.copy(target, start);
    next.value.writeValue(target, start);
    start += valueLength;
  }
  if (start !== page.used) throw new Error('the entries have changed while they were written');
}

/** Writes a branch page with the next pages of the level below it. `target`: zeros, at least `page.used` bytes. */
export function writeBranch(target: Buffer, page: PlannedPage, children: Iterator<PlannedPage>): void {
  writeHeader(target, page, pageFlags.branch);
  let start = pageHeader.length + page.count * branchElement.length;
  for (let i = 0, at: number = pageHeader.length; i < page.count; i++, at += branchElement.length) {
    const next = children.next();
    if (next.done === true) throw new Error('a branch page has no page below it');
    const { id, firstKey } = next.value;
    target.writeUInt32LE(start - at, at + branchElement.position);
    target.writeUInt32LE(firstKey.length, at + branchElement.keyLength);
    writeUint64(target, id, at + branchElement.page);
    start += firstKey.copy(target, start);
  }
}
