import { request, unreachable } from './api.ts';

/** One event of a watch. */
export interface WatchEvent<Item> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Item;
}

/** Yields the events of a watch as they arrive, until it ends. Throws ApiError when it is refused. */
export async function* watch<Item>(
  path: string,
  accept: string,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent<Item>[]> {
  yield* documents<WatchEvent<Item>>(await request(path, { headers: { Accept: accept }, signal }), signal);
}

/** More watches are not joined: `maxWatches` of `joined-watches.ts`. */
export const mostJoined = 48;

/** What happens in one of several watches: an event, or its end with the status code (200 = the server ended it) and the body of a refusal. */
export type JoinedEvent<Item, Event = WatchEvent<Item>> = { readonly watch: number } & (
  | { readonly event: Event; readonly end?: undefined }
  | { readonly event?: undefined; readonly end: { readonly code: number; readonly message?: string } }
);

/**
 * Yields the events of several watches over one connection, until all have ended, and before them an empty array when the connection is open. `watch`
 * of an event is the index of its path.
 */
export const watchAll = <Item>(paths: readonly string[], signal: AbortSignal) =>
  joined<JoinedEvent<Item>>(paths, signal);

/** The same for logs of pods: the events are their lines. */
export const readLogs = (paths: readonly string[], signal: AbortSignal) =>
  joined<JoinedEvent<never, string>>(paths, signal);

async function* joined<Event>(paths: readonly string[], signal: AbortSignal): AsyncGenerator<readonly Event[]> {
  const query = new URLSearchParams(paths.map((path) => ['path', path]));
  const init = { headers: { Accept: 'application/json' }, signal };
  const response = await request(`/console/watches?${query.toString()}`, init);
  yield [];
  yield* documents<Event>(response, signal);
}

/** The JSON documents of a body, one in each line, as they arrive. Throws ApiError with the status 0 when the connection breaks. */
async function* documents<Document>(response: Response, signal: AbortSignal): AsyncGenerator<readonly Document[]> {
  let rest = '';
  for await (const text of textsOf(response, signal)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const found = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Document);
    if (found.length > 0) yield found;
  }
}

/**
 * The text of a body as it arrives. Whoever stops reading closes the connection: a browser has few of them. Throws ApiError with the status 0 when the
 * connection breaks.
 */
export async function* textsOf({ body }: Response, signal: AbortSignal): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let isWhole = false;
  try {
    while (!isWhole) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (value !== undefined) yield value;
    }
  } catch (error) {
    isWhole = true;
    throw error instanceof TypeError || signal.aborted ? unreachable(signal) : error;
  } finally {
    if (!isWhole) await reader.cancel();
  }
}
