import type { WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import type { Event } from '@apichain/etcd-api/mvccpb';

/** The maximum size of an event or a response without its keys and values, in bytes. */
const overhead = 64;

const sizeOf = ({ kv, prevKv }: Event): number =>
  overhead +
  (kv === undefined ? 0 : overhead + kv.key.length + kv.value.length) +
  (prevKv === undefined ? 0 : overhead + prevKv.key.length + prevKv.value.length);

/** Splits the response into parts of at most `maxBytes` (or one event, if that is larger). Each part but the last is marked as a fragment. */
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
