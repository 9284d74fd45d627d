/** How a top-level test of a Go suite ended. */
export interface Outcome {
  readonly suite: string;
  readonly test: string;
  /** `not applicable`: skipped by our fixtures, wholly; `skipped`: by the test itself. */
  readonly result: 'passed' | 'failed' | 'skipped' | 'not applicable';
  readonly seconds: number;
  /** The subtests that failed. */
  readonly failed: readonly string[];
  /** The reasons of our fixtures for what they skipped. */
  readonly reasons: readonly string[];
}

const results: ReadonlyMap<string, Outcome['result']> = new Map([
  ['PASS', 'passed'],
  ['FAIL', 'failed'],
  ['SKIP', 'skipped'],
]);

interface Ended {
  readonly test: string;
  readonly result: Outcome['result'];
  readonly seconds: number;
}

/**
 * Reads the output of a Go test program that ran with -test.v. A test of which it has no result failed, because the program crashed or timed
 * out: one that had begun, or `expected`.
 */
export function outcomesOf(suite: string, output: string, expected?: string): Outcome[] {
  const begun = new Set(expected === undefined ? [] : [expected]);
  const ended: Ended[] = [];
  const subtests: Ended[] = [];
  const reasons = new Map<string, Set<string>>();
  let current = expected ?? '';
  for (const line of output.split('\n')) {
    const start = /^=== RUN\s+(\w+)$/.exec(line)?.[1];
    if (start !== undefined) {
      begun.add(start);
      current = start;
    }
    const reason = /^ *\S+\.go:\d+: not applicable: (.*)$/.exec(line)?.[1];
    if (reason !== undefined) reasons.set(current, (reasons.get(current) ?? new Set()).add(reason));
    const end = /^( *)--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)/.exec(line);
    if (end === null) continue;
    const [, indent = '', word = '', test = '', seconds = ''] = end;
    (indent === '' ? ended : subtests).push({ test, result: results.get(word) ?? 'failed', seconds: Number(seconds) });
  }
  for (const { test } of ended) begun.delete(test);
  for (const test of begun) ended.push({ test, result: 'failed', seconds: 0 });
  return ended.map(({ test, result, seconds }) => {
    const own = subtests.filter(({ test: name }) => name.startsWith(`${test}/`));
    const why = [...(reasons.get(test) ?? [])];
    const ran = result !== 'skipped' && (own.length === 0 || own.some((subtest) => subtest.result !== 'skipped'));
    return {
      suite,
      test,
      result: why.length > 0 && !ran ? 'not applicable' : result,
      seconds,
      failed: own.filter((subtest) => subtest.result === 'failed').map(({ test: name }) => name),
      reasons: why,
    };
  });
}

/** One line for each suite: how many tests passed, failed, were skipped, and do not apply. */
export function summary(outcomes: readonly Outcome[]): string {
  return [...Map.groupBy(outcomes, ({ suite }) => suite)]
    .map(([suite, tests]) => {
      const count = (result: Outcome['result']) => tests.filter((test) => test.result === result).length;
      const parts = (['passed', 'failed', 'skipped', 'not applicable'] as const).map(
        (name) => `${count(name)} ${name}`,
      );
      return `${suite}: ${tests.length} tests, ${parts.join(', ')}`;
    })
    .join('\n');
}
