import { DurationError, parseDuration } from '@apichain/go-text';

/** How long a process may take to stop after SIGTERM, in milliseconds. */
export const stopGraceMs = 10_000;
const takingTime = /^--shutdown[-_](?:delay[-_]duration|watch[-_]termination[-_]grace[-_]period)=(.*)$/;

/** The same for the first service, which clients connect to: its flags may request a longer shutdown. */
export const stopGraceOfFirst = (flags: readonly string[]): number =>
  flags.reduce((sum, flag) => sum + millisecondsOf(takingTime.exec(flag)?.[1]), stopGraceMs);

function millisecondsOf(text: string | undefined): number {
  if (text === undefined) return 0;
  try {
    return Number(parseDuration(text) / 1_000_000n);
  } catch (error) {
    // The service itself reports the invalid value.
    if (error instanceof DurationError) return 0;
    throw error;
  }
}
