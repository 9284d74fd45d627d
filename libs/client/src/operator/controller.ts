import type { KubeObject, ObjectMeta } from '@apichain/meta';
import type { EventType } from '../events/occurrence.ts';
import type { Logger } from '../log.ts';
import type { RestClient } from '../rest-client.ts';
import type { Result } from '../work-queue.ts';
import type { FieldIndex } from './cached-client.ts';
import type { KindReference } from './kind.ts';
import type { Predicate } from './predicates.ts';

/** What is to be reconciled: the name of an object of the controller's kind. */
export interface Request {
  /** Empty for a kind without namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** A kind that is watched, and which of its events count: all of them, unless there are predicates. All predicates must let an event pass. */
export interface Source<Kind extends KubeObject = KubeObject> {
  readonly source: KindReference<Kind>;
  readonly predicates?: readonly Predicate<Kind>[];
}

/** A kind whose objects the reconciled ones own. */
export interface OwnedSource<Kind extends KubeObject = KubeObject> extends Source<Kind> {
  /** Whether an object leads to all its owners of the kind. Default: to its controller only. */
  readonly matchEveryOwner?: boolean;
}

/** A kind whose objects lead to requests in another way. */
export interface MappedSource<Kind extends KubeObject = KubeObject> extends Source<Kind> {
  /** The requests for an object; of an update, those for its old and its new state are made. `client` reads from the cache. */
  map(object: Kind, client: RestClient): readonly Request[] | Promise<readonly Request[]>;
}

/** What a server has given to each of its objects. */
export type Stored<Kind extends KubeObject> = Kind & {
  readonly metadata: ObjectMeta & { readonly name: string; readonly uid: string };
};

/** An object to apply. Its kind is that of the reference with which it is applied. */
export type Applied<Kind extends KubeObject> = {
  [Field in keyof Kind as Field extends 'apiVersion' | 'kind' | 'metadata' | 'status' ? never : Field]?: Kind[Field];
} & { readonly metadata: ObjectMeta & { readonly name: string } };

/** What a reconcile works with. */
export interface ReconcileContext<Kind extends KubeObject = KubeObject> {
  readonly request: Request;
  /** The object as the cache has it: a copy, which may be changed. */
  readonly object: Stored<Kind>;
  /** Reads objects of watched kinds from the cache, and all others from the server: see CachedClient. */
  readonly client: RestClient;
  /** Reads from the server. */
  readonly apiReader: RestClient;
  /** Aborted when the manager stops, or is no longer the leader. */
  readonly signal: AbortSignal;
  /** Messages with the names of the controller and the object. */
  readonly log: Logger;
  /**
   * Applies an object that the reconciled one owns (server-side apply, with the name of the controller as the field manager). It gets the reconciled
   * object as its controller and, without one, its namespace. Returns the object as stored. Throws Error for an owner in another namespace.
   */
  readonly apply: <Owned extends KubeObject>(
    kind: KindReference<Owned>,
    object: NoInfer<Applied<Owned>>,
  ) => Promise<Stored<Owned>>;
  /**
   * Replaces the status of the reconciled object, if it differs. After a conflict it is written over the newest state of the object; as a function, it is
   * computed from that. The object may be gone.
   */
  readonly updateStatus: (status: StatusOf<Kind> | ((object: Stored<Kind>) => StatusOf<Kind>)) => Promise<void>;
  /** Records an Event about the reconciled object. */
  readonly event: (type: EventType, reason: string, message: string) => void;
}

/** The type of the status of a kind. */
export type StatusOf<Kind extends KubeObject> = Kind extends { status?: infer Status } ? NonNullable<Status> : never;

/** Brings the cluster to what an object says. May be called at any time and any number of times. One that throws is repeated with a growing delay. */
export type Reconcile<Kind extends KubeObject = KubeObject> = (
  context: ReconcileContext<Kind>,
) => Promise<Result | void>;

/** What a controller reconciles, and what makes it do so. */
export interface ControllerSpec<
  Kind extends KubeObject = KubeObject,
  Watched extends readonly KubeObject[] = readonly KubeObject[],
> {
  readonly for: KindReference<Kind> | Source<Kind>;
  /** Kinds of which the reconciled objects own some. */
  readonly owns?: readonly (KindReference | OwnedSource)[];
  /** Other kinds whose objects the reconciled ones depend on. */
  readonly watches?: readonly [...{ [Index in keyof Watched]: MappedSource<Watched[Index]> }];
  /** Fields by which objects are listed from the cache. */
  readonly indexes?: readonly FieldIndex[];
  /** The name in messages, metrics and managedFields; unique in a manager. Default: the kind in lower case. */
  readonly name?: string;
  /**
   * Cleans up before an object is deleted. The finalizer is added to objects before they are reconciled, and removed when `finalize` has returned, unless it asks to
   * be called again.
   */
  readonly finalizer?: { readonly name: string; readonly finalize: Reconcile<Kind> };
  /** Whether `reconcile` is also called for objects that are being deleted. Default: only the finalizer of the controller is. */
  readonly reconcilesDeleted?: boolean;
  /** How many objects are reconciled at a time; one object never twice. Default: 1. */
  readonly maxConcurrentReconciles?: number;
  /** How long an object waits after failures, in milliseconds: at first 5, twice as long each time, at most 1,000,000. */
  readonly rateLimiter?: { readonly baseDelayMs?: number; readonly maxDelayMs?: number };
}

/** A controller that a manager can start, any number of times. */
export interface Controller {
  readonly name: string;
  readonly spec: ControllerSpec;
  readonly reconcile: Reconcile;
}

/**
 * Defines a controller: `controller({ for: widgets, owns: [kinds.Deployment] }).reconcile(async ({ object }) => ...)`. `startManager` runs it. Names and
 * semantics are those of controller-runtime: https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/builder. Throws Error for a number of workers that is none.
 */
export function controller<Kind extends KubeObject, Watched extends readonly KubeObject[] = []>(
  spec: ControllerSpec<Kind, Watched>,
): { reconcile(reconcile: Reconcile<Kind>): Controller } {
  const { name = sourceOf(spec.for).source.kind.toLowerCase(), maxConcurrentReconciles: workers = 1 } = spec;
  if (!Number.isInteger(workers) || workers < 1)
    throw new Error(`maxConcurrentReconciles of the controller ${name} is ${workers}: it must be a positive integer`);
  return {
    reconcile: (reconcile) => ({
      name,
      spec: spec as ControllerSpec,
      reconcile: reconcile as Reconcile,
    }),
  };
}

/** A kind with its predicates. */
export const sourceOf = <Kind extends KubeObject, From extends Source<Kind>>(
  source: KindReference<Kind> | From,
): From | Source<Kind> => ('source' in source ? source : { source });
