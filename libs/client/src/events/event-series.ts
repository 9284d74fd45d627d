import type { Event } from '@apichain/api/events/v1';
import { formatMicroTime } from '@apichain/go-text';
import {
  type EventReporter,
  type EventWrite,
  type Occurrence,
  eventName,
  eventNamespace,
  joinKey,
} from './occurrence.ts';

interface Recorded {
  readonly event: Event;
  /** When the occurrence was last observed, in milliseconds since the epoch. */
  lastObserved: number;
  count: number;
}

/** A series ends when its occurrence is not observed for this long. */
const finishMs = 6 * 60_000;
const maxRecorded = 4096;

/**
 * Writes occurrences as Events of events.k8s.io/v1, as the recorder of kube-scheduler does. The second occurrence within six minutes makes the Event a
 * series; further ones are only counted, until the series ends. Source: k8s.io/client-go/tools/events.
 */
export class EventSeries {
  readonly #reporter: EventReporter;
  /** The least recently observed first. */
  readonly #recorded = new Map<string, Recorded>();

  constructor(reporter: EventReporter) {
    this.#reporter = reporter;
  }

  /** The request that records an occurrence, or undefined if it is only counted. */
  take(occurrence: Occurrence): EventWrite | undefined {
    const { regarding, related, type, reason, action, time } = occurrence;
    const key = joinKey(type, action, reason, JSON.stringify(regarding), JSON.stringify(related));
    const earlier = this.#recorded.get(key);
    const recorded = earlier ?? { event: this.#event(occurrence), lastObserved: time, count: 0 };
    recorded.lastObserved = time;
    recorded.count++;
    this.#recorded.delete(key);
    this.#recorded.set(key, recorded);
    // A further occurrence in a series is written when the series ends.
    return recorded.count > 2 ? undefined : writeOf(recorded);
  }

  /** Forgets what was not observed for six minutes, or is too much to remember, and returns the requests that write final counts. */
  finish(now: number): EventWrite[] {
    const writes: EventWrite[] = [];
    for (const [key, recorded] of this.#recorded) {
      if (recorded.lastObserved > now - finishMs && this.#recorded.size <= maxRecorded) break;
      this.#recorded.delete(key);
      if (recorded.count > 2) writes.push(writeOf(recorded));
    }
    return writes;
  }

  /** When `finish` is next to be called, in milliseconds since the epoch. Undefined if nothing is remembered. */
  get nextFinish(): number | undefined {
    for (const { lastObserved } of this.#recorded.values()) return lastObserved + finishMs;
    return undefined;
  }

  #event({ regarding, related, type, reason, message, action, time }: Occurrence): Event {
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: eventName(regarding, time), namespace: eventNamespace(regarding) },
      eventTime: formatMicroTime(new Date(time)),
      reportingController: this.#reporter.component,
      reportingInstance: this.#reporter.instance,
      ...(action !== undefined && { action }),
      reason,
      regarding,
      ...(related && { related }),
      note: message,
      type,
    };
  }
}

function writeOf({ event, count, lastObserved }: Recorded): EventWrite {
  const { namespace = '', name = '' } = event.metadata;
  if (count === 1) return { namespace, event };
  const series = { count, lastObservedTime: formatMicroTime(new Date(lastObserved)) };
  return { namespace, event: { ...event, series }, patch: { name, body: { series } } };
}
