import type { Event } from '@apichain/api/core/v1';
import { formatTime } from '@apichain/go-text';
import { BoundedCache } from '@apichain/meta';
import {
  type EventReporter,
  type EventWrite,
  type Occurrence,
  eventName,
  eventNamespace,
  joinKey,
} from './occurrence.ts';

/** The Event of earlier occurrences. */
interface Recorded {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

/** Occurrences that differ only by their message. */
interface Similar {
  readonly messages: ReadonlySet<string>;
  readonly time: number;
}

interface Budget {
  readonly tokens: number;
  readonly time: number;
}

const cacheLimits = { maxEntries: 4096, maxCharacters: 4 << 20 };
const maxSimilar = 10;
const similarForMs = 600_000;
/** An object may have 25 Events of a type at once, and one more every five minutes. */
const budgetOfObject = 25;
const budgetRefillMs = 300_000;

/**
 * Writes occurrences as Events of core/v1, as the recorders of kube-controller-manager and kubelet do. The same occurrence again raises the count of
 * its Event. From the tenth message for one reason within ten minutes on, further ones are counted in a single Event. An object that has more Events
 * than its budget gets no further ones. Source: EventCorrelator of k8s.io/client-go/tools/record.
 */
export class CoreEvents {
  readonly #reporter: EventReporter;
  readonly #recorded = new BoundedCache<Recorded>(cacheLimits);
  readonly #similar = new BoundedCache<Similar>(cacheLimits);
  readonly #budgets = new BoundedCache<Budget>(cacheLimits);

  constructor(reporter: EventReporter) {
    this.#reporter = reporter;
  }

  /** The request that records an occurrence, or undefined if it is not recorded. */
  take(occurrence: Occurrence): EventWrite | undefined {
    const { regarding, type, reason, message, time } = occurrence;
    const { kind, namespace, name, uid, apiVersion, fieldPath } = regarding;
    const object = joinKey(kind, namespace, name, uid, apiVersion, type);
    const isOneOfMany = this.#isOneOfMany(joinKey(object, reason), message, time);
    const key = isOneOfMany ? joinKey(object, reason) : joinKey(object, reason, fieldPath, message);
    const text = isOneOfMany ? `(combined from similar events): ${message}` : message;

    const earlier = this.#recorded.get(key);
    const now = formatTime(new Date(time));
    const recorded: Recorded = {
      name: earlier?.name ?? eventName(regarding, time),
      firstTimestamp: earlier?.firstTimestamp ?? now,
      count: (earlier?.count ?? 0) + 1,
    };
    this.#recorded.set(key, recorded);
    if (!this.#spend(object, time)) return undefined;

    const event = this.#event(occurrence, recorded, text, now, isOneOfMany);
    const { count } = recorded;
    const patch =
      earlier === undefined ? undefined : { name: recorded.name, body: { count, lastTimestamp: now, message: text } };
    return { namespace: eventNamespace(regarding), event, patch };
  }

  #event(occurrence: Occurrence, recorded: Recorded, message: string, now: string, isOneOfMany: boolean): Event {
    const { component, instance } = this.#reporter;
    const { regarding, type, reason } = occurrence;
    const { name, firstTimestamp, count } = recorded;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: eventNamespace(regarding) },
      involvedObject: regarding,
      reason,
      message,
      source: { component, ...(instance !== '' && { host: instance }) },
      firstTimestamp,
      lastTimestamp: now,
      count,
      type,
      // client-go leaves them out when it combines events.
      reportingComponent: isOneOfMany ? '' : component,
      reportingInstance: isOneOfMany ? '' : instance,
    };
  }

  #isOneOfMany(key: string, message: string, time: number): boolean {
    const before = this.#similar.get(key);
    const messages = new Set(before === undefined || time - before.time > similarForMs ? [] : before.messages);
    const isOneOfMany = !messages.has(message) && messages.size >= maxSimilar - 1;
    if (!isOneOfMany) messages.add(message);
    this.#similar.set(key, { messages, time });
    return isOneOfMany;
  }

  #spend(object: string, time: number): boolean {
    const before = this.#budgets.get(object) ?? { tokens: budgetOfObject, time };
    const refilled = Math.min(budgetOfObject, before.tokens + Math.max(0, time - before.time) / budgetRefillMs);
    const hasToken = refilled >= 1;
    this.#budgets.set(object, { tokens: hasToken ? refilled - 1 : refilled, time });
    return hasToken;
  }
}
