import type { StoredObject, WatchEvent } from '@apichain/storage';

/**
 * The event with its object in another form. Its frames stay those of the event, shared by all watchers; they are asked for by name
 * because a shared event makes them when asked, which a copy of its own properties would not have.
 */
export function eventWithObject(event: WatchEvent, object: StoredObject): WatchEvent {
  const { type, revision, frames } = event;
  return { type, revision, object, frames };
}
