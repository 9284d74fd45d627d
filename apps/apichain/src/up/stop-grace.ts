import { DurationError, parseDuration } from '@apichain/go-text';

/** How long a process gets to end by itself, in milliseconds. */
export const stopGraceMs = 10_000;
const takingTime = /^--shutdown[-_](?:delay[-_]duration|watch[-_]termination[-_]grace[-_]period)=(.*)$/;

/** The same for the service that clients ask: it may have been told to take its time. */
export const stopGraceOfFirst = (flags: readonly string[]): number =>
  flags.reduce((sum, flag) => sum + millisecondsOf(takingTime.exec(flag)?.[1]), stopGraceMs);

function millisecondsOf(text: string | undefined): number {
  if (text === undefined) return 0;
  try {
    return Number(parseDuration(text) / 1_000_000n);
  } catch (error) {
    // The service itself says what is wrong with it.
    if (error instanceof DurationError) return 0;
    throw error;
  }
}
