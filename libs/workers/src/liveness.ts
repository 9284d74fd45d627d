import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves to undefined when the process responds, otherwise to the problem, within a few seconds. */
export type LivenessProbe = () => Promise<string | undefined>;

/** When a process is probed, and when it counts as hung. */
export interface LivenessTimes {
  /** Milliseconds between the starts of two probes. */
  readonly periodMs: number;
  /** The number of consecutive failed probes after which the process counts as hung. */
  readonly failures: number;
  /** Milliseconds that a process may take until its first response. */
  readonly startupMs: number;
}

/** A process that is busy for some seconds is not restarted. A process that does not respond for 18 s is (each probe times out after 3 s). */
export const livenessTimes: LivenessTimes = { periodMs: 3_000, failures: 6, startupMs: 120_000 };

/** Milliseconds after which a probe of a part of the chain times out. */
export const probeTimeoutMs = 3_000;

/**
 * Probes a process periodically until the signal aborts. Resolves to the problem when the process hangs, and to undefined when the signal
 * aborts first. Failed probes are counted instead of elapsed time, because the machine may have been suspended. `hasResponded`: the process has
 * responded before, so it gets no time for its start.
 */
export async function probeUntilHung(
  probe: LivenessProbe,
  { periodMs, failures, startupMs }: LivenessTimes,
  signal: AbortSignal,
  onAlive: () => void,
  hasResponded = false,
): Promise<string | undefined> {
  let failed = 0;
  let startupPeriods = Math.ceil(startupMs / periodMs);
  while (!signal.aborted) {
    const began = performance.now();
    const problem = await probe();
    if (problem === undefined) {
      hasResponded = true;
      failed = 0;
      onAlive();
    } else if (hasResponded || --startupPeriods < 0) {
      failed++;
      if (failed >= failures) return signal.aborted ? undefined : problem;
    }
    await pause(periodMs - (performance.now() - began), signal);
  }
  return undefined;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return;
  // Aborted: the caller checks the signal.
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
