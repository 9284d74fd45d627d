import type { StreamRequest } from './session.ts';

/** Why a request has no answer: the peer has not looked at it, it took too long, or nobody knows. */
export type StreamFailure = 'refused' | 'timeout' | 'cut off';

export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly failure: StreamFailure;
  constructor(failure: StreamFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

export interface Answer {
  readonly headers: ReadonlyMap<string, string>;
  /** undefined = none came. */
  readonly trailers: ReadonlyMap<string, string> | undefined;
  readonly body: readonly Buffer[];
}

/** One request of a session, and what has come of its answer. */
export class Http2Stream {
  readonly request: StreamRequest;
  readonly body: Buffer[] = [];
  /** 0 until the request is sent. */
  id = 0;
  /** Bytes of the body that are sent, and how many more the peer takes. */
  sent = 0;
  sendWindow = 0;
  /** Bytes that the peer has not been told to send anew. */
  received = 0;
  timer: NodeJS.Timeout | undefined;
  #headers: ReadonlyMap<string, string> | undefined;
  #trailers: ReadonlyMap<string, string> | undefined;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: StreamError) => void;

  constructor(request: StreamRequest, resolve: (answer: Answer) => void, reject: (error: StreamError) => void) {
    this.request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  take(headers: ReadonlyMap<string, string>): void {
    if (this.#headers === undefined) this.#headers = headers;
    else this.#trailers = headers;
  }

  succeed(): void {
    clearTimeout(this.timer);
    if (this.#headers === undefined) this.#reject(new StreamError('cut off', 'the answer has no headers'));
    else this.#resolve({ headers: this.#headers, trailers: this.#trailers, body: this.body });
  }

  fail(error: StreamError): void {
    clearTimeout(this.timer);
    this.#reject(error);
  }
}
