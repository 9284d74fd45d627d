/** The path and query of a request target, as it was authorized; of `GET http://host/path` without the host. */
export function pathOf(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return `${pathname}${search}`;
}
