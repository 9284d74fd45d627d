import type { Event } from '../generated/kv.ts';
import type { WatchResponse } from '../generated/rpc.ts';

/** What an event and a response take beside keys and values, at most. */
const overhead = 64;

const sizeOf = ({ kv, prevKv }: Event): number =>
  overhead +
  (kv === undefined ? 0 : overhead + kv.key.length + kv.value.length) +
  (prevKv === undefined ? 0 : overhead + prevKv.key.length + prevKv.value.length);

/** The response in parts of at most `maxBytes` (or one event, if that is larger), each but the last marked as a fragment. */
export function* fragmentsOf(response: WatchResponse, maxBytes: number): Generator<WatchResponse> {
  let events: Event[] = [];
  let bytes = overhead;
  for (const event of response.events) {
    const size = sizeOf(event);
    if (events.length > 0 && bytes + size >= maxBytes) {
      yield { ...response, fragment: true, events };
      events = [];
      bytes = overhead;
    }
    events.push(event);
    bytes += size;
  }
  yield { ...response, events };
}
