import assert from 'node:assert/strict';
import { outcomesOf, summary } from './outcomes.ts';

const lines = (...text: string[]) => `${text.join('\n')}\n`;

describe('the outcomes of a Go test program', () => {
  it('takes top-level tests, and the subtests that failed', () => {
    const output = lines(
      '=== RUN   TestApply',
      '=== RUN   TestApply/create',
      '=== RUN   TestApply/update',
      '    apply_test.go:12: expected 1, got 2',
      '--- FAIL: TestApply (1.25s)',
      '    --- PASS: TestApply/create (0.50s)',
      '    --- FAIL: TestApply/update (0.75s)',
      '=== RUN   TestList',
      '--- PASS: TestList (0.10s)',
      'FAIL',
    );
    assert.deepEqual(outcomesOf('apply', output), [
      { suite: 'apply', test: 'TestApply', result: 'failed', seconds: 1.25, failed: ['TestApply/update'], reasons: [] },
      { suite: 'apply', test: 'TestList', result: 'passed', seconds: 0.1, failed: [], reasons: [] },
    ]);
  });

  it('counts a test that the program did not finish as failed', () => {
    const output = lines(
      '=== RUN   TestFirst',
      '--- PASS: TestFirst (0.10s)',
      '=== RUN   TestSecond',
      'panic: nil map',
    );
    assert.deepEqual(
      outcomesOf('auth', output).map(({ test, result }) => [test, result]),
      [
        ['TestFirst', 'passed'],
        ['TestSecond', 'failed'],
      ],
    );
    assert.equal(outcomesOf('auth', 'no such file\n', 'TestThird')[0]?.result, 'failed');
  });

  it('tells what the fixtures skipped from what a test skipped itself', () => {
    const output = lines(
      '=== RUN   TestOurs',
      '    framework.go:40: not applicable: the test changes the program',
      '--- SKIP: TestOurs (0.00s)',
      '=== RUN   TestOwn',
      '    some_test.go:4: needs a GPU',
      '--- SKIP: TestOwn (0.00s)',
      '=== RUN   TestAllParts',
      '=== RUN   TestAllParts/one',
      '    framework.go:40: not applicable: the test changes the program',
      '--- PASS: TestAllParts (0.00s)',
      '    --- SKIP: TestAllParts/one (0.00s)',
      '=== RUN   TestSomeParts',
      '    framework.go:40: not applicable: the test changes the program',
      '--- PASS: TestSomeParts (0.00s)',
      '    --- SKIP: TestSomeParts/one (0.00s)',
      '    --- PASS: TestSomeParts/two (0.00s)',
    );
    const outcomes = outcomesOf('auth', output);
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ['not applicable', 'skipped', 'not applicable', 'passed'],
    );
    assert.deepEqual(outcomes[0]?.reasons, ['the test changes the program']);
    assert.equal(summary(outcomes), 'auth: 4 tests, 1 passed, 0 failed, 1 skipped, 2 not applicable');
  });
});
