import type { ServiceName } from '@apichain/chain/setup';
import { DurationError, parseDuration } from '@apichain/go-text';
import type { DataDirectory } from './data-directory.ts';

const flagOfFirst =
  /^--(?:audit[-_]|debug[-_]socket[-_]path=|show[-_]requests(?:=|$)|shutdown[-_]delay[-_]duration=|tls[-_](?:cert[-_]file|private[-_]key[-_]file|sni[-_]cert[-_]key)=)/;
const toStandardOutput = /^--audit[-_]log[-_]path=-$/;

/**
 * The flags for the services behind the first service. Flags that apply only to the first service are removed: it audits client requests
 * once, only one service can own the debug socket, the services behind it stop after it without a further delay, and only it has clients
 * that know its certificate.
 */
export const flagsBehindFirst = (flags: readonly string[]): string[] => flags.filter((flag) => !flagOfFirst.test(flag));

/** The flag for the socket of `apichain profile`, unless the user has chosen another one. */
export const debugSocketFlags = (
  { debugSockets }: Pick<DataDirectory, 'debugSockets'>,
  service: ServiceName,
  flags: readonly string[],
): string[] =>
  flags.some((flag) => /^--debug[-_]socket[-_]path=/.test(flag))
    ? []
    : [`--debug-socket-path=${debugSockets[service]}`];

/** Whether audit events are written to standard output. */
export const auditsToStandardOutput = (flags: readonly string[]): boolean =>
  flags.some((flag) => toStandardOutput.test(flag));

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
