import type { Dispatcher } from 'undici';

/*
 * HTTP exchanges without the streams of a client library: with them the load generator takes more of the processor than
 * a good server, and its own limit is what gets measured.
 */

export type ExchangeOptions = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'>;

export interface Answer {
  readonly status: number;
  /** Empty when nobody asked for it and the exchange went well. */
  readonly body: Buffer;
}

/** The dispatcher insists on it. */
const onRequestStart = () => undefined;

/** Resolves when the whole answer has arrived. Throws Error when it does not. */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions, keepBody: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let keep = keepBody;
    dispatcher.dispatch(options, {
      onRequestStart,
      onResponseStart(_controller, statusCode) {
        status = statusCode;
        keep ||= statusCode >= 400;
      },
      onResponseData(_controller, chunk) {
        if (keep) chunks.push(chunk);
      },
      onResponseEnd() {
        resolve({ status, body: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        reject(error);
      },
    });
  });
}

export interface OpenExchange {
  readonly status: number;
  /** Ends the exchange; `done` resolves. */
  stop(): void;
  /** Resolves when the answer is over. Rejects with Error when it broke off. */
  readonly done: Promise<void>;
}

/** Resolves when the head of the answer has arrived; `onChunk` gets the body as it comes. Throws Error when none arrives. */
export function openExchange(
  dispatcher: Dispatcher,
  options: ExchangeOptions,
  onChunk: (chunk: Buffer) => void,
): Promise<OpenExchange> {
  return new Promise((resolve, reject) => {
    const { promise: done, resolve: end, reject: fail } = Promise.withResolvers<void>();
    let opened = false;
    let stopped = false;
    dispatcher.dispatch(options, {
      onRequestStart,
      onResponseStart(controller, status) {
        opened = true;
        const stop = () => {
          stopped = true;
          controller.abort(new Error('stopped'));
        };
        resolve({ status, stop, done });
      },
      onResponseData(_controller, chunk) {
        onChunk(chunk);
      },
      onResponseEnd() {
        end();
      },
      onResponseError(_controller, error) {
        if (stopped) end();
        else (opened ? fail : reject)(error);
      },
    });
  });
}
