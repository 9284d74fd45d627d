const flagOfFirst = /^--(?:audit[-_]|debug[-_]socket[-_]path=)/;
const toStandardOutput = /^--audit[-_]log[-_]path=-$/;

/**
 * Flags for the services behind the first: what clients ask is audited once, by the service that they ask, and only one service can have a
 * socket.
 */
export const flagsBehindFirst = (flags: readonly string[]): string[] => flags.filter((flag) => !flagOfFirst.test(flag));

/** Whether audit events are to be written to the standard output. */
export const auditsToStandardOutput = (flags: readonly string[]): boolean =>
  flags.some((flag) => toStandardOutput.test(flag));
