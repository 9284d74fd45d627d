import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { grpcStatus } from '@apichain/embedded-etcd/grpc-status';
import { errorMessage, TurnBatch } from '@apichain/meta';
import { EtcdError, neverSent } from './etcd-error.ts';
import type { PooledClient } from './etcd-pool.ts';
import type { MessageStream, StreamHandlers, StreamRequest, UnaryRequest } from './etcd-transport.ts';
import { isAnswer, toEtcdError } from './grpc-failure.ts';
import { SilenceWatch } from './silence-watch.ts';
import { StreamGuard } from './stream-guard.ts';

/** gRPC's connectivity states that matter here; the library itself is loaded elsewhere. */
const READY = 2;
const TRANSIENT_FAILURE = 3;
const SHUTDOWN = 4;

const statusPath = '/etcdserverpb.Maintenance/Status';
/** Any call serves to ask; the library bounds what it keeps. */
const askTimeout = 10_000;
const noMessage = Buffer.alloc(0);

/** Requests and answers are encoded already. */
const asIs = (bytes: Buffer): Buffer => bytes;

/**
 * Writers whose answers come in one turn go on together. Without it a create takes kube-core 1.17 times the processor time with 64 writers ("CREATE
 * pods" of `npm run bench`; docs/benchmarks.md, "What the tuning buys").
 */
const answered = new TurnBatch();

/** The library notes the stack of every caller, in case the call fails; our errors have their own, and it costs 5% of a write. */
function withoutStack<Result>(start: () => Result): Result {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return start();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

const endedByServer = () => new EtcdError(grpcStatus.UNAVAILABLE, 'the server ended the stream');
/** What a member says that serves again at once. */
const leaderChanged = 'etcdserver: leader changed';

/** The library throws where its client has been closed in between. */
function startCall<Call>(start: () => Call): Call {
  try {
    return start();
  } catch (error) {
    throw neverSent(errorMessage(error));
  }
}

type AnswerCallback = (error: ServiceError | null, answer?: Buffer) => void;

const request = ({ client, metadata }: PooledClient, call: UnaryRequest, callback: AnswerCallback) =>
  withoutStack(() =>
    client.makeUnaryRequest(
      call.path,
      asIs,
      asIs,
      call.message,
      metadata,
      { deadline: Date.now() + call.timeout },
      callback,
    ),
  );

/** Why a client cannot connect: a call says so at once. */
const failureToConnect = (client: PooledClient, timeout: number): Promise<EtcdError> =>
  new Promise((resolve) => {
    request(client, { path: statusPath, message: noMessage, timeout }, (error) => {
      resolve(neverSent(error?.details.replace(/^No connection established\. (Last error: )?/, '') ?? 'try again'));
    });
  });

/** Connects a client. Throws EtcdError after one attempt that failed, or `timeout` milliseconds; nothing has been sent then. */
export async function untilReady(lent: PooledClient, timeout: number): Promise<void> {
  const channel = lent.client.getChannel();
  const deadline = Date.now() + timeout;
  for (;;) {
    const state: number = channel.getConnectivityState(true);
    if (Date.now() >= deadline) throw neverSent('timed out');
    if (state === READY) return;
    if (state === TRANSIENT_FAILURE) throw await failureToConnect(lent, timeout);
    if (state === SHUTDOWN) throw neverSent('the connection is closed');
    await new Promise<void>((resolve, reject) => {
      channel.watchConnectivityState(state, deadline, (late) => {
        if (late === undefined) resolve();
        else reject(neverSent('timed out'));
      });
    });
  }
}

export interface EndpointConnectionOptions {
  /** Whether an endpoint from which nothing comes is given up: with another one to go to. */
  readonly watchSilence: boolean;
}

/** A connection to one endpoint, of which there may be several: it is used until it fails. */
export class EndpointConnection {
  readonly #lent: PooledClient;
  readonly #channel: { getConnectivityState(tryToConnect: boolean): number };
  readonly #silence: SilenceWatch | undefined;
  readonly #underWay = new Set<{ cancel(): void }>();
  /** Why everything under way was cancelled. */
  #abandoned: EtcdError | undefined;
  #left = false;
  /** Calls are numbered: the number of the newest, and of the newest one that was answered. */
  #newest = 0;
  #newestAnswered = 0;

  constructor(lent: PooledClient, { watchSilence }: EndpointConnectionOptions) {
    this.#lent = lent;
    this.#channel = lent.client.getChannel();
    if (!watchSilence) return;
    this.#silence = new SilenceWatch({
      ask: () => this.#ask(),
      onSilent: () => this.abandon(new EtcdError(grpcStatus.UNAVAILABLE, 'the etcd endpoint has stopped answering')),
    });
  }

  /** Whether a call would be sent at once. */
  get isUsable(): boolean {
    return !this.#left && this.#channel.getConnectivityState(false) === READY;
  }

  /** Resolves with the encoded answer. Throws EtcdError. Answers that come in the same turn are handed on together. */
  call(call: UnaryRequest): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const number = ++this.#newest;
      const started = startCall(() =>
        request(this.#lent, call, (error, answer) => {
          this.#end(started);
          if (error === null && answer !== undefined) {
            this.#heard(number);
            answered.add(() => resolve(answer));
          } else reject(this.#failed(number, error));
        }),
      );
      this.#begin(started);
    });
  }

  stream({ path, metadata }: StreamRequest, handlers: StreamHandlers): MessageStream {
    const all = this.#lent.metadata.clone();
    for (const [name, value] of Object.entries(metadata)) all.set(name, value);
    const stream: ClientDuplexStream<Buffer, Buffer> = startCall(() =>
      this.#lent.client.makeBidiStreamRequest(path, asIs, asIs, all),
    );
    const number = ++this.#newest;
    const guard = new StreamGuard(handlers, () => stream.cancel());
    const end = (error: ServiceError | null) => {
      this.#end(stream);
      if (!guard.isOver) guard.end(this.#failed(number, error));
    };
    stream.on('data', (message: Buffer) => {
      this.#heard(number);
      guard.message(message);
    });
    stream.on('error', (error: ServiceError) => end(error));
    stream.on('end', () => end(null));
    this.#begin(stream);
    return {
      write: (message) => {
        if (!guard.isOver) stream.write(message);
      },
      pause: () => {
        stream.pause();
      },
      resume: () => {
        stream.resume();
      },
      cancel: () => {
        guard.over();
        stream.cancel();
      },
    };
  }

  /** Takes no more calls. Those under way go on. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#lent.discard();
  }

  /** Takes no more calls because of a failure: the next connection is to another endpoint, if there is one. Those under way go on. */
  fail(cause: EtcdError): void {
    if (this.#left) return;
    this.#left = true;
    this.#lent.fail(cause.message);
  }

  /** Takes no more calls, and those under way fail with `cause`: whether they have happened is not known. */
  abandon(cause: EtcdError): void {
    this.#abandoned ??= cause;
    this.fail(cause);
    this.#silence?.stop();
    for (const call of [...this.#underWay]) call.cancel();
  }

  #begin(call: { cancel(): void }): void {
    this.#underWay.add(call);
    this.#silence?.begin();
  }

  #end(call: { cancel(): void }): void {
    if (this.#underWay.delete(call)) this.#silence?.end();
  }

  #heard(number: number): void {
    if (number > this.#newestAnswered) this.#newestAnswered = number;
    this.#silence?.heard();
  }

  /** Notes a failure, and leaves the endpoint when it is to blame. */
  #failed(number: number, error: ServiceError | null): EtcdError {
    const failure = this.#abandoned ?? (error === null ? endedByServer() : toEtcdError(error));
    if (isAnswer(failure)) this.#heard(number);
    if (this.#isToBlame(number, failure)) this.fail(failure);
    return failure;
  }

  #isToBlame(number: number, failure: EtcdError): boolean {
    if (failure.code !== grpcStatus.UNAVAILABLE && failure.code !== grpcStatus.DEADLINE_EXCEEDED) return false;
    if (failure.code === grpcStatus.UNAVAILABLE && !isAnswer(failure)) return true;
    // A call that took too long, or that the cluster could not serve, says nothing of an endpoint that has answered later ones.
    return this.#newestAnswered <= number && failure.message !== leaderChanged;
  }

  #ask(): void {
    request(this.#lent, { path: statusPath, message: noMessage, timeout: askTimeout }, (error) => {
      if (error === null || isAnswer(toEtcdError(error))) this.#silence?.heard();
    });
  }
}
