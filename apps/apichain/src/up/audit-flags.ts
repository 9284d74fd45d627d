const auditFlag = /^--audit[-_]/;
const toStandardOutput = /^--audit[-_]log[-_]path=-$/;

/** Flags for the services behind the first: what clients ask is audited once, by the service that they ask. */
export const withoutAuditing = (flags: readonly string[]): string[] => flags.filter((flag) => !auditFlag.test(flag));

/** Whether audit events are to be written to the standard output. */
export const auditsToStandardOutput = (flags: readonly string[]): boolean =>
  flags.some((flag) => toStandardOutput.test(flag));
