const flagOfFirst = /^--(?:audit[-_]|debug[-_]socket[-_]path=|shutdown[-_]delay[-_]duration=)/;
const toStandardOutput = /^--audit[-_]log[-_]path=-$/;

/**
 * Flags for the services behind the first: what clients ask is audited once, by the service that they ask, only one service can have a
 * socket, and those behind it end when it has ended, without waiting once more.
 */
export const flagsBehindFirst = (flags: readonly string[]): string[] => flags.filter((flag) => !flagOfFirst.test(flag));

/** Whether audit events are to be written to the standard output. */
export const auditsToStandardOutput = (flags: readonly string[]): boolean =>
  flags.some((flag) => toStandardOutput.test(flag));
