import { markdownTable } from '../../command/table.ts';

/** What a run compared, and what differed. */
export class Findings {
  readonly #checked = new Map<string, number>();
  readonly #faults: string[] = [];
  readonly #figures = new Map<string, string>();

  /** Counts a comparison. `what` is its row in the table; `fault` says what is wrong, undefined if nothing is. */
  check(what: string, fault: string | undefined): void {
    this.#checked.set(what, (this.#checked.get(what) ?? 0) + 1);
    if (fault !== undefined) this.#faults.push(`${what}: ${fault}`);
  }

  /** Counts a comparison of two texts. */
  same(what: string, where: string, expected: string, actual: string): void {
    this.check(what, expected === actual ? undefined : `${where}: expected ${expected}, found ${actual}`);
  }

  figure(what: string, value: string): void {
    this.#figures.set(what, value);
  }

  get faults(): readonly string[] {
    return this.#faults;
  }

  /** The counts and figures, one line each. */
  table(): string {
    const rows = [...this.#checked].map(([what, count]) => {
      const faults = this.#faults.filter((fault) => fault.startsWith(`${what}: `)).length;
      return [what, String(count), String(faults)];
    });
    const figures = [...this.#figures].map(([what, value]) => `${what}: ${value}`);
    return [markdownTable(['compared', 'times', 'different'], rows), '', ...figures].join('\n');
  }
}
