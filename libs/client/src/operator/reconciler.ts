import { deepClone, formatGroupVersion, isStatusError, type KubeObject } from '@apichain/meta';
import { EventRecorder } from '../events/event-recorder.ts';
import { errorText, type Logger } from '../log.ts';
import { controllerReference } from '../owner-references.ts';
import type { RestClient } from '../rest-client.ts';
import type { Result } from '../work-queue.ts';
import { writeStatus } from '../write-status.ts';
import type { CachedClient } from './cached-client.ts';
import {
  sourceOf,
  type Applied,
  type Controller,
  type ReconcileContext,
  type Request,
  type Stored,
} from './controller.ts';
import { containsFinalizer, ensureFinalizer, removeFinalizer } from './finalizers.ts';
import type { KindReference } from './kind.ts';

/** What the controllers of a manager share. */
export interface Surroundings {
  /** Reads from the cache. */
  readonly client: CachedClient;
  /** Reads from the server. */
  readonly apiReader: RestClient;
  readonly log: Logger;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** `namespace/name`, or the name alone: the keys of queues and informers. */
export const keyOf = ({ namespace, name }: Request): string => (namespace === '' ? name : `${namespace}/${name}`);

/** The inverse of `keyOf`. */
export function requestOf(key: string): Request {
  const slash = key.indexOf('/');
  return { namespace: slash < 0 ? '' : key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Reconciles the objects of one controller: reads them, keeps their finalizer and calls the functions of the controller. */
export class Reconciler {
  readonly #controller: Controller;
  readonly #kind: KindReference;
  readonly #surroundings: Surroundings;
  readonly #events: EventRecorder;

  constructor(controller: Controller, surroundings: Surroundings) {
    const { apiReader: client, log, signal } = surroundings;
    this.#controller = controller;
    this.#kind = sourceOf(controller.spec.for).source;
    this.#surroundings = surroundings;
    this.#events = new EventRecorder({
      client,
      component: controller.name,
      signal,
      onError: (error) => log.error('event was not recorded', { error: errorText(error) }),
    });
  }

  /** Reconciles the object of a key. One that is gone needs nothing. */
  async reconcile(key: string): Promise<Result> {
    const { apiReader } = this.#surroundings;
    const { finalizer, reconcilesDeleted = false } = this.#controller.spec;
    const request = requestOf(key);
    const object = await this.#read(request);
    if (object === undefined) return {};
    const reconcile = async (current: KubeObject) =>
      (await this.#controller.reconcile(this.#context(request, current))) ?? {};
    const isGoing = object.metadata.deletionTimestamp !== undefined;
    if (!isGoing) {
      if (finalizer === undefined || containsFinalizer(object, finalizer.name)) return reconcile(object);
      const marked = await ensureFinalizer(apiReader, this.#kind, object, finalizer.name).catch(unlessGone);
      return marked === undefined ? {} : reconcile(marked);
    }
    if (finalizer !== undefined && containsFinalizer(object, finalizer.name)) {
      const result = (await finalizer.finalize(this.#context(request, object))) ?? {};
      if (result.requeue === true || result.requeueAfter !== undefined) return result;
      await removeFinalizer(apiReader, this.#kind, object, finalizer.name);
      return {};
    }
    return reconcilesDeleted ? reconcile(object) : {};
  }

  async #read({ namespace, name }: Request): Promise<KubeObject | undefined> {
    return this.#surroundings.client.get({ ...this.#kind, namespace }, name).catch(unlessGone);
  }

  #context(request: Request, object: KubeObject): ReconcileContext {
    const { client, apiReader, signal } = this.#surroundings;
    let current = object;
    return {
      request,
      // Its status may be changed in place: what is written is compared with that of the original.
      object: deepClone(object) as Stored<KubeObject>,
      client,
      apiReader,
      signal,
      log: this.#log(request),
      apply: (kind, applied) => this.#apply(kind, object, applied),
      updateStatus: async (status) => {
        const next = typeof status === 'function' ? (base: KubeObject) => status(base as Stored<KubeObject>) : status;
        current = (await writeStatus(apiReader, this.#kind, current, next).catch(unlessGone)) ?? current;
      },
      event: (type, reason, message) => this.#events.event(object, type, reason, message),
    };
  }

  #log(request: Request): Logger {
    const { log } = this.#surroundings;
    const about = { controller: this.#controller.name, ...request };
    return {
      info: (message, fields) => log.info(message, { ...about, ...fields }),
      error: (message, fields) => log.error(message, { ...about, ...fields }),
    };
  }

  /** The rules of owners are those of SetControllerReference of controller-runtime. */
  async #apply<Owned extends KubeObject>(
    kind: KindReference<Owned>,
    owner: KubeObject,
    { metadata, ...fields }: Applied<Owned>,
  ): Promise<Stored<Owned>> {
    const { namespace: ofOwner = '' } = owner.metadata;
    const { name, namespace = ofOwner, ownerReferences = [] } = metadata;
    if (ofOwner !== '' && kind.namespaced === false)
      throw new Error(`cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${ofOwner}`);
    if (ofOwner !== '' && namespace !== ofOwner)
      throw new Error(
        `cross-namespace owner references are disallowed, owner's namespace ${ofOwner}, obj's namespace ${namespace}`,
      );
    const owns = controllerReference({ apiVersion: formatGroupVersion(this.#kind), kind: this.#kind.kind }, owner);
    const applied = {
      ...fields,
      apiVersion: formatGroupVersion(kind),
      kind: kind.kind,
      metadata: { ...metadata, ...(namespace !== '' && { namespace }), ownerReferences: [...ownerReferences, owns] },
    };
    const query = { fieldManager: this.#controller.name, force: true };
    const ref = { ...kind, namespace: kind.namespaced === false ? '' : namespace };
    return (await this.#surroundings.apiReader.patch<Owned>(ref, name, 'apply', applied, { query })) as Stored<Owned>;
  }
}

/** For an object that may have been deleted in the meantime: the next event of it says so. */
function unlessGone(error: unknown): undefined {
  if (!isStatusError(error, 'NotFound')) throw error;
}

/** The requests for the owners that an object names, if they are of a kind. */
export function ownersOf(object: KubeObject, owner: KindReference, matchEveryOwner: boolean): Request[] {
  const { ownerReferences = [], namespace = '' } = object.metadata;
  return ownerReferences
    .filter(({ kind, controller }) => kind === owner.kind && (matchEveryOwner || controller === true))
    .filter(({ apiVersion }) => groupOf(apiVersion) === owner.group)
    .map(({ name }) => ({ namespace: owner.namespaced === false ? '' : namespace, name }));
}

const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
