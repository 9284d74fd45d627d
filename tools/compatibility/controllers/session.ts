import type { Recording } from '../../comparison/recording.ts';
import { isOk } from '../../servers/get.ts';
import type { Cluster } from './cluster.ts';
import { Program } from './program.ts';

export interface Step {
  readonly name: string;
  run(record: Recording): Promise<void>;
}

/** What is done with one controller, or with several that belong together. */
export interface Session {
  readonly name: string;
  /** The controllers that run. Complete after `start`. */
  readonly programs: readonly Program[];
  /** Installs the controllers with their accounts, and waits until they are ready. */
  start(): Promise<void>;
  /** What is done with them, in order. Every step records what they did, and is measured. */
  readonly steps: readonly Step[];
  /** After a restart of the API server: makes an object and waits until they have reconciled it. */
  goOn(record: Recording): Promise<void>;
  stop(): Promise<void>;
}

/** A session with programs that run outside of the cluster. */
export abstract class ControllerSession implements Session {
  abstract readonly name: string;
  abstract readonly steps: readonly Step[];
  readonly programs: Program[] = [];
  protected readonly cluster: Cluster;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  abstract start(): Promise<void>;
  abstract goOn(record: Recording): Promise<void>;

  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
  }

  /** Starts a program, and waits until it is ready: until its page returns 200, or the condition holds. */
  protected async run(
    name: string,
    [file = '', ...args]: readonly string[],
    ready: string | (() => Promise<boolean>),
    environment?: Readonly<{ [name: string]: string }>,
  ): Promise<void> {
    const program = new Program(name, file, args, this.cluster.logFile(name), environment);
    this.programs.push(program);
    await program.until(typeof ready === 'string' ? isOk(ready) : ready);
  }
}
