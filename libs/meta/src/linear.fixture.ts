import assert from 'node:assert/strict';

function processorMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const least = (work: () => void): number => Math.min(...Array.from({ length: 2 }, () => processorMilliseconds(work)));

/**
 * Asserts that work on a text four times as long takes less than ten times the processor time. Quadratic work takes sixteen times as much.
 * `n` is the smaller size. Work that is too short to measure passes.
 */
export function assertLinear<Text>(textOf: (n: number) => Text, work: (text: Text) => void, n = 50_000): void {
  const [small, large] = [textOf(n), textOf(4 * n)];
  work(small);
  let base = 0;
  let grown = 0;
  // Other processes use the machine too, so linear work may need another attempt.
  for (let attempt = 0; attempt < 3; attempt++) {
    base = Math.max(
      least(() => work(small)),
      2,
    );
    grown = least(() => work(large));
    if (grown < 10 * base) return;
  }
  assert.fail(`${String(textOf(4)).slice(0, 60)}: ${base} ms for ${n}, ${grown} ms for ${4 * n}`);
}

/** The message of the error that the work throws. */
export function outcome(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}
