/**
 * Runs while the page is visible: begins again each time it becomes visible, and aborts the signal when it is hidden. A browser has few connections to one
 * server, so hidden pages hold none. Returns the function that ends it.
 */
export function whileVisible(run: (signal: AbortSignal) => Promise<void>): () => void {
  let controller = new AbortController();
  const start = () => {
    controller.abort();
    controller = new AbortController();
    if (!document.hidden) void run(controller.signal);
  };
  start();
  document.addEventListener('visibilitychange', start);
  return () => {
    document.removeEventListener('visibilitychange', start);
    controller.abort();
  };
}

/** Calls `load` now and every `ms` milliseconds, while the page is visible. Returns the function that ends it. */
export function poll(load: () => void, ms: number): () => void {
  return whileVisible(async (signal) => {
    while (!signal.aborted) {
      load();
      await pause(ms, signal);
    }
  });
}

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  return promise;
}
