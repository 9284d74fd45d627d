import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Activity, FollowedResource, Follower, FollowerState } from '@apichain/meta';
import type { StoreChange } from '@apichain/embedded-etcd';
import { PermitQueue } from './permit-queue.ts';

/** What an activity needs of its chain. */
interface ChainActivityOptions {
  /** The changes after a revision, oldest first. */
  readonly changesSince: (revision: number) => Iterable<StoreChange>;
  /** The revision of the latest change. */
  readonly revision: () => number;
  /** The directory of a resource's objects in the store, with a slash at its end. */
  readonly directoryOf: (resource: FollowedResource) => string;
  /** The timers that may fire while time stands still. */
  readonly timers: { fireDue(): boolean; fireRetry(): boolean };
  /** Determines the order of what is concurrent. Without it, everything happens in the order in which it comes. */
  readonly random?: (() => number) | undefined;
}

/**
 * How long nothing may happen while something is under way, and how long a chain may take to settle, in milliseconds of real time. The time in which
 * this process works, or waits for the processor of a busy machine, is no time in which nothing happens.
 */
interface SettleLimits {
  readonly silenceMs: number;
  readonly totalMs: number;
}

const defaultLimits: SettleLimits = { silenceMs: 10_000, totalMs: 60_000 };
/**
 * Turns of the event loop in which what is on its way in this process arrives. Over connections it needs more: each message is read in a turn of its
 * own.
 */
const innerTurns = 3;
const turnsOverConnections = 16;
/** The share of a silence in which the process may have done something else. */
const negligible = 0.1;
/** How many of the last requests a message names. */
const namedRequests = 8;

/**
 * Counts what is under way in a chain. `settle` resolves when there is nothing: no request is in flight, no queue has a key, every informer has
 * handled every change of its resource, and no timer is due.
 *
 * With `random`, requests and events of watches wait for a permit: one of them proceeds, everything that follows from it runs until it waits again,
 * then the next one is chosen. So the order of all writes depends on nothing but the seed. Permits are only granted while the chain settles.
 */
export class ChainActivity implements Activity {
  readonly #options: ChainActivityOptions;
  readonly #followers = new Set<ChainFollower>();
  readonly #works = new Set<{ readonly what: string }>();
  readonly #keys = new Set<{ readonly what: string }>();
  readonly #permits: PermitQueue | undefined;
  readonly #recent: string[] = [];
  /** Counts everything that happens. */
  #version = 0;
  /** The versions and revision at which the chain was found settled. */
  #settledAt: { readonly version: number; readonly revision: number } | undefined;
  #seen = 0;
  #changed: PromiseWithResolvers<void> | undefined;
  #settling: Promise<void> = Promise.resolve();
  #isEnded = false;
  /** Requests of clients that come over connections and last, such as watches. */
  #lasting = 0;
  /** Whether a client has come over a connection since the chain was settled: what it sends next is not known before it is read. */
  #hasClients = false;

  constructor(options: ChainActivityOptions) {
    this.#options = options;
    this.#permits = options.random === undefined ? undefined : new PermitQueue(options.random);
    this.#seen = options.revision();
  }

  /** Grows with everything that happens. */
  get version(): number {
    return this.#version;
  }

  begin(what: string): () => void {
    return this.#count(this.#works, what);
  }

  enqueue(what: string): () => void {
    return this.#count(this.#keys, what);
  }

  async request<T>(what: string, send: () => Promise<T>): Promise<T> {
    const permit = this.permit(what);
    if (permit !== undefined) await permit;
    if (this.#recent.push(what) > namedRequests) this.#recent.shift();
    const end = this.begin(what);
    try {
      return await send();
    } finally {
      end();
    }
  }

  follow(resource: FollowedResource): Follower {
    const directory = this.#options.directoryOf(resource) + (resource.namespace === '' ? '' : `${resource.namespace}/`);
    const follower = new ChainFollower(resource, directory, this);
    this.#followers.add(follower);
    this.noteChange();
    return follower;
  }

  choose(count: number): number {
    const { random } = this.#options;
    return random === undefined || count < 2 ? 0 : Math.floor(random() * count);
  }

  ending(): void {
    // What waits for its permit would wait until the chain settles the next time, and the caller of `ending` would wait with it.
    if (this.#permits !== undefined && !this.#isEnded) this.settle().catch(() => this.#permits?.grantAll());
  }

  /** A client sends a request over a connection. Returns a function to be called at its end. A lasting one is not waited for. */
  clientRequest(what: string, isLasting: boolean): () => void {
    this.#hasClients = true;
    if (!isLasting) return this.begin(what);
    this.#lasting++;
    return () => void this.#lasting--;
  }

  /** Resolves when `what` may proceed; undefined: at once. */
  permit(what: string): Promise<void> | undefined {
    if (this.#permits === undefined || this.#isEnded) return undefined;
    const permit = this.#permits.acquire(what);
    this.noteChange();
    return permit;
  }

  /** Called by followers. */
  noteChange(): void {
    this.#version++;
    this.#changed?.resolve();
    this.#changed = undefined;
  }

  /** Called by a follower that has ended. */
  forget(follower: ChainFollower): void {
    this.#followers.delete(follower);
    this.noteChange();
  }

  /**
   * Resolves when nothing is left to do at this time of the clock. Throws Error that names what is still under way when nothing has happened for long,
   * or when it does not end.
   */
  settle(limits: Partial<SettleLimits> = {}): Promise<void> {
    const settled = this.#settling.then(() => this.#settle({ ...defaultLimits, ...limits }));
    this.#settling = settled.catch(() => undefined);
    return settled;
  }

  /** Lets the chain go on until `result` has settled. */
  async during<T>(result: Promise<T>): Promise<T> {
    if (this.#permits === undefined) return result;
    let isPending = true;
    const over = result.then(
      () => void (isPending = false),
      () => void (isPending = false),
    );
    while (isPending) {
      await Promise.race([over, this.settle()]);
      if (isPending) await Promise.race([over, this.#change()]);
    }
    return result;
  }

  /** Nothing waits for a permit any more. */
  end(): void {
    this.#isEnded = true;
    this.#permits?.grantAll();
  }

  #count(set: Set<{ readonly what: string }>, what: string): () => void {
    const entry = { what };
    set.add(entry);
    this.#version++;
    return () => {
      if (set.delete(entry)) this.noteChange();
    };
  }

  async #settle(limits: SettleLimits): Promise<void> {
    const { timers } = this.#options;
    const until = performance.now() + limits.totalMs;
    while (!this.#isEnded) {
      await this.#arrival(limits, until);
      if (timers.fireDue()) continue;
      if (this.#permits?.grant() === true) continue;
      if (this.#keys.size > 0) await this.#changeWithin(limits);
      else if (!timers.fireRetry()) break;
      if (performance.now() > until) throw new Error(`the chain does not settle: ${this.#describe()}`);
    }
    this.#hasClients = false;
    this.#settledAt = { version: this.#version, revision: this.#options.revision() };
  }

  /** Resolves when no request is in flight, every change has arrived at those who follow it, and nothing more comes. */
  async #arrival(limits: SettleLimits, until: number): Promise<void> {
    for (;;) {
      while (this.#isArriving()) {
        await this.#changeWithin(limits);
        if (performance.now() > until) throw new Error(`the chain does not settle: ${this.#describe()}`);
      }
      const { version, revision } = { version: this.#version, revision: this.#options.revision() };
      const wasSettled = this.#settledAt?.version === version && this.#settledAt.revision === revision;
      const turns = wasSettled ? 1 : this.#hasClients || this.#lasting > 0 ? turnsOverConnections : innerTurns;
      for (let turn = 0; turn < turns && version === this.#version; turn++) await turnOfLoop();
      if (version === this.#version && revision === this.#options.revision()) return;
    }
  }

  #isArriving(): boolean {
    if (this.#works.size > 0) return true;
    this.#readChanges();
    // A list may itself wait for its permit.
    const isHeld = this.#permits !== undefined && this.#permits.size > 0;
    for (const follower of this.#followers) if (follower.isBehind && !(isHeld && follower.isOpening)) return true;
    return false;
  }

  #readChanges(): void {
    const revision = this.#options.revision();
    if (revision === this.#seen) return;
    for (const change of this.#options.changesSince(this.#seen))
      for (const follower of this.#followers) follower.expect(change);
    this.#seen = revision;
  }

  #change(): Promise<void> {
    this.#changed ??= Promise.withResolvers();
    return this.#changed.promise;
  }

  async #changeWithin({ silenceMs, totalMs }: SettleLimits): Promise<void> {
    const silence = Promise.withResolvers<never>();
    const began = performance.now();
    const before = performance.eventLoopUtilization();
    const look = () => {
      const missing = silenceMs - performance.eventLoopUtilization(before).idle;
      if (missing > silenceMs * negligible && performance.now() - began < totalMs) timer = setTimeout(look, missing);
      else silence.reject(new Error(`nothing has happened for ${silenceMs / 1000} s: ${this.#describe()}`));
    };
    let timer = setTimeout(look, silenceMs);
    try {
      await Promise.race([this.#change(), silence.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #describe(): string {
    const parts = [...this.#works].map(({ what }) => `${what} is in flight`);
    for (const follower of this.#followers) if (follower.isBehind) parts.push(follower.describe());
    if (this.#keys.size > 0)
      parts.push(
        `in queues: ${[...this.#keys]
          .slice(0, namedRequests)
          .map(({ what }) => what)
          .join(', ')}`,
      );
    return `${parts.join('; ')}; the last requests: ${this.#recent.join(', ')}`;
  }
}

/** How far an informer is. */
class ChainFollower implements Follower {
  readonly #resource: FollowedResource;
  readonly #directory: string;
  readonly #activity: ChainActivity;
  #state: FollowerState = 'opening';
  /** It has handled everything up to this revision. */
  #reached = 0;
  /** The last change of what it follows. */
  #expected = 0;
  #hasEvent = false;

  constructor(resource: FollowedResource, directory: string, activity: ChainActivity) {
    this.#resource = resource;
    this.#directory = directory;
    this.#activity = activity;
  }

  is(state: FollowerState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#activity.noteChange();
  }

  reached(resourceVersion: string): void {
    const revision = Number(resourceVersion);
    if (revision === this.#reached) return;
    this.#reached = revision;
    this.#activity.noteChange();
  }

  permit(): Promise<void> | undefined {
    const { group, resource } = this.#resource;
    const permit = this.#activity.permit(`event of ${resource}.${group}`);
    if (permit === undefined) return undefined;
    this.#hasEvent = true;
    return permit.then(() => {
      this.#hasEvent = false;
    });
  }

  end(): void {
    this.#activity.forget(this);
    this.#activity.ending();
  }

  expect({ key, revision }: StoreChange): void {
    if (key.startsWith(this.#directory)) this.#expected = revision;
  }

  /** Of a part of the objects, the changes that concern it are not known: what is on its way arrives within some turns of the event loop. */
  get isBehind(): boolean {
    if (this.#state !== 'following') return this.isOpening;
    return !this.#resource.isSelective && !this.#hasEvent && this.#reached < this.#expected;
  }

  get isOpening(): boolean {
    return this.#state === 'opening';
  }

  describe(): string {
    const { group, resource } = this.#resource;
    const name = group === '' ? resource : `${resource}.${group}`;
    return this.isOpening
      ? `${name} are being listed`
      : `a watch of ${name} is at ${this.#reached}, the last change at ${this.#expected}`;
  }
}
