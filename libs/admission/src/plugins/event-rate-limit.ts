import { hash } from 'node:crypto';
import type { Event } from '@apichain/api/core/v1';
import { aggregateMessage, newTooManyRequests, StatusError } from '@apichain/meta';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

/** https://kubernetes.io/docs/reference/config-api/apiserver-eventratelimit.v1alpha1/ */
export interface EventLimit {
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject';
  /** Events per second. */
  readonly qps: number;
  readonly burst: number;
  /** How many namespaces, users or sources are counted separately. */
  readonly cacheSize?: number;
}

const defaultCacheSize = 4096;

/** Token bucket: accepts `burst` events at once, and `qps` per second after that. */
class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #last: number;

  constructor({ qps, burst }: EventLimit, now: number) {
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#last = now;
  }

  take(now: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#last) / 1000) * this.#qps);
    this.#last = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

function sourceAndObject({ object }: AdmissionAttributes<Event>): string {
  const { source: from, involvedObject: about } = object ?? {};
  return [from?.component, from?.host, about?.kind, about?.namespace, about?.name, about?.uid, about?.apiVersion]
    .map((part) => part ?? '')
    .join('');
}

function keyOf(type: EventLimit['type'], attributes: AdmissionAttributes): string {
  switch (type) {
    case 'Server':
      return '';
    case 'Namespace':
      return attributes.namespace;
    case 'User':
      return attributes.user.name;
    case 'SourceAndObject':
      return sourceAndObject(attributes);
  }
}

/** Characters. Of longer keys a digest is kept, because clients choose their length. */
const longestKey = 256;

class Enforcer {
  readonly limit: EventLimit;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limit: EventLimit) {
    this.limit = limit;
  }

  accepts(text: string, now: number): boolean {
    const key = text.length > longestKey ? hash('sha256', text) : text;
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.limit, now);
    // Moves the key to the end: the least recently used bucket is dropped first.
    this.#buckets.delete(key);
    const [oldest] = this.#buckets.keys();
    const size = this.limit.cacheSize ?? defaultCacheSize;
    if (oldest !== undefined && this.#buckets.size >= size) this.#buckets.delete(oldest);
    this.#buckets.set(key, bucket);
    return bucket.take(now);
  }
}

/**
 * Limits the rate of event writes.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#eventratelimit
 */
export class EventRateLimit implements AdmissionPlugin {
  readonly name = 'EventRateLimit';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #enforcers: readonly Enforcer[];
  readonly #now: () => number;

  constructor(limits: readonly EventLimit[], now: () => number = Date.now) {
    this.#enforcers = limits.map((limit) => new Enforcer(limit));
    this.#now = now;
  }

  validate(attributes: AdmissionAttributes): void {
    const { kind, dryRun } = attributes;
    if (kind.kind !== 'Event' || !['', 'events.k8s.io'].includes(kind.group) || dryRun) return;
    const refusals: string[] = [];
    // Every limit counts the event, even after another limit has refused it.
    for (const enforcer of this.#enforcers) {
      const { type } = enforcer.limit;
      const key = keyOf(type, attributes);
      if (!enforcer.accepts(key, this.#now())) refusals.push(`limit reached on type ${type} for key ${key}`);
    }
    if (refusals.length > 0) throw tooManyRequests(aggregateMessage(refusals));
  }
}

/** Without retryAfterSeconds. */
function tooManyRequests(reason: string): StatusError {
  const { details: _retry, ...status } = newTooManyRequests(`Too many requests: ${reason}`, 0).status;
  return new StatusError(status);
}
