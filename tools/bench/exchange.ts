import type { Dispatcher } from 'undici';

/*
 * HTTP exchanges without the streams of a client library. With such streams, the load generator takes more processor time than a good
 * server, and the benchmark would measure the limit of the load generator.
 */

export type ExchangeOptions = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'>;

export interface Answer {
  readonly status: number;
  /** Empty if the caller did not request the body and the exchange succeeded. */
  readonly body: Buffer;
}

/** The dispatcher requires this callback. */
const onRequestStart = () => undefined;

/** Resolves when the whole response has arrived. Throws Error when the exchange fails. */
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
  /** Ends the exchange; then `done` resolves. */
  stop(): void;
  /** Resolves when the response has ended. Rejects with Error when it was aborted. */
  readonly done: Promise<void>;
}

/** Resolves when the response headers have arrived. `onChunk` is called with each chunk of the body. Throws Error when there is no response. */
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
