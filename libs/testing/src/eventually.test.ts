import assert from 'node:assert/strict';
import { eventually, waitFor } from './eventually.ts';

describe('eventually', () => {
  it('tries until the attempt succeeds, and returns its result', async () => {
    let tries = 0;
    const result = await eventually(
      () => {
        if (++tries < 3) throw new Error('not yet');
        return tries;
      },
      { intervalMs: 1 },
    );
    assert.equal(result, 3);
  });

  it('throws the last failure', async () => {
    let tries = 0;
    const failure = await eventually(() => assert.equal(++tries, 0), {
      timeoutMs: 30,
      intervalMs: 10,
      what: 'the count',
    }).catch((error: unknown) => error);
    assert.ok(failure instanceof Error && failure.cause instanceof assert.AssertionError);
    assert.match(failure.message, /^the count: Expected values.*\(after 0\.03 s and \d tries\)$/s);
    assert.equal(failure.cause.actual, tries);
  });

  it('does not wait for an attempt that hangs', async () => {
    const hangs = () => new Promise<never>(() => undefined);
    await assert.rejects(eventually(hangs, { timeoutMs: 20 }), /^Error: the last attempt has not ended/);
  });

  it('refuses unknown options', async () => {
    const misspelled: object = { timeout: 1 };
    await assert.rejects(
      eventually(() => undefined, misspelled),
      /^TypeError: eventually: unknown option "timeout"; did you mean timeoutMs\?$/,
    );
  });
});

describe('waitFor', () => {
  it('returns the first truthy result', async () => {
    const values = [undefined, 0, '', 'here'];
    const found: string = await waitFor(() => values.shift() as string | undefined, { intervalMs: 1 });
    assert.equal(found, 'here');
  });

  it('says what it waited for', async () => {
    const never = waitFor(() => false, { timeoutMs: 10, intervalMs: 2, what: 'a pod' });
    await assert.rejects(never, /^Error: a pod: the condition does not hold \(after 0\.01 s/);
  });

  it('throws the error of the condition at once', async () => {
    const fails = async () => Promise.reject(new RangeError('broken'));
    const started = performance.now();
    await assert.rejects(waitFor(fails), /^RangeError: broken$/);
    assert.ok(performance.now() - started < 4_000);
  });
});
