import { setTimeout as delay } from 'node:timers/promises';
import { type Chain, waitFor } from './chain.ts';

/** Makes the parts of a chain open their inspectors on free ports when they receive SIGUSR1. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' } as const;

const listening = /Debugger listening on (ws:\/\/[^\s"]+)/g;
const openMs = 10_000;
/** Objects that are finalized after one collection are freed by the next. */
const collections = 2;

/** Measures the memory that a process still references, through its inspector. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (result: unknown) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (id !== undefined) this.#pending.get(id)?.(result);
    });
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)));
    });
    return new Inspector(socket);
  }

  #call(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const id = ++this.#calls;
    const result = new Promise((resolve) => this.#pending.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return result;
  }

  /** The used memory in bytes. */
  async used(): Promise<number> {
    for (let i = 0; i < collections; i++) {
      await this.#call('HeapProfiler.collectGarbage');
      await delay(50);
    }
    const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
    const { result } = (await this.#call('Runtime.evaluate', { expression })) as { result: { value: number } };
    return result.value;
  }

  close(): void {
    this.#socket.close();
  }
}

/** Measures the memory that the parts of a chain still reference: the heap after garbage collections, and external memory. */
export class CollectedHeaps {
  readonly #inspectors: ReadonlyMap<string, Inspector>;

  private constructor(inspectors: ReadonlyMap<string, Inspector>) {
    this.#inspectors = inspectors;
  }

  /** The chain must have been started with `inspectable` in its environment. */
  static async open(chain: Chain): Promise<CollectedHeaps> {
    const inspectors = new Map<string, Inspector>();
    for (const [name, pid] of Object.entries(chain.pids())) {
      const text = () => `${chain.output()}\n${chain.log(name)}`;
      const before = [...text().matchAll(listening)].length;
      process.kill(pid, 'SIGUSR1');
      let url: string | undefined;
      await waitFor(
        () => (url = [...text().matchAll(listening)][before]?.[1]) !== undefined,
        openMs,
        () => `${name} opens no inspector`,
      );
      if (url !== undefined) inspectors.set(name, await Inspector.open(url));
    }
    return new CollectedHeaps(inspectors);
  }

  /** The used memory in bytes, by name of the part. */
  async used(): Promise<ReadonlyMap<string, number>> {
    const used = new Map<string, number>();
    for (const [name, inspector] of this.#inspectors) used.set(name, await inspector.used());
    return used;
  }

  close(): void {
    for (const inspector of this.#inspectors.values()) inspector.close();
  }
}
