import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseUnknown } from './known-names.ts';

/** How long and how often `eventually` and `waitFor` try. */
export interface WaitOptions {
  /** Milliseconds until they give up. Default: 5,000. */
  readonly timeoutMs?: number;
  /** Milliseconds between two tries. Default: 20. */
  readonly intervalMs?: number;
  /** What is waited for, for the message of the error. */
  readonly what?: string;
}

const names = { timeoutMs: true, intervalMs: true, what: true } as const satisfies Record<keyof WaitOptions, true>;

/**
 * Calls `attempt` until it neither throws nor rejects, and returns its result. After the time it throws Error with the message of the last failure,
 * which is the `cause`. An attempt that is still running then is not awaited. As Eventually of Gomega.
 */
export async function eventually<T>(attempt: () => T | Promise<T>, options: WaitOptions = {}): Promise<T> {
  refuseUnknown('eventually', 'option', options, names);
  const { timeoutMs = 5_000, intervalMs = 20, what } = options;
  const started = performance.now();
  let failure: unknown;
  for (let tries = 1; ; tries++) {
    const left = Math.max(0, timeoutMs - (performance.now() - started));
    const result = await within(left, attempt);
    if (result.status === 'fulfilled') return result.value;
    if (result.status === 'rejected') failure = result.reason;
    if (result.status === 'late' || performance.now() - started + intervalMs > timeoutMs)
      throw new Error(messageOf(failure, { what, tries, seconds: timeoutMs / 1000 }), { cause: failure });
    await sleep(intervalMs);
  }
}

/** Calls `condition` until its result is truthy, and returns the result. Throws Error after the time. An error of `condition` is thrown at once. */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions = {}): Promise<Truthy<T>> {
  let thrown: { readonly error: unknown } | undefined;
  const result = await eventually(async () => {
    let value: T;
    try {
      value = await condition();
    } catch (error) {
      thrown = { error };
      return undefined;
    }
    if (!isTruthy(value)) throw new Error('the condition does not hold');
    return { value };
  }, options);
  if (result === undefined) throw thrown?.error;
  return result.value;
}

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

const isTruthy = <T>(value: T): value is T & Truthy<T> => Boolean(value);

type Outcome<T> = PromiseSettledResult<T> | { readonly status: 'late' };

async function within<T>(milliseconds: number, attempt: () => T | Promise<T>): Promise<Outcome<T>> {
  const ended = new AbortController();
  const late = sleep(milliseconds, { status: 'late' } as const, { signal: ended.signal }).catch(
    () => ({ status: 'late' }) as const,
  );
  const settled = Promise.allSettled([(async () => attempt())()]).then(([outcome]) => outcome);
  try {
    return await Promise.race([settled, late]);
  } finally {
    ended.abort();
  }
}

function messageOf(
  failure: unknown,
  { what, tries, seconds }: { what: string | undefined; tries: number; seconds: number },
): string {
  const why =
    failure === undefined
      ? 'the last attempt has not ended'
      : failure instanceof Error
        ? failure.message
        : inspect(failure);
  return `${what === undefined ? '' : `${what}: `}${why} (after ${seconds} s and ${tries} ${tries === 1 ? 'try' : 'tries'})`;
}
