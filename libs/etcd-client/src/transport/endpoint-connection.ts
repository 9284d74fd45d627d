import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { grpcStatus, isGrpcStatus } from '@apichain/etcd-api';
import { errorMessage, TurnBatch } from '@apichain/meta';
import { EtcdError, neverSent } from '../etcd-error.ts';
import type { PooledClient } from './etcd-pool.ts';
import type { MessageStream, StreamHandlers, StreamRequest, UnaryRequest } from './etcd-transport.ts';
import { SilenceWatch } from './silence-watch.ts';
import { StreamGuard } from './stream-guard.ts';

/** The gRPC connectivity states used here, as constants, because the library is loaded on demand elsewhere. */
const READY = 2;
const TRANSIENT_FAILURE = 3;
const SHUTDOWN = 4;

const statusPath = '/etcdserverpb.Maintenance/Status';
/**
 * Timeout of the status call that tests whether the endpoint is alive, in milliseconds. Any call would do. The library keeps the call no longer than
 * this.
 */
const askTimeout = 10_000;
const noMessage = Buffer.alloc(0);

/** Requests and responses are already encoded. */
const asIs = (bytes: Buffer): Buffer => bytes;

/**
 * Continues the writers whose responses arrive in the same event loop turn together. Without this a create takes 1.17 times the processor time in
 * kube-core with 64 writers ("CREATE pods" of `npm run bench`; docs/benchmarks-parts.md, "What the tuning buys").
 */
const delivered = new TurnBatch();

/**
 * The library captures a stack trace for every call, in case the call fails. apichain's errors have stack traces already, and capturing costs 5% of
 * a write.
 */
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
/** The message of a member that can serve requests again at once. */
const leaderChanged = 'etcdserver: leader changed';

/** The library throws when its client was closed in the meantime. */
function startCall<Call>(start: () => Call): Call {
  try {
    return start();
  } catch (error) {
    throw neverSent(errorMessage(error));
  }
}

type ResponseCallback = (error: ServiceError | null, response?: Buffer) => void;

const request = ({ client, metadata }: PooledClient, call: UnaryRequest, callback: ResponseCallback) =>
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

/** Why a client cannot connect. A call fails at once with the reason. */
const failureToConnect = (client: PooledClient, timeout: number): Promise<EtcdError> =>
  new Promise((resolve) => {
    request(client, { path: statusPath, message: noMessage, timeout }, (error) => {
      resolve(neverSent(error?.details.replace(/^No connection established\. (Last error: )?/, '') ?? 'try again'));
    });
  });

/** Waits until a client is connected. Throws EtcdError after one failed attempt, or after `timeout` milliseconds; no request has been sent then. */
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
  /** Whether to abandon an endpoint that stops responding; only useful when there is another endpoint. */
  readonly watchSilence: boolean;
}

/** A connection to one endpoint of possibly several. It is used until it fails. */
export class EndpointConnection {
  readonly #lent: PooledClient;
  readonly #channel: { getConnectivityState(tryToConnect: boolean): number };
  readonly #silence: SilenceWatch | undefined;
  readonly #underWay = new Set<{ cancel(): void }>();
  /** Why all calls under way were cancelled. */
  #abandoned: EtcdError | undefined;
  #left = false;
  /** Calls are numbered: these are the number of the newest call, and of the newest call that was answered. */
  #newest = 0;
  #newestAnswered = 0;

  constructor(lent: PooledClient, { watchSilence }: EndpointConnectionOptions) {
    this.#lent = lent;
    this.#channel = lent.client.getChannel();
    if (!watchSilence) return;
    this.#silence = new SilenceWatch({
      ask: () => this.#ask(),
      onSilent: () => this.abandon(new EtcdError(grpcStatus.UNAVAILABLE, 'the etcd endpoint has stopped responding')),
    });
  }

  /** Whether a call would be sent at once. */
  get isUsable(): boolean {
    return !this.#left && this.#channel.getConnectivityState(false) === READY;
  }

  /** Resolves with the encoded response. Throws EtcdError. Responses that arrive in the same turn are delivered together. */
  call(call: UnaryRequest): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const number = ++this.#newest;
      const started = startCall(() =>
        request(this.#lent, call, (error, response) => {
          this.#end(started);
          if (error === null && response !== undefined) {
            this.#heard(number);
            delivered.add(() => resolve(response));
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

  /** Accepts no more calls. Calls under way continue. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#lent.discard();
  }

  /** Accepts no more calls because of a failure; the next connection uses another endpoint, if there is one. Calls under way continue. */
  fail(cause: EtcdError): void {
    if (this.#left) return;
    this.#left = true;
    this.#lent.fail(cause.message);
  }

  /** Accepts no more calls. Calls under way fail with `cause`; whether etcd has applied them is unknown. */
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

  /** Records a failure, and stops using the endpoint if the endpoint caused it. */
  #failed(number: number, error: ServiceError | null): EtcdError {
    const failure = this.#abandoned ?? (error === null ? endedByServer() : toEtcdError(error));
    if (isFromServer(failure)) this.#heard(number);
    if (this.#isToBlame(number, failure)) this.fail(failure);
    return failure;
  }

  #isToBlame(number: number, failure: EtcdError): boolean {
    if (failure.code !== grpcStatus.UNAVAILABLE && failure.code !== grpcStatus.DEADLINE_EXCEEDED) return false;
    if (failure.code === grpcStatus.UNAVAILABLE && !isFromServer(failure)) return true;
    // A timeout, or an error of the cluster, is not a fault of an endpoint that has answered later calls.
    return this.#newestAnswered <= number && failure.message !== leaderChanged;
  }

  #ask(): void {
    // A closed client cannot ask, and the library would throw: calls still under way hear from the endpoint by themselves, or are abandoned.
    if (this.#channel.getConnectivityState(false) === SHUTDOWN) return;
    request(this.#lent, { path: statusPath, message: noMessage, timeout: askTimeout }, (error) => {
      if (error === null || isFromServer(toEtcdError(error))) this.#silence?.heard();
    });
  }
}

/** Messages of grpc-js for calls that did not reach the server or that the server did not process. */
const neverSentTexts = [
  'Stream refused by server',
  'Failed to start HTTP/2 stream',
  'Channel closed before call started',
];

/** Converts a failed call to an EtcdError; `wasNeverSent` tells whether the call may be repeated. */
function toEtcdError({ code: given, details }: ServiceError): EtcdError {
  const code: number = given;
  if (neverSentTexts.some((text) => details.startsWith(text))) return neverSent(details);
  const wasCutOff = code === grpcStatus.CANCELLED || details.startsWith('Received RST_STREAM');
  if (wasCutOff) return new EtcdError(grpcStatus.UNAVAILABLE, `the call was cut off: ${details}`);
  return new EtcdError(isGrpcStatus(code) ? code : grpcStatus.UNKNOWN, details);
}

/** Whether a failure comes from a running etcd, rather than a failure of the connection. */
const isFromServer = ({ code, message }: EtcdError): boolean =>
  message.startsWith('etcdserver: ') ||
  (code !== grpcStatus.UNAVAILABLE && code !== grpcStatus.DEADLINE_EXCEEDED && code !== grpcStatus.CANCELLED);
