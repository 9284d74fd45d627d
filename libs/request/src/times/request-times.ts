/** The part of the work on a request whose time is measured, as in the annotations `apiserver.latency.k8s.io/...`. */
export type LatencyPart =
  | 'authentication'
  | 'authorization'
  | 'impersonation'
  | 'apf-queue-wait'
  | 'etcd'
  | 'mutating-webhook'
  | 'validating-webhook'
  | 'transform-response-object'
  | 'serialize-response-object'
  | 'response-write';

/** A part of the work on a request whose time is measured: those that audit events report, and admission with all its plugins. */
export type TimedPart = LatencyPart | 'mutating-admission' | 'validating-admission';

/** Is told how many milliseconds a part of the work took, when it ends. */
export type TrackTime = (part: TimedPart, milliseconds: number) => void;

/** A part of the work of one service. Parts may overlap and contain each other: calls of webhooks are a part of admission. */
export interface PartTime {
  /** A TimedPart; a service of another version may name others. */
  readonly name: string;
  /** Milliseconds after the first service received the request. */
  readonly start: number;
  readonly milliseconds: number;
}

/** The way of a request through one service. */
export interface ServiceTime {
  /** `aggregator`, `kube-core`, `apiextensions`, or for an extension API server the name of its APIService: `v1.wardle.example.com`. */
  readonly service: string;
  /** Milliseconds after the first service received the request. */
  readonly start: number;
  /**
   * Until the service was done: of the first service, of services of its process, and of extension API servers, until the end of the response; of
   * services behind it, which report their times in the head of the response, until its beginning.
   */
  readonly milliseconds: number;
  readonly parts: readonly PartTime[];
  /** The resourceVersions of what it has stored and deleted for the request. Absent when there are none. */
  readonly wrote?: readonly number[];
}

/** Bounds of what is kept of one request; more parts, writes and services are left out. */
const maxParts = 64;
const maxWrites = 64;
const maxServices = 8;

interface Visit {
  readonly service: string;
  readonly start: number;
  /** Undefined while the service works on the request. */
  milliseconds: number | undefined;
  readonly parts: PartTime[];
  readonly wrote: number[];
}

/**
 * The times of one request in the services that it passes, from the one in which this object was made on. Exists only while somebody observes
 * requests.
 */
export class RequestTimes {
  readonly #began = performance.now();
  readonly #visits: Visit[] = [];
  /** The service of this process that works on the request now. */
  #current: Visit;

  constructor(service: string) {
    this.#current = this.#add(service, 0);
  }

  /** Milliseconds since the request was received. */
  get elapsed(): number {
    return performance.now() - this.#began;
  }

  readonly track: TrackTime = (name, milliseconds) => {
    const { parts } = this.#current;
    if (parts.length < maxParts) parts.push({ name, start: Math.max(0, this.elapsed - milliseconds), milliseconds });
  };

  /** Notes the revision of an object that the service has stored or deleted. */
  readonly wrote = (revision: number): void => {
    const { wrote } = this.#current;
    if (wrote.length < maxWrites) wrote.push(revision);
  };

  /** The next service of this process goes on with the request. */
  enter(service: string): void {
    this.#current = this.#add(service, this.elapsed);
  }

  /** A server outside of the chain got the request. Returns the function to call when its response is complete. */
  visit(service: string): () => void {
    const visit = this.#add(service, this.elapsed);
    return () => {
      visit.milliseconds ??= this.elapsed - visit.start;
    };
  }

  /** Adds what services behind this one measured, relative to `sentAt`, the milliseconds after which the request was sent to them. */
  take(services: readonly ServiceTime[], sentAt: number): void {
    for (const { service, start, milliseconds, parts, wrote = [] } of services) {
      const visit = this.#add(service, sentAt + start);
      visit.milliseconds = milliseconds;
      for (const part of parts.slice(0, maxParts)) visit.parts.push({ ...part, start: sentAt + part.start });
      visit.wrote.push(...wrote.slice(0, maxWrites));
    }
  }

  /** The services so far, in the order in which they got the request. A service that still works has worked until now. */
  get services(): ServiceTime[] {
    const now = this.elapsed;
    return this.#visits.map(({ service, start, milliseconds = now - start, parts, wrote }) => ({
      service,
      start: rounded(start),
      milliseconds: rounded(milliseconds),
      parts: parts.map((part) => ({
        name: part.name,
        start: rounded(part.start),
        milliseconds: rounded(part.milliseconds),
      })),
      ...(wrote.length === 0 ? {} : { wrote: [...wrote] }),
    }));
  }

  #add(service: string, start: number): Visit {
    const visit: Visit = { service, start, milliseconds: undefined, parts: [], wrote: [] };
    if (this.#visits.length < maxServices) this.#visits.push(visit);
    return visit;
  }
}

/** To a microsecond: more digits are noise. */
export const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
