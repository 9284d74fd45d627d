import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves with undefined when the process answers, else with what is wrong, after a few seconds at the latest. */
export type LivenessProbe = () => Promise<string | undefined>;

export interface LivenessTimes {
  /** Milliseconds from the beginning of a probe to that of the next. */
  readonly periodMs: number;
  /** So many probes in a row without an answer mean that the process hangs. */
  readonly failures: number;
  /** Milliseconds that a process may take until it answers for the first time. */
  readonly startupMs: number;
}

/** A process that is busy for some seconds is left alone, one that does not answer for 18 s (probes give up after 3 s) is not. */
export const livenessTimes: LivenessTimes = { periodMs: 3_000, failures: 6, startupMs: 120_000 };

/** Seconds that a probe of a part of the chain waits for its answer. */
export const probeTimeoutMs = 3_000;

/**
 * Asks a process again and again whether it answers, until the signal aborts. Resolves with why when it hangs, with undefined when the signal
 * was faster. Probes are counted, not seconds, so that a machine that slept has not hung.
 */
export async function hangOf(
  probe: LivenessProbe,
  { periodMs, failures, startupMs }: LivenessTimes,
  signal: AbortSignal,
  onAlive: () => void,
): Promise<string | undefined> {
  let hasAnswered = false;
  let failed = 0;
  let startupPeriods = Math.ceil(startupMs / periodMs);
  while (!signal.aborted) {
    const began = performance.now();
    const problem = await probe();
    if (problem === undefined) {
      hasAnswered = true;
      failed = 0;
      onAlive();
    } else if (hasAnswered || --startupPeriods < 0) {
      failed++;
      if (failed >= failures) return signal.aborted ? undefined : problem;
    }
    await pause(periodMs - (performance.now() - began), signal);
  }
  return undefined;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return;
  // Aborted: the caller looks at the signal itself.
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
