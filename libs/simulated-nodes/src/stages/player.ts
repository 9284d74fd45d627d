import { dynamicValue, Timestamp } from '@apichain/cel';
import {
  type Informer,
  objectKey,
  type ResourceReference,
  type RestClient,
  runUntilAborted,
  WorkQueue,
} from '@apichain/client';
import { type StatusError, currentTime, isStatusError, type KubeObject, random } from '@apichain/meta';
import { errorText, type Logger, OnceLogger } from '../log.ts';
import type { Action, Patch } from './actions.ts';
import type { Actor, Actors } from './actors.ts';
import type { CompiledStage } from './compile.ts';
import type { Scope } from './scope.ts';
import { StageError } from './stage-error.ts';

/** What a player plays. */
interface PlayerOptions {
  readonly resource: ResourceReference;
  readonly informer: Informer;
  readonly stages: readonly CompiledStage[];
  readonly actors: Actors;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** How many objects are written at a time. */
  readonly workers: number;
}

/** What is remembered of an object for which something is to be done. */
interface Progress {
  stage?: CompiledStage | undefined;
  /** When the stage was chosen, and when it is reached, in milliseconds since the epoch. */
  since: number;
  due: number;
  /** The response to the last write, until the informer has it. */
  latest?: KubeObject | undefined;
  /** The version of the object at which the stage has changed nothing, or has been refused. */
  fruitless?: { readonly stage: CompiledStage; readonly version: string | undefined } | undefined;
  /** How many stages without a delay were reached one after the other. */
  rapid: number;
}

/** Stages without a delay beyond this number wait, so that a stage that selects its own result does not take the processor. */
const mostRapid = 100;
const rapidPauseMs = 1_000;

/** Plays the stages of one resource: chooses a stage for each object, waits, does what it says, and chooses again. */
export class StagePlayer {
  readonly #options: PlayerOptions;
  readonly #once: OnceLogger;
  readonly #queue = new WorkQueue({ baseDelayMs: 50, maxDelayMs: 30_000 });
  readonly #progress = new Map<string, Progress>();

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#once = new OnceLogger(options.log);
    const add = (object: KubeObject) => this.#queue.add(objectKey(object));
    options.informer.addHandlers({ onAdd: add, onUpdate: add, onDelete: add });
  }

  /** Looks at an object again, when something else than the object has changed. */
  revisit(key: string): void {
    this.#queue.add(key);
  }

  /** Resolves when the signal has aborted and no write is under way. */
  run(): Promise<void> {
    const { signal, workers, log } = this.#options;
    return runUntilAborted(signal, {
      queue: this.#queue,
      workers,
      reconcile: (key) => this.#sync(key),
      onError: (key, error) => log.error('simulation failed, will be tried again', { key, error: errorText(error) }),
    });
  }

  async #sync(key: string): Promise<void> {
    for (;;) {
      const progress = this.#progress.get(key) ?? { since: 0, due: 0, rapid: 0 };
      const object = this.#newest(key, progress);
      const actor = object === undefined ? undefined : this.#options.actors.of(object);
      if (object === undefined || actor === undefined) return this.#forget(key, object ?? progress.latest);
      const scope = scopeOf(object, actor);
      const stage = this.#advance(progress, scope);
      if (stage === undefined) {
        if (progress.latest === undefined && progress.fruitless === undefined) this.#progress.delete(key);
        else this.#progress.set(key, progress);
        this.#options.actors.forget?.(object);
        return;
      }
      this.#progress.set(key, progress);
      if (progress.due > scope.now)
        return this.#queue.addAfter(key, progress.due - scope.now, stage.isRenewal ? 'renewal' : 'schedule');
      const goesOn = await this.#reach(stage, progress, scope, actor);
      progress.stage = undefined;
      if (!goesOn) return;
    }
  }

  #forget(key: string, object: KubeObject | undefined): void {
    this.#progress.delete(key);
    if (object !== undefined) this.#options.actors.forget?.(object);
  }

  /** The object as the informer has it, or as the last write has returned it, if that is newer. */
  #newest(key: string, progress: Progress): KubeObject | undefined {
    const seen = this.#options.informer.get(key);
    const { latest } = progress;
    if (
      seen === undefined ||
      latest === undefined ||
      latest.metadata.uid !== seen.metadata.uid ||
      !isNewer(latest, seen)
    )
      progress.latest = undefined;
    return progress.latest ?? seen;
  }

  /** Chooses the next stage, or keeps the chosen one while it selects the object. */
  #advance(progress: Progress, scope: Scope): CompiledStage | undefined {
    const { resourceVersion } = scope.object.metadata;
    const { fruitless } = progress;
    if (fruitless !== undefined && fruitless.version !== resourceVersion) progress.fruitless = undefined;
    const matching = this.#options.stages.filter(
      (stage) => stage !== progress.fruitless?.stage && this.#evaluated(stage, () => stage.matches(scope)) === true,
    );
    const kept = progress.stage !== undefined && matching.includes(progress.stage);
    if (!kept) {
      progress.stage = this.#evaluated(matching[0], () => chooseStage(matching, scope));
      progress.since = scope.now;
    }
    const { stage } = progress;
    const reached = this.#evaluated(stage, () => stage?.due(scope, progress.since));
    if (stage === undefined || reached === undefined) return undefined;
    if (!kept || reached.isFixed) progress.due = reached.due;
    if (!kept && progress.due > scope.now) progress.rapid = 0;
    if (!kept && progress.due <= scope.now && ++progress.rapid > mostRapid) {
      this.#once.error(
        `stage ${stage.name}: reached again and again without a delay; each further time waits a second`,
      );
      progress.due = scope.now + rapidPauseMs;
    }
    return stage;
  }

  /** Undefined, and a line in the log, when an expression cannot be evaluated. */
  #evaluated<Result>(stage: CompiledStage | undefined, evaluate: () => Result): Result | undefined {
    try {
      return evaluate();
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
      this.#once.error(`stage ${stage?.name ?? ''}: ${errorText(error)}`);
      return undefined;
    }
  }

  /** Does what a stage says. Resolves to whether the next stage is to be chosen at once. */
  async #reach(stage: CompiledStage, progress: Progress, scope: Scope, actor: Actor): Promise<boolean> {
    let object = scope.object;
    const fruitless = { stage, version: object.metadata.resourceVersion };
    try {
      for (const action of stage.actions) {
        const written = await this.#do(action, { ...scope, object }, actor);
        if (written === 'gone') return false;
        object = written;
      }
    } catch (error) {
      if (isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict')) return false;
      if (!(error instanceof StageError) && !isRefusal(error)) throw error;
      this.#once.error(`stage ${stage.name}: ${errorText(error)}`);
      progress.fruitless = fruitless;
      return true;
    }
    if (object.metadata.resourceVersion === fruitless.version) progress.fruitless = fruitless;
    else progress.latest = object;
    return stage.isNextImmediate || progress.fruitless !== undefined;
  }

  async #do(action: Action, scope: Scope, actor: Actor): Promise<KubeObject | 'gone'> {
    const { object } = scope;
    const { name = '', namespace, uid, finalizers = [], resourceVersion } = object.metadata;
    const ref = namespace === undefined ? this.#options.resource : { ...this.#options.resource, namespace };
    switch (action.does) {
      case 'events':
        for (const event of action.events(scope)) actor.record(object, event);
        return object;
      case 'delete':
        await actor.client.delete(ref, name, { gracePeriodSeconds: 0, preconditions: { uid } });
        return 'gone';
      case 'finalizers': {
        const { add, remove, empty } = action;
        const kept = empty ? [] : (finalizers ?? []).filter((finalizer) => !remove.includes(finalizer));
        const changed = [...new Set([...kept, ...add])];
        if (changed.join() === (finalizers ?? []).join()) return object;
        const metadata = { finalizers: changed.length === 0 ? null : changed, resourceVersion };
        const patched = await actor.client.patch(ref, name, 'merge', { metadata });
        return isGone(patched) ? 'gone' : patched;
      }
      case 'patch':
        return this.#patch(action.patch(scope), ref, object, actor.client);
    }
  }

  async #patch(patch: Patch, ref: ResourceReference, object: KubeObject, client: RestClient): Promise<KubeObject> {
    const { type = 'merge', subresource, username, body } = patch;
    const { name = '', uid } = object.metadata;
    const sender = username === undefined ? client : this.#options.actors.as(username);
    // The patch is for this object, not for a later one with its name.
    const whole = type === 'json' ? body : withUid(body as Record<string, unknown>, uid);
    return sender.patch(ref, name, type, whole, subresource === undefined ? {} : { subresource });
  }
}

function scopeOf(object: KubeObject, actor: Actor): Scope {
  const now = currentTime();
  const self = dynamicValue(object);
  const variables = new Map([
    ['self', self],
    ['object', self],
    ['now', new Timestamp(BigInt(Math.floor(now)) * 1_000_000n)],
    ['node', null],
    ['kubelet', null],
    ...Object.entries(actor.variables(object, now)),
  ]);
  return { object, now, variables };
}

const withUid = (body: Record<string, unknown>, uid: string | undefined) => ({
  ...body,
  metadata: { ...(body['metadata'] as object | undefined), uid },
});

/** Whether the first is newer. Resource versions of the same object can be compared. */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  return Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}

/** Whether an object that has lost its last finalizer is deleted. */
const isGone = ({ metadata: { deletionTimestamp, finalizers } }: KubeObject): boolean =>
  deletionTimestamp !== undefined && (finalizers ?? []).length === 0;

/** Whether the server has understood a request and refuses it: to repeat it does not help. */
const isRefusal = (error: unknown): error is StatusError =>
  isStatusError(error) && error.code >= 400 && error.code < 500 && error.code !== 429 && error.code !== 408;

/** Chooses one of the stages that select an object: by weight if any has one, otherwise all are equally likely. Throws StageError. */
export function chooseStage(matching: readonly CompiledStage[], scope: Scope): CompiledStage | undefined {
  const [only] = matching;
  if (matching.length < 2) return only;
  const weights = matching.map((stage) => stage.weight(scope));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return matching[Math.floor(random() * matching.length)];
  let left = random() * total;
  return matching.find((_stage, index) => (left -= weights[index] ?? 0) < 0) ?? matching.at(-1);
}
