import { isOfChain, writtenBy, type RequestRecord } from '../requests/requests.ts';
import type { Change } from './history.ts';

/** Requests that are kept until a change of theirs arrives. */
const maxWaiting = 1000;
/** Changes whose requests are still looked for: a record is there when the response is complete. */
const maxOpen = 500;
/** Milliseconds within which a change follows a request that does not tell what it has written. */
const near = 2000;

/**
 * Joins changes with the requests that have made them. A record tells the resourceVersions that its request has written; where a server does not tell
 * them, as an extension API server, the object and the time decide. Requests live as long as their changes.
 */
export class RequestsOfChanges {
  readonly #found = new WeakMap<Change, RequestRecord>();
  readonly #byRevision = new Map<string, RequestRecord[]>();
  /** Oldest first. */
  #waiting: RequestRecord[] = [];
  #open: Change[] = [];

  requestOf(change: Change): RequestRecord | undefined {
    return this.#found.get(change);
  }

  /**
   * The resourceVersion before the oldest write that was received after a time, in milliseconds since the epoch; undefined when there is none. Only
   * writes whose changes have not arrived are known.
   */
  beforeWritesAfter(time: number): string | undefined {
    const revisions = this.#waiting.filter(({ receivedAt }) => receivedAt > time).flatMap(writtenBy);
    return revisions.length === 0 ? undefined : String(Math.min(...revisions) - 1);
  }

  /** Takes changes that are new. */
  addChanges(changes: readonly Change[]): void {
    const unknown = this.#withoutRequest(changes.filter(({ isFromList }) => !isFromList));
    this.#open = [...this.#open, ...unknown].slice(-maxOpen);
  }

  /** Takes records, in any order. */
  addRequests(records: readonly RequestRecord[]): void {
    const inOrder = [...records].sort((a, b) => endOf(a) - endOf(b));
    this.#waiting = [...this.#waiting, ...inOrder].slice(-maxWaiting);
    this.#byRevision.clear();
    for (const record of this.#waiting)
      for (const revision of writtenBy(record).map(String)) {
        const others = this.#byRevision.get(revision);
        if (others === undefined) this.#byRevision.set(revision, [record]);
        else others.push(record);
      }
    this.#open = this.#withoutRequest(this.#open);
  }

  /** Whether a change that is not older than `ms` milliseconds has no request yet. */
  isLooking(ms: number): boolean {
    const since = Date.now() - ms;
    return this.#open.some(({ seenAt }) => seenAt >= since);
  }

  /** Joins changes with requests, and returns those for which there is none. */
  #withoutRequest(changes: readonly Change[]): Change[] {
    return changes.filter((change) => {
      // A write that changes nothing repeats the resourceVersion of the write before it.
      const record =
        this.#byRevision.get(change.resourceVersion)?.find((one) => one.resource?.resource === change.kind.resource) ??
        this.#waiting.findLast((one) => isNear(one, change));
      if (record !== undefined) this.#found.set(change, record);
      return record === undefined;
    });
  }
}

const endOf = ({ receivedAt, milliseconds }: RequestRecord): number => receivedAt + milliseconds;

const verbs: Readonly<Record<Change['type'], readonly string[]>> = {
  added: ['create', 'update', 'patch'],
  changed: ['update', 'patch', 'create', 'delete'],
  deleted: ['delete', 'deletecollection', 'update', 'patch'],
  event: ['create', 'update', 'patch'],
};

/** Whether a request that does not tell what it has written may have made a change. */
function isNear(record: RequestRecord, { type, kind, namespace, name, seenAt }: Change): boolean {
  const { resource, verb, receivedAt, answeredBy, uri } = record;
  if (resource === undefined || isOfChain(answeredBy) || !verbs[type].includes(verb) || uri.includes('dryRun='))
    return false;
  const isNamed = resource.name === name || (resource.name === '' && verb !== 'update' && verb !== 'patch');
  return (
    isNamed &&
    resource.group === kind.group &&
    resource.resource === kind.resource &&
    (resource.namespace === namespace || verb === 'deletecollection') &&
    seenAt >= receivedAt &&
    seenAt <= endOf(record) + near
  );
}
