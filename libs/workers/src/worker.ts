import { maskVariable, ping, workerVariable } from './messages.ts';
import type { FromPrimary, FromWorker, WorkerFacts, WorkerReply } from './messages.ts';

/** Responds to a question of another worker, which may come with a text. Undefined: it has nothing to say. */
type Responder = (text: string) => Promise<string | undefined> | string | undefined;

/** A process that serves a service together with others like it, on the same port, as a child of one process (`superviseWorkers`). */
export class Worker {
  readonly index: number;
  readonly count: number;
  readonly #replaces: boolean;
  readonly #send: (message: FromWorker) => void;
  readonly #begin = Promise.withResolvers<void>();
  readonly #responders = new Map<string, Responder>([[ping, () => '']]);
  readonly #listeners = new Map<string, (text: string) => void>();
  readonly #asked = new Map<number, (replies: readonly WorkerReply[]) => void>();
  #lastId = 0;
  #isComplete: boolean;
  readonly #replaced = Promise.withResolvers<void>();
  #isReplaced = false;

  constructor({ index, count, replaces }: WorkerFacts, send: (message: FromWorker) => void) {
    this.index = index;
    this.count = count;
    this.#replaces = replaces;
    this.#isComplete = replaces;
    this.#send = send;
    if (replaces || this.leads) this.#begin.resolve();
  }

  /** Whether this worker does what is to be done once for all: objects of the servers themselves, conditions, repairs. */
  get leads(): boolean {
    return this.index === 1;
  }

  /** Whether it opens its port before it can serve, as a single process does, so that a port that cannot be opened is known at once. */
  get opensEarly(): boolean {
    return this.leads && !this.#replaces;
  }

  /** Whether all workers have started: the service as a whole is ready when each of them is. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether another process has taken the place of this one, so that it ends and the service goes on. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Resolves when another process has taken the place of this one, which should end then. */
  get replaced(): Promise<void> {
    return this.#replaced.promise;
  }

  /** The part of a limit of the whole service that is this worker's. Zero, which means no limit, stays zero. */
  share(total: number): number {
    return Math.ceil(total / this.count);
  }

  /** To be called when this worker can serve. Resolves when it may accept connections: not before the first worker has started. */
  async started(): Promise<void> {
    this.#send({ say: 'started' });
    await this.#begin.promise;
  }

  /** To be called when this worker accepts connections. */
  opened(): void {
    this.#send({ say: 'open' });
  }

  /** Asks the other workers that accept connections. Those that have nothing to say, and those that do not respond within two seconds, are left out. */
  ask(question: string, text = ''): Promise<readonly WorkerReply[]> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#send({ say: 'ask', id, question, text });
    });
  }

  /**
   * Resolves when the parent has dealt with everything that this process has sent it, and everything that it sent meanwhile has arrived: after a server was
   * closed, no further connection is on its way to it.
   */
  async caughtUp(): Promise<void> {
    await this.ask('');
  }

  respond(question: string, responder: Responder): void {
    this.#responders.set(question, responder);
  }

  /** Sends something to the first worker, which may be this one. Nobody knows whether it arrives. */
  tell(topic: string, text: string): void {
    if (this.leads) this.#listeners.get(topic)?.(text);
    else this.#send({ say: 'tell', topic, text });
  }

  /** Gets what workers tell the first one. */
  listen(topic: string, listener: (text: string) => void): void {
    this.#listeners.set(topic, listener);
  }

  /** To be called with each message of the parent process. */
  receive(message: FromPrimary): void {
    if (message.say === 'begin') this.#begin.resolve();
    else if (message.say === 'complete') this.#isComplete = true;
    else if (message.say === 'replaced') {
      this.#isReplaced = true;
      this.#replaced.resolve();
    } else if (message.say === 'told') this.#listeners.get(message.topic)?.(message.text);
    else if (message.say === 'replies') {
      this.#asked.get(message.id)?.(message.replies);
      this.#asked.delete(message.id);
    } else void this.#respond(message.id, message.question, message.text);
  }

  async #respond(id: number, question: string, text: string): Promise<void> {
    this.#send({ say: 'reply', id, text: await this.#responders.get(question)?.(text) });
  }
}

/** Whether this process was started as a worker. */
export const isWorker = (): boolean => process.env[workerVariable] !== undefined;

/** This process as a worker; undefined if it serves alone. To be called once: what this process starts is no worker. */
export function joinWorkers(): Worker | undefined {
  const facts = process.env[workerVariable];
  if (facts === undefined) return undefined;
  process.umask(Number(process.env[maskVariable]));
  delete process.env[workerVariable];
  delete process.env[maskVariable];
  const worker = new Worker(JSON.parse(facts) as WorkerFacts, (message) => {
    // The parent may have gone: then this process ends, too.
    if (process.connected) process.send?.(message);
  });
  process.on('message', (message) => worker.receive(message as FromPrimary));
  return worker;
}
