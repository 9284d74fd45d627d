import { accessSync, constants } from 'node:fs';
import { Process, waitFor } from '../../servers/process.ts';

const readyTimeoutMs = 120_000;
const restartMs = 1_000;

/** A controller that runs in the background. */
export class Program {
  readonly name: string;
  readonly #process: Process;
  #startedAt = 0;
  /** How often the program ended by itself and was started again. */
  restarts = 0;

  /** Starts the program. Throws Error when the file cannot be executed. */
  constructor(
    name: string,
    file: string,
    args: readonly string[],
    logFile: string,
    environment?: Readonly<Record<string, string>>,
  ) {
    accessSync(file, constants.X_OK);
    this.name = name;
    this.#process = new Process([file, ...args], logFile, environment);
    this.#start();
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
    await waitFor(holds, readyTimeoutMs, () => `${this.name} is not ready\n${this.#process.lastLines}`);
  }

  /** Starts the program again if it has ended, but not more than once a second. */
  startAgain(): void {
    if (this.#process.failure === undefined || performance.now() - this.#startedAt < restartMs) return;
    this.restarts += 1;
    this.#start();
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  /** Ends the program in the middle of what it does, as `kill -9`. */
  kill(): Promise<void> {
    return this.#process.stop('SIGKILL');
  }

  get log(): string {
    return this.#process.log;
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.#process.start();
  }
}
