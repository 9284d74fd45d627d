import { EventEmitter } from 'node:events';
import { ServerInterceptingCall, status, type ServerInterceptor } from '@grpc/grpc-js';
import { complete, toServiceError, workOf } from './unary.ts';

type Call = Parameters<ServerInterceptor>[1];
type Listener = Parameters<Call['start']>[0];
type Work = NonNullable<ReturnType<typeof workOf>>;

const succeeded = { code: status.OK, details: 'OK', metadata: null };
const oneRequest = { code: status.UNIMPLEMENTED, details: 'the call takes one request', metadata: null };

function forgetListeners(this: EventEmitter): void {
  this.removeAllListeners();
}

/**
 * Removes the listeners of a call's HTTP/2 stream when it closes. V8 keeps the stream until its next collection of the old generation. The listeners
 * refer to the call, its request and its response, which are more than half of the memory that young-generation collections would copy with the
 * stream.
 */
function forgetAfterEnd(call: Call): void {
  if ('stream' in call && call.stream instanceof EventEmitter) call.stream.once('close', forgetListeners);
}

/** A call with one request and one response that handles the events of its client directly, instead of using the library's handler. */
class UnaryCall extends ServerInterceptingCall implements Listener {
  readonly #call: Call;
  readonly #work: Work;
  #request: unknown;

  constructor(call: Call, work: Work) {
    super(call);
    this.#call = call;
    this.#work = work;
  }

  override start(): void {
    forgetAfterEnd(this.#call);
    this.#call.start(this);
  }

  onReceiveMetadata(): void {
    this.#call.startRead();
  }

  onReceiveMessage(request: unknown): void {
    if (this.#request !== undefined) {
      this.#call.sendStatus(oneRequest);
      return;
    }
    this.#request = request;
    this.#call.startRead();
  }

  onReceiveHalfClose(): void {
    const request = this.#request;
    if (request === undefined) {
      this.#call.sendStatus(oneRequest);
      return;
    }
    // Released here, because objects that a call refers to stay in memory for a while after the call has ended.
    this.#request = undefined;
    complete(
      this.#work,
      request,
      (response) => {
        this.#succeed(response);
      },
      (error) => {
        this.#call.sendStatus({ ...toServiceError(error), metadata: null });
      },
    );
  }

  onCancel(): void {
    // A write that has begun is completed, whether or not the client still waits.
  }

  #succeed(response: unknown): void {
    this.#call.sendMessage(response, () => {
      this.#call.sendStatus(succeeded);
    });
  }
}

/**
 * Serves the calls of `handlers` (by path) that `unary` created. The library's own handling creates a Node stream for each call, which costs time.
 * In addition, V8 frees such a stream only at its next collection of the old generation: Node stores a function that refers to the stream in it
 * (`WritableState.onwrite`), and V8 allocates functions that are assigned to properties in the old generation.
 */
export const unaryInterceptor =
  (handlers: ReadonlyMap<string, object>): ServerInterceptor =>
  ({ path }, call) => {
    const handler = handlers.get(path);
    const work = handler === undefined ? undefined : workOf(handler);
    return work === undefined ? new ServerInterceptingCall(call) : new UnaryCall(call, work);
  };
