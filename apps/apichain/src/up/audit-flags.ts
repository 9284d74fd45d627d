const flagOfFirst =
  /^--(?:audit[-_]|debug[-_]socket[-_]path=|show[-_]requests(?:=|$)|shutdown[-_]delay[-_]duration=|tls[-_](?:cert[-_]file|private[-_]key[-_]file|sni[-_]cert[-_]key)=)/;
const toStandardOutput = /^--audit[-_]log[-_]path=-$/;

/**
 * The flags for the services behind the first service. Flags that apply only to the first service are removed: it audits client requests
 * once, only one service can own the debug socket, the services behind it stop after it without a further delay, and only it has clients
 * that know its certificate.
 */
export const flagsBehindFirst = (flags: readonly string[]): string[] => flags.filter((flag) => !flagOfFirst.test(flag));

/** Whether audit events are written to standard output. */
export const auditsToStandardOutput = (flags: readonly string[]): boolean =>
  flags.some((flag) => toStandardOutput.test(flag));
