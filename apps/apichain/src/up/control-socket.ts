import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { StartupError } from '@apichain/chain/setup';
import { errorMessage, hasErrorCode, isRecord, listenPrivately } from '@apichain/meta';

/** A command that another process sent to the chain of this process. */
export interface ControlRequest {
  /** Prints lines there, and ends the command. */
  done(lines: readonly string[]): void;
  /** Ends the command there with one line and the exit code 1. */
  fail(message: string): void;
}

const reset = 'reset';
const commandTimeoutMs = 5_000;

/** Takes commands for the chain of this process, one at a time, at a Unix socket that only this user can reach. */
export class ControlSocket {
  readonly #path: string;
  readonly #server: Server;
  #waiting: ((request: ControlRequest) => void) | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Throws Node's error when the socket cannot be made. */
  async listen(): Promise<void> {
    // That of a chain that was killed.
    rmSync(this.#path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.once('listening', resolve);
      listenPrivately(this.#server, { path: this.#path });
    });
    // It does not keep the process.
    this.#server.unref();
  }

  /** Resolves with the next `reset`. What comes while nobody waits is refused. */
  nextReset(): Promise<ControlRequest> {
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  /** Refuses what comes, until `nextReset` is called again. */
  stopWaiting(): void {
    this.#waiting = undefined;
  }

  close(): void {
    this.#server.close();
    rmSync(this.#path, { force: true });
  }

  #serve(socket: Socket): void {
    // The command may have been interrupted. The chain goes on.
    socket.on('error', () => socket.destroy());
    const send = (message: ControlMessage) => socket.end(`${JSON.stringify(message)}\n`);
    const request: ControlRequest = {
      done: (lines) => send({ lines }),
      fail: (error) => send({ error }),
    };
    // What says nothing must not keep the process.
    socket.setTimeout(commandTimeoutMs, () => socket.destroy());
    socket.once('data', (command: Buffer) => {
      socket.setTimeout(0);
      const waiting = this.#waiting;
      if (command.toString() !== reset) request.fail('the only command is reset');
      else if (waiting === undefined) request.fail('the chain is starting, stopping or being reset: try again');
      else {
        this.#waiting = undefined;
        waiting(request);
      }
    });
  }
}

interface ControlMessage {
  readonly lines?: readonly string[];
  readonly error?: string;
}

/**
 * Lets the chain that listens at the socket reset itself. Returns the lines that it says. Throws StartupError with the reason when it does not, or when
 * nothing listens there.
 */
export async function requestReset(path: string): Promise<readonly string[]> {
  const socket = connect(path);
  socket.write(reset);
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch (error) {
    const isAbsent = hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ECONNREFUSED');
    throw new StartupError(isAbsent ? `no chain takes commands at ${path}` : errorMessage(error));
  }
  const message: unknown = text === '' ? undefined : JSON.parse(text);
  if (!isRecord(message)) throw new StartupError('the chain ended before it was reset');
  const { lines, error } = message;
  if (typeof error === 'string') throw new StartupError(error);
  return Array.isArray(lines) ? lines.map(String) : [];
}
