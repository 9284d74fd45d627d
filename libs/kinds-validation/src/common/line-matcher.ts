/** A run of equal lines: `a[i..i+size)` equals `b[j..j+size)`. */
interface Block {
  readonly i: number;
  readonly j: number;
  readonly size: number;
}
export interface Edit {
  readonly equal: boolean;
  readonly from: readonly [start: number, end: number];
  readonly to: readonly [start: number, end: number];
}

const popularFrom = 200;

/** A bound on comparisons when searching for common runs; the remaining lines count as changed. */
const mostComparisons = 1_000_000;

/** The positions of each line in `b`, without very frequent lines, which do not help matching. */
function positions(b: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [j, line] of b.entries()) {
    const at = found.get(line);
    if (at === undefined) found.set(line, [j]);
    else at.push(j);
  }
  if (b.length < popularFrom) return found;
  const limit = Math.floor(b.length / 100) + 1;
  for (const [line, at] of found) if (at.length > limit) found.delete(line);
  return found;
}

/**
 * Compares two lists of lines as Python's difflib does: the longest common run first, then left and right of it. The messages of the API
 * server show this result, not the shortest edit.
 */
class Matcher {
  readonly #a: readonly string[];
  readonly #b: readonly string[];
  readonly #positions: Map<string, number[]>;
  #comparisons = 0;

  constructor(a: readonly string[], b: readonly string[]) {
    this.#a = a;
    this.#b = b;
    this.#positions = positions(b);
  }

  #longest(aLow: number, aHigh: number, bLow: number, bHigh: number): Block {
    let best: Block = { i: aLow, j: bLow, size: 0 };
    let lengths = new Map<number, number>();
    for (let i = aLow; i < aHigh && this.#comparisons < mostComparisons; i++) {
      this.#comparisons++;
      const next = new Map<number, number>();
      for (const j of this.#positions.get(this.#a[i] ?? '') ?? []) {
        if (j < bLow) {
          this.#comparisons++;
          continue;
        }
        if (j >= bHigh) break;
        this.#comparisons++;
        const size = (lengths.get(j - 1) ?? 0) + 1;
        next.set(j, size);
        if (size > best.size) best = { i: i - size + 1, j: j - size + 1, size };
      }
      lengths = next;
    }
    return this.#extended(best, aLow, aHigh, bLow, bHigh);
  }

  /** Extends a run at both ends; there, frequent lines count too. */
  #extended(block: Block, aLow: number, aHigh: number, bLow: number, bHigh: number): Block {
    let { i, j, size } = block;
    while (i > aLow && j > bLow && this.#a[i - 1] === this.#b[j - 1]) {
      i--;
      j--;
      size++;
    }
    while (i + size < aHigh && j + size < bHigh && this.#a[i + size] === this.#b[j + size]) size++;
    return { i, j, size };
  }

  blocks(): Block[] {
    const result: Block[] = [];
    const walk = (aLow: number, aHigh: number, bLow: number, bHigh: number): void => {
      const block = this.#longest(aLow, aHigh, bLow, bHigh);
      if (block.size === 0) return;
      if (aLow < block.i && bLow < block.j) walk(aLow, block.i, bLow, block.j);
      result.push(block);
      const aRest = block.i + block.size;
      const bRest = block.j + block.size;
      if (aRest < aHigh && bRest < bHigh) walk(aRest, aHigh, bRest, bHigh);
    };
    walk(0, this.#a.length, 0, this.#b.length);
    return [...result, { i: this.#a.length, j: this.#b.length, size: 0 }];
  }
}

/** The edits that turn `a` into `b`: alternating equal and changed ranges. */
export function lineEdits(a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  const push = (equal: boolean, aEnd: number, bEnd: number): void => {
    if (aEnd > i || bEnd > j) {
      const last = edits.at(-1);
      // Merges adjacent equal ranges.
      if (last?.equal === true && equal) edits.pop();
      const start = last?.equal === true && equal ? last : undefined;
      edits.push({ equal, from: [start?.from[0] ?? i, aEnd], to: [start?.to[0] ?? j, bEnd] });
    }
    i = aEnd;
    j = bEnd;
  };
  for (const block of new Matcher(a, b).blocks()) {
    push(false, block.i, block.j);
    push(true, block.i + block.size, block.j + block.size);
  }
  return edits;
}
