import type { StoredObject, WatchEvent } from '@apichain/storage';

/**
 * The event with another object. It keeps the frames of the original event, which all watchers share. The properties are listed explicitly
 * because `frames` of a shared event is a getter on the prototype, which a spread would not copy.
 */
export function eventWithObject(event: WatchEvent, object: StoredObject): WatchEvent {
  const { type, revision, frames } = event;
  return {
    type,
    revision,
    object,
    // Read only when asked for, because the watch cache makes it on first use.
    get previous() {
      return event.previous;
    },
    frames,
  };
}
