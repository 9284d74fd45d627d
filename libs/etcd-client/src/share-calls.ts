/**
 * Makes concurrent callers share one execution of `read`. A caller never gets the result of an execution that began before its call: while one
 * execution runs, all new callers share the next one. So each result includes everything acknowledged before the call.
 */
export function shareCalls<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  const run = (): Promise<T> => {
    const mine = read().finally(() => {
      if (running === mine) running = undefined;
    });
    running = mine;
    return mine;
  };
  const runNext = () => {
    next = undefined;
    return run();
  };
  return () => {
    if (running === undefined) return run();
    next ??= running.then(runNext, runNext);
    return next;
  };
}

/** Caches the first successful result. A failure is not cached, so the next caller tries again. */
export function onceSuccessful<T>(read: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= read().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
