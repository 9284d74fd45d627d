/**
 * Makes concurrent callers share one execution of `read` without ever handing a caller a result that was under way before
 * it asked: while one execution runs, all newcomers share the next one. So each caller sees everything that was
 * acknowledged before its call.
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

/** Keeps the first result; a failure is not kept, so the next caller tries again. */
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
