import {
  errorText,
  type Informer,
  objectKey,
  type ResourceReference,
  runUntilAborted,
  WorkQueue,
} from '@apichain/client';
import { isNamespaceTerminating, type KubeObject, untilAborted } from '@apichain/meta';
import {
  type ControllerContext,
  type OwnInformerOptions,
  type Running,
  type UnselectedInformerOptions,
  newInformer,
} from './context.ts';
import { queues, workersOf } from './queues.ts';
import type { ControllerName } from './selection.ts';

/** An informer of any kind of objects. */
interface Startable {
  start(): unknown;
  stop(): Promise<void>;
  waitForSync(): Promise<void>;
}

/** A queue, and what is done with a key of it. A key whose `reconcile` throws is queued again later. */
interface Work {
  readonly queue: WorkQueue;
  readonly reconcile: (key: string) => Promise<void>;
}

/** What a controller with a queue is made of. */
export interface ControllerParts {
  readonly queue: WorkQueue;
  /** Adds the key of an object to the queue. */
  readonly enqueue: (object: KubeObject) => void;
  /** The informer of a resource, which all controllers share. */
  readonly informer: <Kind extends KubeObject>(resource: ResourceReference<Kind>) => Informer<Kind>;
  /** The informer of a resource's metadata: see `metadataInformer` of SharedInformers. */
  readonly metadataInformer: (resource: ResourceReference) => Informer;
  /** An informer of the controller's own. */
  readonly ownInformer: (options: OwnInformerOptions) => Informer;
  /**
   * For a controller that reads only a part of the objects: the informer that all share, if another has asked for it, so that a change is sent and decoded
   * once; else one of the controller's own, which keeps what the options say.
   */
  readonly sharedOrOwnInformer: (options: UnselectedInformerOptions) => Informer;
  /** A further queue, whose keys are worked on in another way. */
  readonly furtherQueue: (reconcile: Work['reconcile']) => WorkQueue;
  /** Starts the informers, then the workers of each queue once these are in sync. The context's signal stops the workers and the controller's own informers. */
  readonly run: (reconcile: Work['reconcile']) => Running;
}

/** The parts of a controller, whose queue the table of queues describes. */
export function controllerParts(context: ControllerContext, name: ControllerName): ControllerParts {
  const queue = new WorkQueue(queues[name]);
  const further: Work[] = [];
  const informers = new Set<Startable>();
  const own = new Set<Startable>();
  const following = <Each extends Startable>(informer: Each): Each => {
    informers.add(informer);
    return informer;
  };
  const ownInformer = (options: OwnInformerOptions): Informer => {
    const informer = newInformer(context, options);
    own.add(informer);
    return following(informer);
  };
  return {
    queue,
    enqueue: (object) => queue.add(objectKey(object)),
    informer: (resource) => following(context.informer(resource)),
    metadataInformer: (resource) => following(context.metadataInformer(resource)),
    ownInformer,
    sharedOrOwnInformer: (options) => {
      const shared = context.knownInformer(options.resource);
      return shared === undefined ? ownInformer(options) : following(shared);
    },
    furtherQueue: (reconcile) => {
      const work = { queue: new WorkQueue(queues[name]), reconcile };
      further.push(work);
      return work.queue;
    },
    run: (reconcile) => run(context, name, { informers, own }, [{ queue, reconcile }, ...further]),
  };
}

function run(
  { signal, log, settings }: ControllerContext,
  controller: ControllerName,
  { informers, own }: { informers: ReadonlySet<Startable>; own: ReadonlySet<Startable> },
  work: readonly Work[],
): Running {
  const aborted = untilAborted(signal).then(async () => {
    await Promise.all(Array.from(own, (informer) => informer.stop()));
  });
  for (const informer of informers) informer.start();
  const synced = Promise.all(Array.from(informers, (informer) => informer.waitForSync())).then(() => undefined);
  const onError = (key: string, error: unknown) => {
    const level = isNamespaceTerminating(error) ? 'info' : 'error';
    log[level]('sync failed, will be tried again', { controller, key, error: errorText(error) });
  };
  const workers = workersOf(controller, settings);
  const done = Promise.race([synced, aborted]).then(() =>
    Promise.all(work.map((each) => runUntilAborted(signal, { ...each, workers, onError }))),
  );
  return { synced, stopped: Promise.all([aborted, done]).then(() => undefined) };
}
