import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { LivenessTimes } from './liveness.ts';
import { maskVariable, ping, workerVariable } from './messages.ts';
import type { FromPrimary, FromWorker, WorkerFacts, WorkerReply } from './messages.ts';
import { Supervised } from './supervised.ts';
import { isWorker, joinWorkers, type Worker } from './worker.ts';

/** The program whose processes are workers: the one that runs, started again. */
interface WorkersOptions {
  /** The name of the service, for messages. */
  readonly name: string;
  readonly count: number;
  /** The command line of each worker. */
  readonly argv: readonly string[];
  /** Gets a one-line message when a worker ended or was replaced. */
  readonly report: (text: string) => void;
  readonly liveness?: LivenessTimes;
}

/** How long another worker has to respond to a question, in milliseconds. */
const replyMs = 2_000;
/** A worker may finish its requests. The process that started this one limits the time. */
const stopGraceMs = 60 * 60_000;

/** A question to a worker. */
interface Question {
  readonly child: ChildProcess;
  readonly replied: (text: string | undefined) => void;
}

/**
 * The processes of one service. They share its port and its socket: this process accepts the connections and gives them to the workers in turn (the
 * round-robin of `node:cluster`), which spreads few lasting connections as evenly as many short ones. A worker that hangs keeps at most one
 * connection that waits. It is ended and started again, like one that ended by itself.
 */
class Workers {
  readonly #options: WorkersOptions;
  readonly #workers: Supervised[] = [];
  readonly #open = new Map<ChildProcess, number>();
  readonly #starting = new Set<number>();
  readonly #questions = new Map<number, Question>();
  readonly #opening = new Map<ChildProcess, () => void>();
  readonly #mask: number;
  readonly #begun = new Set<number>();
  #hasBegun = false;
  #lastId = 0;
  #stopping = false;
  #restarting: Promise<void> | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    // This process makes the socket of the service, which nobody else may open.
    this.#mask = process.umask(0o177);
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: process.argv[1] ?? '', args: [...options.argv], execArgv: process.execArgv });
    for (let index = 1; index <= options.count; index++) this.#starting.add(index);
  }

  /** Starts the first worker, then the others. Resolves with an exit code if the first one fails. */
  async start(): Promise<number | undefined> {
    const first = this.#supervise(1);
    this.#workers.push(first);
    const isOpen = new Promise<true>((resolve) => this.#opening.set(first.child, () => resolve(true)));
    if ((await Promise.race([isOpen, first.failedToStart])) !== true && !this.#stopping) return exitCodeOf(first.child);
    first.settle();
    for (let index = 2; index <= this.#options.count && !this.#stopping; index++) {
      const worker = this.#supervise(index);
      worker.settle();
      this.#workers.push(worker);
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#workers.map((worker) => worker.stop(stopGraceMs)));
  }

  /** Replaces the workers one by one. Each stops when its successor accepts connections, so that no request fails. */
  restart(): void {
    this.#restarting ??= this.#restart().finally(() => (this.#restarting = undefined));
  }

  async #restart(): Promise<void> {
    const { name, report } = this.#options;
    for (let index = 1; index <= this.#workers.length && !this.#stopping; index++) {
      const next = this.#supervise(index);
      const isOpen = new Promise<true>((resolve) => this.#opening.set(next.child, () => resolve(true)));
      const outcome = await Promise.race([isOpen, next.failedToStart]);
      if (outcome !== true) {
        report(`${name}: worker ${index} could not be replaced (${outcome})`);
        return;
      }
      next.settle({ hasResponded: true });
      const former = this.#workers[index - 1];
      this.#workers[index - 1] = next;
      const ending = this.#stopping ? next : former;
      if (ending === undefined) return;
      await ending.stop(stopGraceMs, (child) => send(child, { say: 'replaced' }));
    }
    if (!this.#stopping) report(`${name}: all workers were replaced`);
  }

  #supervise(index: number): Supervised {
    const { name, liveness, report } = this.#options;
    const supervised: Supervised = new Supervised({
      name: `worker ${index}`,
      liveness,
      onRestart: (text) => report(`${name}: ${text}`),
      spawn: () => this.#fork(index),
      probe: async () =>
        (await this.#ask(supervised.child, ping)) === undefined ? 'no response within 2 s' : undefined,
    });
    return supervised;
  }

  #fork(index: number): ChildProcess {
    const facts: WorkerFacts = { index, count: this.#options.count, replaces: this.#begun.has(index) };
    this.#begun.add(index);
    const variables = { [workerVariable]: JSON.stringify(facts), [maskVariable]: String(this.#mask) };
    const worker = cluster.fork(variables);
    // A message to a process that has just ended: what follows from its end follows from the event of its exit.
    worker.on('error', (error) => this.#options.report(`${this.#options.name}: worker ${index}: ${error.message}`));
    const child = worker.process;
    child.on('message', (message) => this.#receive(child, index, message as FromWorker));
    child.once('exit', () => {
      this.#open.delete(child);
      this.#opening.delete(child);
      for (const { child: asked, replied } of this.#questions.values()) if (asked === child) replied(undefined);
    });
    return child;
  }

  #receive(child: ChildProcess, index: number, message: FromWorker): void {
    if (message.say === 'reply') this.#questions.get(message.id)?.replied(message.text);
    else if (message.say === 'ask') void this.#askOthers(child, message);
    else if (message.say === 'tell') {
      const first = this.#workers[0]?.child;
      if (first !== undefined) send(first, { say: 'told', topic: message.topic, text: message.text });
    } else if (message.say === 'open') {
      this.#open.set(child, index);
      this.#opening.get(child)?.();
      this.#opening.delete(child);
    } else this.#started(child, index);
  }

  #started(child: ChildProcess, index: number): void {
    if (index === 1) this.#hasBegun = true;
    if (this.#hasBegun) for (const to of index === 1 ? this.#children() : [child]) send(to, { say: 'begin' });
    if (!this.#starting.delete(index) || this.#starting.size > 0) return;
    for (const to of this.#children()) send(to, { say: 'complete' });
  }

  #children(): ChildProcess[] {
    return this.#workers.map((worker) => worker.child);
  }

  /** The replies of all workers that accept connections and have something to say. */
  async ask(question: string): Promise<readonly string[]> {
    const replies = await Promise.all([...this.#open.keys()].map((child) => this.#ask(child, question)));
    return replies.filter((text) => text !== undefined);
  }

  async #askOthers(asking: ChildProcess, { id, question, text: sent }: FromWorker & { say: 'ask' }): Promise<void> {
    const replies = [...this.#open].flatMap(([child, worker]) =>
      child === asking ? [] : [this.#ask(child, question, sent).then((text) => ({ worker, text }))],
    );
    const all = await Promise.all(replies);
    send(asking, {
      say: 'replies',
      id,
      replies: all.filter((reply): reply is WorkerReply => reply.text !== undefined),
    });
  }

  /** Resolves to undefined when there is no reply in time, or the worker ends. */
  #ask(child: ChildProcess, question: string, text = ''): Promise<string | undefined> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const replied = (reply: string | undefined) => {
        clearTimeout(timer);
        this.#questions.delete(id);
        resolve(reply);
      };
      const timer = setTimeout(replied, replyMs, undefined);
      this.#questions.set(id, { child, replied });
      send(child, { say: 'question', id, question, text });
    });
  }
}

function send(child: ChildProcess, message: FromPrimary): void {
  // A process that ends closes its channel before it is gone. Whoever waits for its reply is told when it exits.
  if (child.connected) child.send(message, () => undefined);
}

const exitCodeOf = ({ exitCode }: ChildProcess): number => exitCode ?? 1;

/**
 * Runs the workers of a service until SIGTERM, SIGINT or the end of the parent process. SIGHUP replaces them one by one. Resolves to the exit code:
 * that of the first worker if it cannot start, which has said why; otherwise 0.
 */
async function superviseWorkers(options: WorkersOptions): Promise<number> {
  const workers = new Workers(options);
  const stopped = Promise.withResolvers<number>();
  const stop = () => void workers.stop().then(() => stopped.resolve(0), stopped.reject);
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, stop);
  process.on('SIGHUP', () => workers.restart());
  process.on('message', (question) => void replyTo(question, workers));
  process.channel?.unref();
  const failed = await Promise.race([workers.start(), stopped.promise]);
  return failed ?? (await stopped.promise);
}

/** Responds to the parent process: a text is a question to all workers. */
async function replyTo(question: unknown, workers: Workers): Promise<void> {
  if (typeof question !== 'string') return;
  const replies = await workers.ask(question);
  if (process.connected) process.send?.({ replies });
}

/** The memory in bytes that `auto` reserves for each process. */
const processBytes = 512 * 1024 * 1024;

const automaticWorkers = (services: number): number =>
  Math.max(1, Math.min(availableParallelism() - 1, Math.floor(process.availableMemory() / (processBytes * services))));

const mostWorkers = 256;

/**
 * The number of workers that the value of `--workers` means. Undefined if it is none. `auto` means the processors of this machine less one, and at most
 * what fits into the memory that is available, when so many services have as many workers each.
 */
export function workerCount(text: string, services = 1): number | undefined {
  if (text === 'auto') return automaticWorkers(services);
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= mostWorkers ? count : undefined;
}

/** The flag of a service that says how many processes serve it. */
const workersFlag = 'workers';

/** The last value of `--workers` in a command line. */
function requested(argv: readonly string[]): string | undefined {
  const index = argv.findLastIndex((word) => word === `--${workersFlag}` || word.startsWith(`--${workersFlag}=`));
  const [, value = argv[index + 1]] = /=(.*)/s.exec(argv[index] ?? '') ?? [];
  return index < 0 ? undefined : value;
}

/**
 * The main function of a service that several processes may serve: takes its command line, returns the exit code. With `--workers` of more than one
 * this process starts and watches them, and loads nothing of the service; `serve` runs in each of them. A value that is none is left to `serve`.
 */
export async function runService(
  name: string,
  argv: readonly string[],
  serve: (argv: readonly string[], worker: Worker | undefined) => Promise<number>,
): Promise<number> {
  const count = isWorker() ? undefined : workerCount(requested(argv) ?? '1');
  if (count === undefined || count === 1) return serve(argv, joinWorkers());
  const report = (text: string) => void process.stderr.write(`${text}\n`);
  return superviseWorkers({ name, count, argv, report });
}
