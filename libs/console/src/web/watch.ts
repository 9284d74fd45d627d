import { ApiError, request } from './api.ts';

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
  const { body } = await request(path, { headers: { Accept: accept }, signal });
  if (body === null) throw new ApiError(0, 'the watch has no body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as WatchEvent<Item>);
    if (events.length > 0) yield events;
  }
}
