import { threadId } from 'node:worker_threads';
import { serveWork } from './serve.ts';

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? new Uint8Array()).toString();

/** The functions of the threads in tests. */
serveWork({
  upperCase: (parts) => parts.map((part) => Buffer.from(textOf(part).toUpperCase())),
  threadId: () => [Buffer.from(String(threadId))],
  fail: ([reason]) => {
    throw new Error(textOf(reason));
  },
  exit: () => process.exit(3),
  hang: () => {
    for (;;);
  },
  block: ([milliseconds]) => {
    const until = performance.now() + Number(textOf(milliseconds));
    while (performance.now() < until);
    return [];
  },
  exhaust: () => {
    const all: unknown[] = [];
    for (;;) all.push(Array.from({ length: 10_000 }, (_, i) => ({ i })));
  },
});
