import { currentActivity, type KubeObject } from '@apichain/meta';
import { errorText } from '../log.ts';
import type { ControllerObserver } from '../metrics.ts';
import { runUntilAborted, TerminalError, WorkQueue, type Result } from '../work-queue.ts';
import type { Cache } from './cached-client.ts';
import { sourceOf, type Controller, type OwnedSource, type Request, type Source } from './controller.ts';
import { and } from './predicates.ts';
import { keyOf, ownersOf, Reconciler, type Surroundings } from './reconciler.ts';

/** As long as client-go lets a key wait at most. */
const maxDelayMs = 1_000_000;

/** The requests to which an object leads. */
type RequestsFor = (object: KubeObject) => readonly Request[] | Promise<readonly Request[]>;

/** A controller of a manager: its queue, and the events that fill it. */
export class RunningController {
  readonly #controller: Controller;
  readonly #surroundings: Surroundings;
  readonly #observer: ControllerObserver | undefined;
  readonly #queue: WorkQueue;
  readonly #reconciler: Reconciler;

  /** Asks the cache for the informers of its sources, which must not have been started yet. */
  constructor(
    controller: Controller,
    surroundings: Surroundings,
    cache: Cache,
    observer: ControllerObserver | undefined,
  ) {
    const { spec } = controller;
    this.#controller = controller;
    this.#surroundings = surroundings;
    this.#observer = observer;
    this.#queue = new WorkQueue({ maxDelayMs, ...spec.rateLimiter, observer: observer?.queue });
    this.#reconciler = new Reconciler(controller, surroundings);
    const reconciled = sourceOf(spec.for);
    for (const index of spec.indexes ?? []) cache.index(index);
    this.#watch(cache, reconciled, ({ metadata: { namespace = '', name = '' } }) => [{ namespace, name }]);
    for (const owned of spec.owns ?? []) {
      const source: OwnedSource | Source = sourceOf(owned);
      const matchEveryOwner = 'matchEveryOwner' in source && source.matchEveryOwner === true;
      this.#watch(cache, source, (object) => ownersOf(object, reconciled.source, matchEveryOwner));
    }
    for (const source of spec.watches ?? [])
      this.#watch(cache, source, (object) => source.map(object, surroundings.client));
  }

  /** Reconciles until the signal aborts. Resolves when no reconcile runs any more. */
  run(signal: AbortSignal): Promise<void> {
    const { log } = this.#surroundings;
    return runUntilAborted(signal, {
      queue: this.#queue,
      workers: this.#controller.spec.maxConcurrentReconciles ?? 1,
      reconcile: (key) => this.#reconcile(key),
      onError: (key, error) =>
        log.error('Reconciler error', { controller: this.#controller.name, key, error: errorText(error) }),
    });
  }

  /** A queue that is not worked on. */
  shutDown(): void {
    this.#queue.shutDown();
  }

  async #reconcile(key: string): Promise<Result> {
    const began = performance.now();
    const ended = (outcome: Parameters<ControllerObserver['ended']>[0]) =>
      this.#observer?.ended(outcome, (performance.now() - began) / 1_000);
    this.#observer?.began();
    try {
      const result = await this.#reconciler.reconcile(key);
      ended(result.requeueAfter !== undefined ? 'requeue_after' : result.requeue === true ? 'requeue' : 'success');
      return result;
    } catch (error) {
      ended(error instanceof TerminalError ? 'terminal_error' : isFault(error) ? 'panic' : 'error');
      throw error;
    }
  }

  #watch(cache: Cache, { source, predicates = [] }: Source, requestsFor: RequestsFor): void {
    const accepts = and(...predicates);
    const enqueue = (...objects: readonly KubeObject[]) => this.#enqueue(objects, requestsFor);
    const guarded = (handle: () => void) => {
      try {
        handle();
      } catch (error) {
        this.#failed(error);
      }
    };
    for (const informer of cache.watch(source))
      informer.addHandlers({
        onAdd: (object) => guarded(() => accepts.create(object) && enqueue(object)),
        onUpdate: (object, old) => guarded(() => accepts.update(object, old) && enqueue(old, object)),
        onDelete: (object) => guarded(() => accepts.delete(object) && enqueue(object)),
      });
  }

  /** Requests that are known at once are queued at once: an informer reports how far it is when its handlers have returned. */
  #enqueue(objects: readonly KubeObject[], requestsFor: RequestsFor): void {
    const requests = objects.map(requestsFor);
    if (requests.some((each) => 'then' in each)) void this.#addLater(requests);
    else this.#add(requests as readonly (readonly Request[])[]);
  }

  /** A key of both states of an object is added once: a worker may take it at once, and would then work on it again. */
  #add(requests: readonly (readonly Request[])[]): void {
    for (const key of new Set(requests.flat().map(keyOf))) this.#queue.add(key);
  }

  async #addLater(requests: readonly ReturnType<RequestsFor>[]): Promise<void> {
    const end = currentActivity()?.begin(`the requests of ${this.#controller.name}`);
    const known: (readonly Request[])[] = [];
    for (const outcome of await Promise.allSettled(requests.map((each) => Promise.resolve(each))))
      if (outcome.status === 'fulfilled') known.push(outcome.value);
      else this.#failed(outcome.reason);
    this.#add(known);
    end?.();
  }

  #failed(error: unknown): void {
    const { log } = this.#surroundings;
    log.error('an event was not handled', { controller: this.#controller.name, error: errorText(error) });
  }
}

/**
 * Whether the engine threw: a property of undefined, a name that is not there, a stack without an end. Go panics there. Errors of the same classes
 * that Node and libraries throw for what they are given have a code or a cause (`fetch failed`).
 */
function isFault(error: unknown): boolean {
  if (!(error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError)) return false;
  return !('code' in error) && error.cause === undefined;
}
