import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { pause, whileVisible } from '../api/while-visible.ts';
import { Frames } from '../parts/frames.ts';
import { readWrites, type RequestRecord } from '../requests/requests.ts';
import { nameOf } from '../shell/kind-groups.ts';
import { Following, type SourceState } from '../workloads/following.ts';
import { apiReader } from '../workloads/use-live-objects.ts';
import { History, type Change } from './history.ts';
import { RequestsOfChanges } from './requests-of-changes.ts';
import { followedKinds, type FollowedKinds, type Scope } from './sources.ts';

/** Between two looks at the records of requests, while changes have no request yet. */
const pollMs = 500;
/** How long a change waits for its request: a record is there when the response is complete. */
const patienceMs = 10_000;

/** How far back the history begins at most, in milliseconds: etcd keeps what has been for five minutes at least. */
const beforeMs = 300_000;

/** What is followed now. */
interface Recording extends FollowedKinds {
  readonly key: string;
  readonly namespace: string;
  readonly following: Following<string>;
  readonly stop: () => void;
}

/**
 * The history of this tab. It begins with the first timeline that is opened, and goes on in other views, so that one can go and change something. It is in
 * memory, and another user who logs in begins anew.
 */
class Recorder {
  readonly #listeners = new Set<() => void>();
  readonly #frames = new Frames(() => this.#tell());
  /** Of kinds and namespaces that were followed before. */
  readonly #positions = new Map<string, string>();
  #history = new History();
  #requests = new RequestsOfChanges();
  #recording: Recording | undefined;
  #user = '';
  #since: number | undefined;
  #position = 0;
  /** Whether the requests of all users are seen. */
  #isAll = true;
  #problem: string | undefined;

  get history(): History {
    return this.#history;
  }

  /** When the history began, in milliseconds since the epoch; undefined before. */
  get since(): number | undefined {
    return this.#since;
  }

  get seesAllRequests(): boolean {
    return this.#isAll;
  }

  /** Why the records of requests could not be read. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** What is followed, and what is not. */
  get kinds(): FollowedKinds {
    return this.#recording ?? { followed: [], others: [] };
  }

  stateOf(kind: Kind): SourceState {
    return this.#recording?.following.stateOf(nameOf(kind)) ?? { state: 'loading' };
  }

  requestOf(change: Change): RequestRecord | undefined {
    return this.#requests.requestOf(change);
  }

  /** The changes that a request has made. */
  changesOf(auditId: string): readonly Change[] {
    return this.#history.changes.filter((change) => this.requestOf(change)?.auditID === auditId);
  }

  /** The history belongs to this user. */
  keepFor(user: string): void {
    if (user === this.#user) return;
    this.#recording?.stop();
    this.#recording = undefined;
    this.#positions.clear();
    this.#history = new History();
    this.#requests = new RequestsOfChanges();
    [this.#user, this.#since, this.#position] = [user, undefined, 0];
  }

  /** Follows a scope, instead of the one before; what was recorded stays. */
  record(kinds: readonly Kind[], scope: Scope): void {
    if (this.#covers(scope)) return;
    const namespace = scope.kind?.namespaced === false ? (this.#recording?.namespace ?? '') : scope.namespace;
    const { followed, others } = followedKinds(kinds, { ...scope, namespace });
    const paths = followed.map((kind) => pathOf(kind, namespace));
    const key = paths.join();
    if (this.#recording?.key === key) return;
    this.#recording?.stop();
    const controller = new AbortController();
    const start = async () => {
      const since = await this.#oldestWrite(controller.signal);
      if (controller.signal.aborted) return;
      const history = this.#history;
      const sources = followed.map((kind, at) => ({
        ...{ id: nameOf(kind), path: paths[at] ?? '' },
        since: this.#startOf(kind, namespace, since),
        shelf: history.shelfOf(kind, namespace),
      }));
      const following = new Following(sources, apiReader, () => this.#changed());
      const ends = [
        whileVisible((signal) => following.run(signal)),
        whileVisible((signal) => this.#readRequests(signal)),
      ];
      const stop = () => {
        ends.forEach((end) => end());
        for (const kind of followed) {
          const position = following.positionOf(nameOf(kind));
          if (position !== undefined) this.#positions.set(`${nameOf(kind)}/${namespace}`, position);
        }
      };
      this.#recording = { key, namespace, followed, others, following, stop };
    };
    const nothing = new Following<string>([], apiReader, () => undefined);
    this.#recording = { key, namespace, followed, others, following: nothing, stop: () => controller.abort() };
    void start();
  }

  /** Returns the function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Where the list of a kind begins: where it was followed before, alone or with those of all namespaces, because what has changed since is still to be told;
   * with the oldest write at first. Undefined = with the newest state, because a part of the objects is known in a newer one than the rest.
   */
  #startOf(kind: Kind, namespace: string, oldest: string | undefined): string | undefined {
    const prefix = `${nameOf(kind)}/`;
    const known = [...this.#positions].filter(([key]) => key.startsWith(prefix));
    if (known.length === 0) return oldest;
    const newest = (entries: typeof known) => Math.max(...entries.map(([, position]) => Number(position)));
    const own = known.filter(([key]) => key === prefix || key === `${prefix}${namespace}`);
    return own.length > 0 && newest(own) >= newest(known) ? String(newest(own)) : undefined;
  }

  /** Whether an object is followed already, as all namespaces have the objects of one. */
  #covers({ namespace, kind }: Scope): boolean {
    const recording = this.#recording;
    if (recording === undefined || kind === undefined) return false;
    const isInScope = !kind.namespaced || recording.namespace === '' || recording.namespace === namespace;
    return isInScope && recording.followed.some((followed) => nameOf(followed) === nameOf(kind));
  }

  /** A resourceVersion before the writes that the server still knows: the history can begin there. */
  async #oldestWrite(signal: AbortSignal): Promise<string | undefined> {
    this.#since ??= Date.now();
    await this.#read(signal);
    return this.#requests.beforeWritesAfter(Date.now() - beforeMs);
  }

  /** Reads records while changes have no request. */
  async #readRequests(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#requests.isLooking(patienceMs)) await this.#read(signal);
      await pause(pollMs, signal);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const { items, position, isAll } = await readWrites(this.#position, signal);
      [this.#position, this.#isAll, this.#problem] = [position, isAll, undefined];
      this.#requests.addRequests(items);
      if (items.length > 0) this.#frames.request();
    } catch (error) {
      if (!signal.aborted) this.#problem = messageOf(error);
    }
  }

  #changed(): void {
    this.#requests.addChanges(this.#history.takeNew());
    this.#frames.request();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const recorder = new Recorder();

/** Shows the history again when it changes. Returns a number that differs then. */
export function useHistory(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => recorder.subscribe(() => setVersion((before) => before + 1)), []);
  return version;
}
