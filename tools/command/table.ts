/** A Markdown table. From the `numbers`th column on cells hold numbers, at the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], numbers = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [head, head.map((_name, index) => (index < numbers ? '---' : '---:')), ...rows].map(line).join('\n');
}

/** A figure with three digits, or more before the point. Empty for NaN. */
export function format(value: number): string {
  if (Number.isNaN(value)) return '';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** The value in sorted values at a share of them, from 0 to 1. NaN if there are none. */
export const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

/** The median of values in any order: the mean of the two in the middle if their number is even. NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (quantile(sorted, 0.5) + (sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN)) / 2;
}

/** Figures that were measured several times, by row and column of a table. */
export class Figures {
  readonly #rows = new Map<string, Map<string, number[]>>();

  add(row: string, column: string, value: number): void {
    const cells = this.#rows.get(row) ?? new Map<string, number[]>();
    this.#rows.set(row, cells.set(column, [...(cells.get(column) ?? []), value]));
  }

  /** The names of the rows, in order. */
  get rows(): readonly string[] {
    return [...this.#rows.keys()];
  }

  /** The median of what was measured for a cell. NaN if nothing was. */
  median(row: string, column: string): number {
    return median(this.#rows.get(row)?.get(column) ?? []);
  }
}
