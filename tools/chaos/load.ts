import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@apichain/meta';
import { Pool } from 'undici';
import { exchange, openExchange, type OpenExchange } from '../bench/exchange.ts';
import { watchLines } from '../servers/watch-lines.ts';
import type { History, Read, Seen, Write } from './history.ts';

export interface LoadOptions {
  readonly url: string;
  readonly token: string;
  readonly writers: number;
  readonly watchers: number;
}

const path = '/api/v1/namespaces/default/configmaps';
/** The prefix of the names of this run's objects. The store has other objects too. */
const prefix = 'chaos-';
/** Pauses in milliseconds: between two writes of a writer, between two reads of a reader, and before a retry. */
const writePause = 120;
const readPause = 60;
const retryPause = 50;

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly number?: string };
}
interface ConfigMapList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ConfigMap[];
}
interface WatchLine {
  readonly type: string;
  readonly object: ConfigMap;
}

const numberOf = ({ data }: ConfigMap) => Number(data?.number ?? 0);
const revisionOf = ({ metadata }: Pick<ConfigMap, 'metadata'> | ConfigMapList) => Number(metadata.resourceVersion);
const isOurs = ({ metadata }: ConfigMap) => metadata.name.startsWith(prefix);

/** Writers, readers and watchers of config maps. Records their history. */
export class Load {
  readonly #options: LoadOptions;
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #writes: Write[] = [];
  readonly #reads: Read[] = [];
  readonly #watches: Seen[][];
  readonly #errors: string[] = [];
  /** The writers and readers, which end after their current request once nothing is to be written any more. */
  readonly #clients: Promise<void>[] = [];
  readonly #watchers: Promise<void>[] = [];
  readonly #streams = new Set<OpenExchange>();
  #writing = true;
  #watching = true;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#headers = { accept: 'application/json', authorization: `Bearer ${options.token}`, 'user-agent': 'chaos' };
    this.#pool = new Pool(options.url, {
      connections: options.writers + options.watchers + 8,
      connect: { rejectUnauthorized: false },
      bodyTimeout: 0,
    });
    this.#watches = Array.from({ length: options.watchers }, () => []);
  }

  /** Starts all clients. Resolves when each writer has written. */
  async start(): Promise<void> {
    const { revision } = await this.#list();
    for (const seen of this.#watches) this.#watchers.push(this.#watch(seen, revision));
    const objects = Array.from({ length: this.#options.writers }, (_, i) => `${prefix}${String(i)}`);
    const started = performance.now();
    for (const object of objects) this.#clients.push(this.#write(object));
    for (let i = 0; i < 3; i++) this.#clients.push(this.#read(objects));
    if ((await this.untilWritten(started, 30_000)) === undefined)
      throw new Error(`nothing can be written: ${this.#errors.at(-1)}`);
  }

  /**
   * Returns the times at which every writer had a write acknowledged that started after `since`, and at which every watcher had received
   * these writes. Undefined if that does not happen in time.
   */
  async untilWritten(since: number, timeoutMs: number): Promise<{ writers: number; watchers: number } | undefined> {
    let writers: number | undefined;
    while (performance.now() - since < timeoutMs) {
      const fresh = this.#writes.filter(({ started, outcome }) => started >= since && outcome === 'acknowledged');
      if (new Set(fresh.map(({ object }) => object)).size === this.#options.writers) {
        const first = new Map(fresh.toReversed().map((write) => [write.object, write]));
        writers ??= Math.max(...[...first.values()].map(({ ended }) => ended));
        const newest = Math.max(...[...first.values()].map(({ revision }) => revision));
        if (this.#watches.every((seen) => (seen.at(-1)?.revision ?? 0) >= newest))
          return { writers, watchers: performance.now() };
      }
      await sleep(20);
    }
    return undefined;
  }

  /** Stops the writers, waits until every watcher has seen the last writes, and returns the history. Throws Error when a watcher does not. */
  async finish(timeoutMs: number): Promise<{ history: History; errors: readonly string[] }> {
    this.#writing = false;
    // The last list has to show every write: it is asked for when the response to the last write has arrived.
    await Promise.all(this.#clients);
    const deadline = performance.now() + timeoutMs;
    let list = await this.#list();
    const last = () => Math.max(0, ...[...list.items.filter(isOurs)].map(revisionOf));
    while (this.#watches.some((seen) => (seen.at(-1)?.revision ?? 0) < last()) && performance.now() < deadline) {
      await sleep(100);
      list = await this.#list();
    }
    this.#watching = false;
    for (const stream of this.#streams) stream.stop();
    await Promise.all(this.#watchers);
    await this.#pool.close();
    const final = new Map(list.items.filter(isOurs).map((item) => [item.metadata.name, numberOf(item)]));
    return {
      history: { writes: this.#writes, reads: this.#reads, watches: this.#watches, final },
      errors: this.#errors,
    };
  }

  async #write(object: string): Promise<void> {
    let revision = '';
    for (let number = 1; this.#writing; number++) {
      const started = performance.now();
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: object, ...(revision === '' ? {} : { resourceVersion: revision }) },
        data: { number: String(number) },
      });
      const response =
        revision === '' ? await this.#ask('POST', path, body) : await this.#ask('PUT', `${path}/${object}`, body);
      const acknowledged = response.status === 200 || response.status === 201;
      const outcome = acknowledged ? 'acknowledged' : response.status === 409 ? 'refused' : 'unknown';
      const written = acknowledged ? revisionOf(response.body as ConfigMap) : 0;
      this.#writes.push({ object, number, started, ended: performance.now(), outcome, revision: written });
      revision = acknowledged ? String(written) : await this.#revisionNow(object);
      await sleep(acknowledged ? writePause : retryPause);
    }
  }

  /** The current resourceVersion of an object after a write with an unknown result. Empty when the object does not exist. */
  async #revisionNow(object: string): Promise<string> {
    while (this.#writing) {
      const { status, body } = await this.#ask('GET', `${path}/${object}`);
      if (status === 200) return (body as ConfigMap).metadata.resourceVersion;
      if (status === 404) return '';
      await sleep(retryPause);
    }
    return '';
  }

  async #read(objects: readonly string[]): Promise<void> {
    for (let round = 0; this.#writing; round++) {
      const object = objects[round % objects.length];
      const started = performance.now();
      if (round % 4 === 0 || object === undefined) {
        const list = await this.#list();
        const numbers = new Map(list.items.filter(isOurs).map((item) => [item.metadata.name, numberOf(item)]));
        this.#reads.push({ started: list.started, revision: list.revision, numbers });
      } else {
        const { status, body } = await this.#ask('GET', `${path}/${object}`);
        if (status === 200) {
          const numbers = new Map([[object, numberOf(body as ConfigMap)]]);
          this.#reads.push({ object, started, revision: revisionOf(body as ConfigMap), numbers });
        }
      }
      await sleep(readPause);
    }
  }

  /** A consistent list (a read without resourceVersion). Retries until it succeeds. */
  async #list(): Promise<{ started: number; revision: number; items: readonly ConfigMap[] }> {
    for (;;) {
      const started = performance.now();
      const { status, body } = await this.#ask('GET', path);
      if (status === 200)
        return { started, revision: revisionOf(body as ConfigMapList), items: (body as ConfigMapList).items };
      await sleep(retryPause);
    }
  }

  /** Watches from `revision` on. A watch that ends is resumed from its last event. */
  async #watch(seen: Seen[], revision: number): Promise<void> {
    let from = revision;
    const take = watchLines((line) => {
      const { type, object } = JSON.parse(line()) as WatchLine;
      if (type === 'ERROR') {
        this.#errors.push(`a watch from ${String(from)} ended with ${JSON.stringify(object)}: a gap`);
        return;
      }
      from = revisionOf(object);
      if (isOurs(object)) seen.push({ object: object.metadata.name, number: numberOf(object), revision: from });
    });
    while (this.#watching) {
      try {
        const query = `${path}?watch=1&resourceVersion=${String(from)}`;
        const stream = await openExchange(this.#pool, { method: 'GET', path: query, headers: this.#headers }, take);
        this.#streams.add(stream);
        if (!this.#watching) stream.stop();
        await stream.done;
        this.#streams.delete(stream);
      } catch (error) {
        this.#errors.push(`a watch broke: ${errorMessage(error)}`);
      }
      await sleep(retryPause);
    }
  }

  /** Sends a request. Status 0 means that there was no response. */
  async #ask(
    method: 'GET' | 'POST' | 'PUT',
    target: string,
    body?: string,
  ): Promise<{ status: number; body: unknown }> {
    const headers = body === undefined ? this.#headers : { ...this.#headers, 'content-type': 'application/json' };
    try {
      const options = { method, path: target, headers, body };
      const response = await exchange(this.#pool, options, true);
      return { status: response.status, body: JSON.parse(response.body.toString()) as unknown };
    } catch (error) {
      this.#errors.push(`${method} ${target}: ${errorMessage(error)}`);
      return { status: 0, body: undefined };
    }
  }
}
