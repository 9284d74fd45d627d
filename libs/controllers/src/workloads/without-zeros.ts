/** The members of a status, without those that are 0 and that Kubernetes omits then. */
export function withoutZeros<Status extends object>(status: Status): Status {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined && value !== 0)) as Status;
}
