export interface RequestUrl {
  /** Decoded. */
  readonly path: string;
  readonly query: URLSearchParams | undefined;
}

/** Takes a request target apart; undefined when its percent-encoding is broken. */
export function splitUrl(target: string): RequestUrl | undefined {
  const mark = target.indexOf('?');
  const raw = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 || mark === target.length - 1 ? undefined : new URLSearchParams(target.slice(mark + 1));
  const path = raw.startsWith('/') || raw === '*' ? raw : pathOfAbsolute(raw);
  if (path === undefined) return undefined;
  if (!path.includes('%')) return { path, query };
  try {
    return { path: decodeURIComponent(path), query };
  } catch {
    return undefined;
  }
}

/** Proxies may send `GET http://host/path`. */
function pathOfAbsolute(target: string): string | undefined {
  return URL.canParse(target) ? new URL(target).pathname : undefined;
}
