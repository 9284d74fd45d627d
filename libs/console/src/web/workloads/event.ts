import { count, fields, text, type StoredObject } from '../api/stored-object.ts';

/** What the page shows of an event: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export interface ShownEvent {
  readonly key: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** When it was seen last, as in RFC 3339; empty when nobody said. */
  readonly time: string;
  readonly from: string;
  readonly about: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
}

/** Of an Event of v1. Its series, if it has one, tells of the newest occurrence. */
export function eventOf(object: StoredObject): ShownEvent {
  const { metadata, series, lastTimestamp, eventTime, source, reportingComponent, involvedObject } = object;
  const { lastObservedTime, count: inSeries } = fields(series);
  const { apiVersion, kind, namespace, name } = fields(involvedObject);
  const times = [lastObservedTime, lastTimestamp, eventTime, metadata.creationTimestamp].map(text);
  return {
    key: metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name}`,
    ...{ type: text(object['type']), reason: text(object['reason']), message: text(object['message']) },
    count: count(inSeries, count(object['count'], 1)),
    time: times.find((time) => time !== '') ?? '',
    from: text(fields(source)['component']) || text(reportingComponent),
    about: { apiVersion: text(apiVersion), kind: text(kind), namespace: text(namespace), name: text(name) },
  };
}

/** The newest events. Older ones make room. */
export class EventLog {
  readonly #events = new Map<string, ShownEvent>();
  readonly #max: number;

  constructor(max = 300) {
    this.#max = max;
  }

  put(event: ShownEvent): void {
    // The order is that of arrival, for events of the same second.
    this.#events.delete(event.key);
    this.#events.set(event.key, event);
    // Sorted rarely: when the log is twice as long as it should be.
    if (this.#events.size < 2 * this.#max) return;
    for (const { key } of this.#sorted().slice(this.#max)) this.#events.delete(key);
  }

  delete(key: string): void {
    this.#events.delete(key);
  }

  /** Newest first. */
  get newest(): readonly ShownEvent[] {
    return this.#sorted().slice(0, this.#max);
  }

  #sorted(): ShownEvent[] {
    return [...this.#events.values()].reverse().sort((a, b) => {
      const [first, second] = [secondOf(a), secondOf(b)];
      return first < second ? 1 : first > second ? -1 : 0;
    });
  }
}

/** The length of `2030-01-01T00:00:00`: times of events have seconds or microseconds. */
const toSeconds = 19;
const secondOf = ({ time }: ShownEvent): string => time.slice(0, toSeconds);
