/** A disk writes sectors of this size. */
const sector = 512;
const zeros = Buffer.alloc(sector);

/** Whether a sector between `from` and `end` was never written. The first and the last sector may be partial. */
export function hasUnwrittenSector(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end;) {
    const next = Math.min(end, (Math.floor(at / sector) + 1) * sector);
    if (bytes.compare(zeros, 0, next - at, at, next) === 0) return true;
    at = next;
  }
  return false;
}
