import type { IncomingMessage, ServerResponse } from 'node:http';
import { asError } from '@apichain/meta';
import { DeliveryRounds } from '@apichain/storage';
import type { RequestScope } from '@apichain/request';

/** Answers known to be no longer than this are written in one piece with their headers. */
const maxWholeBytes = 256 * 1024;

/** Events of many watches are written in rounds, as the server that makes them delivers them: a write costs the same for one and for ten. */
const rounds = new DeliveryRounds({
  now: () => performance.now(),
  after: (milliseconds, work) => void (milliseconds > 0 ? setTimeout(work, milliseconds) : setImmediate(work)),
  whenIdle: (work) => work(),
});

/** Told what becomes of an answer. */
export interface AnswerReceiver {
  part(bytes: Buffer): void;
  /** All of it is here; `end` of the body is still to be called. */
  end(): void;
  failed(error: Error): void;
}

/** The body of another server's answer on its way to the client, whose head has been set. */
export class AnswerBody {
  readonly #response: ServerResponse;
  readonly #answer: IncomingMessage;
  readonly #receiver: AnswerReceiver;
  readonly #isWhole: boolean;
  readonly #inRounds: boolean;
  #waiting: Buffer[] = [];
  #scheduled = false;

  /** `length` is what the answer announces in bytes, NaN without. */
  constructor(
    scope: RequestScope,
    response: ServerResponse,
    answer: IncomingMessage,
    length: number,
    receiver: AnswerReceiver,
  ) {
    this.#response = response;
    this.#answer = answer;
    this.#receiver = receiver;
    this.#inRounds = scope.longRunning;
    this.#isWhole = !scope.longRunning && length <= maxWholeBytes;
    if (!this.#isWhole) response.writeHead(response.statusCode);
    answer.on('data', (bytes: Buffer) => this.#take(bytes));
    answer.once('end', () => receiver.end());
    answer.once('error', (error) => receiver.failed(error));
    answer.once('close', () => answer.readableEnded || receiver.failed(new Error('the other side broke off')));
    if (!scope.longRunning) return;
    response.flushHeaders();
    scope.initialized();
  }

  #take(bytes: Buffer): void {
    this.#receiver.part(bytes);
    if (this.#isWhole) this.#waiting.push(bytes);
    else if (this.#inRounds) this.#gather(bytes);
    else this.#write(bytes);
  }

  #gather(bytes: Buffer): void {
    this.#waiting.push(bytes);
    if (this.#scheduled) return;
    this.#scheduled = true;
    rounds.schedule(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#write(joined(waiting));
  }

  #write(bytes: Buffer): void {
    const response = this.#response;
    try {
      if (response.writableEnded || response.destroyed || response.write(bytes)) return;
    } catch (error) {
      this.#receiver.failed(asError(error));
      return;
    }
    // Parts that wait behind another are copied together when they are encrypted: they cost less one by one.
    if (this.#answer.isPaused()) return;
    this.#answer.pause();
    response.once('drain', () => this.#answer.resume());
  }

  /** Ends the client's response. */
  end(): void {
    if (this.#isWhole) {
      this.#response.end(this.#waiting.length === 0 ? undefined : joined(this.#waiting));
      return;
    }
    this.#flush();
    this.#response.end();
  }

  /** Gives the client what there is before the answer is broken off. */
  flush(): void {
    if (!this.#isWhole) this.#flush();
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
