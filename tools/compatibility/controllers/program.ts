import { accessSync, constants, readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { Process, waitFor } from '../processes.ts';

const readyTimeoutMs = 120_000;
const restartMs = 1_000;

/** A controller that runs in the background. */
export class Program {
  readonly name: string;
  readonly #file: string;
  readonly #args: readonly string[];
  readonly #logFile: string;
  readonly #environment: Readonly<Record<string, string>>;
  #process: Process;
  #startedAt = 0;
  /** How often the program ended by itself and was started again. */
  restarts = 0;

  /** Starts the program. Throws Error when the file cannot be executed. */
  constructor(
    name: string,
    file: string,
    args: readonly string[],
    logFile: string,
    environment: Readonly<Record<string, string>> = {},
  ) {
    accessSync(file, constants.X_OK);
    this.name = name;
    this.#file = file;
    this.#args = args;
    this.#logFile = logFile;
    this.#environment = environment;
    this.#process = this.#start();
  }

  /**
   * Waits until the condition holds. A program that ends is started again, as a kubelet would; the condition must hold in time all the same. Throws
   * Error with the end of the log after two minutes.
   */
  async until(condition: () => Promise<boolean>): Promise<void> {
    const holds = () => {
      this.startAgain();
      return condition();
    };
    const lastLines = () => this.log.trimEnd().split('\n').slice(-5).join('\n');
    await waitFor(holds, readyTimeoutMs, () => `${this.name} is not ready\n${lastLines()}`);
  }

  /** Starts the program again if it has ended, but not more than once a second. */
  startAgain(): void {
    if (this.#process.failure === undefined || performance.now() - this.#startedAt < restartMs) return;
    this.restarts += 1;
    this.#process = this.#start();
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  /** Ends the program in the middle of what it does, as `kill -9`. */
  kill(): Promise<void> {
    return this.#process.stop('SIGKILL');
  }

  get log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  #start(): Process {
    this.#startedAt = performance.now();
    return new Process(this.#file, this.#args, this.#logFile, this.#environment);
  }
}

/** The status and text of a page of a controller, such as /readyz. Undefined while nothing listens. */
export function pageOf(url: string): Promise<{ readonly status: number; readonly text: string } | undefined> {
  return new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    const request = get(url, { agent: false, rejectUnauthorized: false, timeout: 10_000 }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

export const isOk = (url: string) => async (): Promise<boolean> => (await pageOf(url))?.status === 200;
