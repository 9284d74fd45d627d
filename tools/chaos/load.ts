import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@apichain/meta';
import type { Dispatcher } from 'undici';
import { watchLines } from '../servers/watch-lines.ts';
import { Endpoints } from './endpoints.ts';
import type { History, Read, Relist, Seen, Write } from './history.ts';

/** The kind of the objects that clients write. */
export interface LoadKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The path of the objects of a namespace. */
  readonly path: string;
}

export interface LoadOptions {
  readonly urls: readonly string[];
  readonly token: string;
  readonly kind: LoadKind;
  readonly writers: number;
  readonly watchers: number;
  /** How many times as long as usual clients pause, for a run of hours. */
  readonly pace?: number;
}

export const configMaps: LoadKind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: '/api/v1/namespaces/default/configmaps',
};

/** The prefix of the names of this run's objects. The store has other objects too. */
const prefix = 'chaos-';
/** Pauses in milliseconds: between two writes of a writer, between two reads of a reader, and before a retry. */
const writePause = 120;
const readPause = 60;
const retryPause = 50;
const readers = 3;
/** Of so many writes the median time is taken. */
const recentWrites = 200;
/** The number of objects in a page of a list. */
const pageSize = 5;

interface Numbered {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly number?: string };
}
interface NumberedList {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly Numbered[];
}
interface WatchLine {
  readonly type: string;
  readonly object: Numbered & { readonly code?: number };
}
type WriteMethod = 'POST' | 'PUT' | 'PATCH';
interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** What happened to the clients of a load. */
interface Recorded {
  readonly history: History;
  /** Responses that no correct server gives. */
  readonly errors: readonly string[];
  /** Requests without a whole response, which are no violations where servers end. */
  readonly breaks: readonly string[];
}

const numberOf = ({ data }: Numbered) => Number(data?.number ?? 0);
const revisionOf = ({ metadata }: Pick<Numbered, 'metadata'> | NumberedList) => Number(metadata.resourceVersion);
const isOurs = ({ metadata }: Numbered) => metadata.name.startsWith(prefix);
const numbersOf = (items: readonly Numbered[]) =>
  new Map(items.filter(isOurs).map((item) => [item.metadata.name, numberOf(item)]));

/** Writers, readers and watchers of objects of a kind. Records their history. */
export class Load {
  readonly #options: LoadOptions;
  readonly #endpoints: Endpoints;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #pace: number;
  readonly #writes: Write[] = [];
  readonly #reads: Read[] = [];
  readonly #watches: Seen[][];
  readonly #relists: Relist[] = [];
  /** The revision up to which each watcher knows all changes. */
  readonly #positions: number[];
  /** What each watcher does now. */
  readonly #states: string[] = [];
  readonly #errors: string[] = [];
  /** Requests without a whole response. */
  readonly #breaks: string[] = [];
  /** Watchers have the first numbers: those of their watches. */
  #clientCount = 0;
  /** The writers and readers, which end after their current request once nothing is to be written any more. */
  readonly #clients: Promise<void>[] = [];
  readonly #watchers: Promise<void>[] = [];
  #writing = true;
  #watching = true;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#pace = options.pace ?? 1;
    this.#headers = { accept: 'application/json', authorization: `Bearer ${options.token}`, 'user-agent': 'chaos' };
    this.#endpoints = new Endpoints(options.urls, options.token, options.writers + options.watchers + 8);
    this.#watches = Array.from({ length: options.watchers }, () => []);
    this.#positions = this.#watches.map(() => 0);
  }

  get kind(): string {
    return this.#options.kind.kind;
  }

  /** Starts all clients. Resolves when each writer has written. */
  async start(): Promise<void> {
    const { revision } = await this.#list(0);
    for (const seen of this.#watches) this.#watchers.push(this.#watch(seen, revision, this.#clientCount++));
    const objects = Array.from({ length: this.#options.writers }, (_, i) => `${prefix}${String(i)}`);
    const started = performance.now();
    for (const object of objects) this.#clients.push(this.#write(object, this.#clientCount++));
    for (let i = 0; i < readers; i++) this.#clients.push(this.#read(objects, this.#clientCount++));
    if ((await this.untilWritten(started, 30_000)) === undefined)
      throw new Error(
        `nothing can be written: ${this.#errors.at(-1) ?? this.#breaks.at(-1) ?? 'no server took a write'}`,
      );
  }

  /** Every client goes on at another server. */
  move(): void {
    this.#endpoints.move();
  }

  /**
   * Returns the times at which every writer had a write acknowledged that started after `since`, and at which every watcher had received
   * these writes. Undefined if that does not happen in time.
   */
  async untilWritten(since: number, timeoutMs: number): Promise<{ writers: number; watchers: number } | undefined> {
    let writers: number | undefined;
    while (performance.now() - since < timeoutMs) {
      const first = this.#firstWrites(since);
      if (first.size === this.#options.writers) {
        writers ??= Math.max(...[...first.values()].map(({ ended }) => ended));
        const newest = Math.max(...[...first.values()].map(({ revision }) => revision));
        if (this.#positions.every((position) => position >= newest)) return { writers, watchers: performance.now() };
      }
      await sleep(20);
    }
    return undefined;
  }

  /** Who lags: the writers without a write acknowledged that started after `since`, and the watchers that have not received all such writes. */
  lagging(since: number): string {
    const first = this.#firstWrites(since);
    const newest = Math.max(0, ...[...first.values()].map(({ revision }) => revision));
    const watchers = this.#positions.flatMap((position, index) => {
      const state = `watcher ${String(index)}, ${String(this.#states[index])}, is at ${String(position)} of ${String(newest)}`;
      return position >= newest ? [] : [state];
    });
    return [`${String(first.size)} of ${String(this.#options.writers)} writers of ${this.kind}`, ...watchers].join(
      ', ',
    );
  }

  /** The longest time in which a writer had no write acknowledged, in milliseconds, from a time on. */
  longestPause(since: number): number {
    const last = new Map<string, number>();
    let longest = 0;
    for (const { object, ended, outcome } of this.#writes) {
      if (outcome !== 'acknowledged') continue;
      if (ended >= since) longest = Math.max(longest, ended - Math.max(since, last.get(object) ?? since));
      last.set(object, ended);
    }
    return longest;
  }

  /** The median of the times of the last acknowledged writes, in milliseconds. */
  medianWriteMs(): number {
    const last = this.#writes.slice(-recentWrites).filter(({ outcome }) => outcome === 'acknowledged');
    const times = last.map(({ started, ended }) => ended - started).toSorted((a, b) => a - b);
    return times[Math.floor(times.length / 2)] ?? 0;
  }

  /** The first acknowledged write of each object that started after `since`. */
  #firstWrites(since: number): Map<string, Write> {
    const first = new Map<string, Write>();
    for (let index = this.#writes.length - 1; index >= 0; index--) {
      const write = this.#writes[index];
      // Writes are recorded when they end.
      if (write === undefined || write.ended < since) break;
      if (write.started >= since && write.outcome === 'acknowledged') first.set(write.object, write);
    }
    return first;
  }

  /** Stops the writers, waits until every watcher has seen the last writes, and returns the history. */
  async finish(timeoutMs: number): Promise<Recorded> {
    this.#writing = false;
    // The last list has to show every write: it is asked for when the response to the last write has arrived.
    await Promise.all(this.#clients);
    const deadline = performance.now() + timeoutMs;
    let list = await this.#list(0);
    const last = () => Math.max(0, ...[...list.items.filter(isOurs)].map(revisionOf));
    while (this.#positions.some((position) => position < last()) && performance.now() < deadline) {
      await sleep(100);
      list = await this.#list(0);
    }
    this.#watching = false;
    this.#endpoints.endStreams();
    await Promise.all(this.#watchers);
    await this.#endpoints.close();
    return {
      history: {
        ...{ writes: this.#writes, reads: this.#reads, watches: this.#watches, relists: this.#relists },
        final: numbersOf(list.items),
      },
      errors: this.#errors,
      breaks: this.#breaks,
    };
  }

  async #write(object: string, client: number): Promise<void> {
    let revision = '';
    for (let number = 1; this.#writing; number++) {
      const method = revision === '' ? 'POST' : number % 3 === 0 ? 'PATCH' : 'PUT';
      const started = performance.now();
      const { status, body } = await this.#send(method, object, number, revision, client);
      const acknowledged = status === 200 || status === 201;
      const outcome = acknowledged ? 'acknowledged' : status === 409 ? 'refused' : 'unknown';
      const written = acknowledged ? revisionOf(body as Numbered) : 0;
      this.#writes.push({ object, number, started, ended: performance.now(), outcome, revision: written });
      revision = acknowledged ? String(written) : await this.#revisionNow(object, client);
      await sleep(acknowledged ? writePause * this.#pace : retryPause);
    }
  }

  /** Every method has the revision as a precondition, so that a write that is done twice is refused the second time. */
  #send(method: WriteMethod, object: string, number: number, revision: string, client: number): Promise<Reply> {
    const { apiVersion, kind, path } = this.#options.kind;
    const metadata = revision === '' ? { name: object } : { name: object, resourceVersion: revision };
    const body = JSON.stringify({ apiVersion, kind, metadata, data: { number: String(number) } });
    return this.#ask(method, method === 'POST' ? path : `${path}/${object}`, client, body);
  }

  /** The current resourceVersion of an object after a write with an unknown result. Empty when the object does not exist. */
  async #revisionNow(object: string, client: number): Promise<string> {
    while (this.#writing) {
      const { status, body } = await this.#ask('GET', `${this.#options.kind.path}/${object}`, client);
      if (status === 200) return (body as Numbered).metadata.resourceVersion;
      if (status === 404) return '';
      await sleep(retryPause);
    }
    return '';
  }

  async #read(objects: readonly string[], client: number): Promise<void> {
    for (let round = 0; this.#writing; round++) {
      const object = objects[round % objects.length];
      if (round % 4 === 0 || object === undefined) {
        const { started, revision, items } = await (round % 8 === 0 ? this.#list(client) : this.#pages(client));
        this.#reads.push({ started, revision, numbers: numbersOf(items) });
      } else {
        const started = performance.now();
        // Each read is of another server than the last.
        const { status, body } = await this.#ask('GET', `${this.#options.kind.path}/${object}`, client + round);
        if (status === 200) {
          const numbers = new Map([[object, numberOf(body as Numbered)]]);
          this.#reads.push({ object, started, revision: revisionOf(body as Numbered), numbers });
        }
      }
      await sleep(readPause * this.#pace);
    }
  }

  /** A consistent list (a read without resourceVersion). Retries until it succeeds. */
  async #list(client: number): Promise<{ started: number; revision: number; items: readonly Numbered[] }> {
    for (;;) {
      const started = performance.now();
      const { status, body } = await this.#ask('GET', this.#options.kind.path, client);
      if (status === 200)
        return { started, revision: revisionOf(body as NumberedList), items: (body as NumberedList).items };
      await sleep(retryPause);
    }
  }

  /** A consistent list in pages, each from another server. It begins again when a page is lost, as `continue` may be too old by then. */
  async #pages(client: number): Promise<{ started: number; revision: number; items: readonly Numbered[] }> {
    for (;;) {
      const started = performance.now();
      const items: Numbered[] = [];
      let token: string | undefined = '';
      let revision = 0;
      for (let page = 0; token !== undefined; page++) {
        const target: string = `${this.#options.kind.path}?limit=${String(pageSize)}&continue=${encodeURIComponent(token)}`;
        const { status, body } = await this.#ask('GET', target, client + page);
        if (status !== 200) break;
        const list = body as NumberedList;
        if (page > 0 && revisionOf(list) !== revision)
          this.#errors.push(`page ${String(page)} of a list of ${String(revision)} is of ${String(revisionOf(list))}`);
        revision = revisionOf(list);
        items.push(...list.items);
        token = list.metadata.continue === '' ? undefined : list.metadata.continue;
        if (token === undefined) return { started, revision, items };
      }
      await sleep(retryPause);
    }
  }

  /**
   * Watches from `revision` on. A watch that ends is resumed from its last event or bookmark. It lists again when that is too old: a server that has
   * started since then does not know what happened before, as a kube-apiserver.
   */
  async #watch(seen: Seen[], revision: number, client: number): Promise<void> {
    let from = revision;
    let isExpired = false;
    const take = (type: string, object: WatchLine['object']) => {
      if (type === 'ERROR') {
        isExpired = object.code === 410;
        if (isExpired) return;
        this.#errors.push(`a watch from ${String(from)} ended with ${JSON.stringify(object)}: a gap`);
        return;
      }
      const at = revisionOf(object);
      if (at < from || (at === from && type !== 'BOOKMARK'))
        this.#errors.push(`a watch at ${String(from)} received ${type} of ${String(at)}`);
      from = at;
      this.#positions[client] = at;
      if (type !== 'BOOKMARK' && isOurs(object))
        seen.push({ object: object.metadata.name, number: numberOf(object), revision: at });
    };
    while (this.#watching) {
      // A line that breaks off is not joined with the first one of the next watch.
      const lines = watchLines((line) => {
        // The body of a refusal is no event.
        const { type, object } = JSON.parse(line()) as Partial<WatchLine>;
        if (type !== undefined && object !== undefined) take(type, object);
      });
      try {
        const query = `${this.#options.kind.path}?watch=1&allowWatchBookmarks=true&resourceVersion=${String(from)}`;
        const options = { method: 'GET', path: query, headers: this.#headers } as const;
        const where = `at ${this.#endpoints.urlOf(client)} from ${String(from)}`;
        const since = performance.now();
        this.#states[client] = `opening ${where}`;
        const stream = await this.#endpoints.open(client, options, lines);
        this.#states[client] =
          `open with ${String(stream.status)} ${where} after ${String(Math.round(performance.now() - since))} ms`;
        if (!this.#watching) stream.stop();
        await stream.done;
      } catch (error) {
        this.#breaks.push(`a watch broke: ${errorMessage(error)}`);
      }
      if (isExpired) {
        const list = await this.#list(client);
        this.#relists.push({ watch: client, from, to: list.revision });
        this.#reads.push({ started: list.started, revision: list.revision, numbers: numbersOf(list.items) });
        from = list.revision;
        this.#positions[client] = from;
        isExpired = false;
      }
      await sleep(retryPause);
    }
  }

  /** Sends a request. Status 0 means that there was no response. */
  async #ask(method: Dispatcher.HttpMethod, target: string, client: number, body?: string): Promise<Reply> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = body === undefined ? this.#headers : { ...this.#headers, 'content-type': type };
    try {
      const options = { method, path: target, headers, body };
      const response = await this.#endpoints.exchange(client, options);
      return { status: response.status, body: JSON.parse(response.body.toString()) as unknown };
    } catch (error) {
      this.#breaks.push(`${method} ${target}: ${errorMessage(error)}`);
      return { status: 0, body: undefined };
    }
  }
}
