import type { Output } from './color.ts';

/** `quiet`: what ends sooner needs no progress. `line`: the same where lines cannot be overwritten, and the time from line to line there. */
const defaultTimes = { quietMs: 2_000, stepMs: 1_000, lineMs: 10_000 };

const clear = '\r\u001b[K';

/** The terminal on whose last line a progress stands. */
let shownOn: ProgressOutput | undefined;

/** Removes the progress that stands on a terminal, so that a line can be printed there. It comes back with its next second. */
export function clearProgress(): void {
  shownOn?.write(clear);
  shownOn = undefined;
}

export interface ProgressOutput extends Output {
  write(text: string): unknown;
}

/**
 * Waits for work, and says what it is when it takes more than two seconds: on a terminal in one line with the seconds so far, which goes when the
 * work ends, and elsewhere in a line after ten seconds, and now and then.
 */
export async function withProgress<Result>(
  what: () => string,
  work: Promise<Result>,
  output: ProgressOutput = process.stderr,
  { quietMs, stepMs, lineMs } = defaultTimes,
): Promise<Result> {
  const began = performance.now();
  let steps = 0;
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    steps++;
    output.write(isTerminal ? `${clear}${what()} ... ${seconds} s` : `apichain: ${what()} ... ${seconds} s\n`);
    if (isTerminal) shownOn = output;
  };
  const isTerminal = output.isTTY === true;
  let timer = setTimeout(
    () => {
      show();
      timer = setInterval(show, isTerminal ? stepMs : lineMs);
    },
    isTerminal ? quietMs : lineMs,
  );
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (steps > 0 && isTerminal) output.write(clear);
    if (shownOn === output) shownOn = undefined;
  }
}
