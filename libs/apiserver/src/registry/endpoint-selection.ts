import { StatusError, type KubeObject } from '@apichain/meta';
import { largeItemInTurns } from '@apichain/request';
import {
  encodeContinue,
  type ObjectAttributes,
  type StoredList,
  type StoredObject,
  type WatchEvent,
  type WatchStream,
  readingStored,
} from '@apichain/storage';
import type { Conversion } from './conversion.ts';
import { isDelivered } from './delivered-object.ts';
import { convertForeign, convertForeignList } from './foreign-objects.ts';
import type { Selectors } from './predicate.ts';
import type { ListOptions } from './rest.ts';

/** The endpoint's version, and how objects are converted to it. */
export interface EndpointVersion extends Conversion {
  /** The attributes of an object in the endpoint's version. */
  readonly attributesOf: (object: KubeObject) => ObjectAttributes;
}

/** The largest page of a limited list that few objects match. */
const maxPage = 10_000;

/**
 * Selects objects after their conversion to the version of the endpoint, because a conversion webhook may rename the fields and change the labels
 * that are selected. kube-apiserver has a watch cache for each version of a CRD for the same reason.
 */
export class EndpointSelection {
  readonly #version: EndpointVersion;
  readonly #selectors: Selectors;

  constructor(version: EndpointVersion, selectors: Selectors) {
    this.#version = version;
    this.#selectors = selectors;
  }

  /**
   * The page of a list. `read` lists without a selector. Pages of growing size are read until `limit` objects match. Rejects with the error of the
   * conversion.
   */
  async list(
    options: ListOptions,
    directory: string,
    read: (options: ListOptions) => Promise<StoredList>,
  ): Promise<StoredList> {
    const items: StoredObject[] = [];
    let size = options.limit;
    for (let page = await read(options); ; page = await read(followingPage(options, size, page.continue))) {
      const { revision } = page;
      for (const item of await this.#selected(page.items)) {
        // Another object matches than fit: the next page begins behind the last that fits.
        if (options.limit > 0 && items.length === options.limit)
          return { items, revision, continue: encodeContinue(items.at(-1)?.key ?? directory, directory, revision) };
        items.push(item);
      }
      if (page.continue === undefined) return { items, revision };
      if (options.limit <= 0 || items.length === options.limit) return { items, revision, continue: page.continue };
      size = Math.min(size * 2, maxPage);
    }
  }

  /** The events of a watch without a selector, as a watch of the selected objects has them. A failed conversion ends the watch with its error. */
  watch(stream: WatchStream): WatchStream {
    let failed = false;
    return {
      next: async () => {
        for (let events = await stream.next(); !failed && events !== undefined; events = await stream.next()) {
          try {
            const selected = await this.#events(events);
            if (selected.length > 0) return selected;
          } catch (error) {
            if (!(error instanceof StatusError)) throw error;
            failed = true;
            stream.stop();
            return [{ type: 'ERROR', revision: events[0]?.revision ?? 0, status: error.status, frames: new Map() }];
          }
        }
        return undefined;
      },
      stop: () => stream.stop(),
    };
  }

  async #events(events: readonly WatchEvent[]): Promise<WatchEvent[]> {
    const objects = events.flatMap(({ object, previous }) => [object, previous]).filter((each) => each !== undefined);
    const converted = await convertForeign(objects, this.#version);
    const selected = new Map<StoredObject, StoredObject>();
    for (const [i, own] of converted.entries()) {
      const object = objects[i];
      if (object !== undefined && (await this.#matches(own))) selected.set(object, own);
    }
    const match = (object: StoredObject | undefined) => (object === undefined ? undefined : selected.get(object));
    return events.flatMap((event) => {
      if (event.object === undefined) return [event];
      const now = match(event.object);
      if (event.type !== 'MODIFIED') return now === undefined ? [] : [withObject(event, event.type, now)];
      const before = match(event.previous);
      if (now !== undefined) return [withObject(event, before === undefined ? 'ADDED' : 'MODIFIED', now)];
      return before === undefined ? [] : [withObject(event, 'DELETED', before)];
    });
  }

  async #selected(items: readonly StoredObject[]): Promise<StoredObject[]> {
    const selected: StoredObject[] = [];
    for (const own of await convertForeignList(items, this.#version)) if (await this.#matches(own)) selected.push(own);
    return selected;
  }

  async #matches(object: StoredObject): Promise<boolean> {
    const { labels, fields } = this.#selectors;
    // A converted object has the attributes of its stored form.
    const attributes = isDelivered(object)
      ? this.#version.attributesOf(await largeItemInTurns(readingStored(object)))
      : object.attributes;
    return labels.matches(attributes.labels) && fields.matches(attributes.fields);
  }
}

const followingPage = (options: ListOptions, limit: number, token: string | undefined): ListOptions => ({
  ...options,
  resourceVersion: '',
  resourceVersionMatch: '',
  limit,
  continue: token ?? '',
});

/** Frames are shared between watchers that get the same event; one that became another type is not among them. */
const withObject = (event: WatchEvent, type: WatchEvent['type'], object: StoredObject): WatchEvent => ({
  type,
  revision: event.revision,
  object,
  frames: type === event.type ? event.frames : new Map<string, Buffer>(),
});
