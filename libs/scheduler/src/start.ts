import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Node, Pod } from '@apichain/api/core/v1';
import {
  runWhileLeading,
  silentLogger,
  EventRecorder,
  SharedInformers,
  type Informer,
  type Logger,
  type ResourceReference,
  type RestClient,
} from '@apichain/client';
import { errorMessage, untilAborted, type KubeObject } from '@apichain/meta';
import type { ObjectStore } from './cluster/object-store.ts';
import { clusterEvent, type WatchedKind } from './framework/cluster-event.ts';
import { Scheduler } from './scheduler.ts';

/** Leader election with the durations of kube-scheduler. */
interface RunSchedulerOptions extends StartSchedulerOptions {
  /** The identity of this replica; unique among replicas. Default: host name and a random part. */
  readonly identity?: string;
  readonly retryPeriodMs?: number;
  /** Called when the scheduler knows the cluster and schedules. */
  readonly onLeading?: () => void;
}

/**
 * Runs a scheduler while it holds the Lease of kube-scheduler, so that only one of them works, ours or the original. Resolves to `stopped` after `signal`,
 * and to `lost` when the lease could not be renewed in time.
 */
export function runScheduler(options: RunSchedulerOptions): Promise<'stopped' | 'lost'> {
  const { client, signal, log = silentLogger, identity = `${hostname()}_${randomUUID()}` } = options;
  const { retryPeriodMs = 2_000, onLeading } = options;
  const durations = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs };
  return runWhileLeading(
    { client, signal, log, identity, ...durations, namespace: 'kube-system', name: 'kube-scheduler' },
    async (leading) => {
      const { synced, stopped } = startScheduler({ ...options, signal: leading });
      void synced.then(onLeading);
      await stopped;
    },
  );
}

/** What a scheduler is started with. */
interface StartSchedulerOptions {
  readonly client: RestClient;
  /** Stops the scheduler when aborted. */
  readonly signal: AbortSignal;
  readonly log?: Logger;
  /** Informers that others use as well. Default: the scheduler's own. */
  readonly informers?: SharedInformers;
}

/** A running scheduler. */
export interface RunningScheduler {
  /** Resolves when the scheduler knows the cluster. It schedules from then on. */
  readonly synced: Promise<void>;
  /** Resolves when the scheduler has stopped after `signal`. */
  readonly stopped: Promise<void>;
}

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const apps = (resource: string) => ({ group: 'apps', version: 'v1', resource });
const storage = (resource: string) => ({ group: 'storage.k8s.io', version: 'v1', resource });

/** An informer of any kind of objects. */
interface Startable {
  start(): unknown;
  waitForSync(): Promise<void>;
}

const pods: ResourceReference<Pod> = core('pods');
const nodes: ResourceReference<Node> = core('nodes');

/** The scheduler takes pods with this `spec.schedulerName`. */
const schedulerName = 'default-scheduler';

/** Starts a scheduler with the default profile of kube-scheduler, without leader election. */
export function startScheduler(options: StartSchedulerOptions): RunningScheduler {
  const { client, signal, log = silentLogger } = options;
  const own = new SharedInformers({
    client,
    onError: ({ resource }, error) => log.error('watch failed', { resource, error: errorMessage(error) }),
  });
  const informers = options.informers ?? own;
  const recorder = new EventRecorder({
    client,
    component: schedulerName,
    api: 'events.k8s.io/v1',
    signal,
    onError: (error) => log.error('event could not be written', { error: errorMessage(error) }),
  });
  const scheduler = new Scheduler({ client, recorder, log, schedulerName });
  const all: readonly Startable[] = [
    ...followObjects(scheduler, informers),
    followPods(scheduler, informers.informer(pods)),
    followNodes(scheduler, informers.informer(nodes)),
  ];
  for (const informer of all) informer.start();
  const synced = Promise.all(all.map((informer) => informer.waitForSync())).then(() => undefined);
  const aborted = untilAborted(signal);
  const work = Promise.race([synced, aborted]).then(() => (signal.aborted ? undefined : scheduler.run()));
  const stopped = aborted.then(async () => {
    scheduler.stop();
    await Promise.all([own.stop(), work]);
  });
  return { synced, stopped };
}

/** Pods that have come to their end are as good as deleted. */
const isActive = ({ status }: Pod) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

function followPods(scheduler: Scheduler, informer: Informer<Pod>): Informer<Pod> {
  return informer.addHandlers({
    onAdd: (pod) => {
      if (isActive(pod)) scheduler.addPod(pod);
    },
    onUpdate: (after, before) => {
      if (isActive(before) && isActive(after)) scheduler.updatePod(before, after);
      else if (isActive(before)) scheduler.deletePod(before);
      else if (isActive(after)) scheduler.addPod(after);
    },
    onDelete: (pod) => scheduler.deletePod(pod),
  });
}

function followNodes(scheduler: Scheduler, informer: Informer<Node>): Informer<Node> {
  return informer.addHandlers({
    onAdd: (node) => scheduler.setNode(undefined, node),
    onUpdate: (after, before) => scheduler.setNode(before, after),
    onDelete: (node) => scheduler.deleteNode(node),
  });
}

/** Follows all objects besides pods and nodes by which the scheduler decides. The kind is that of the events for which pods may wait. */
function followObjects(scheduler: Scheduler, informers: SharedInformers): Startable[] {
  const { objects } = scheduler.cluster;
  const follow = <Kind extends KubeObject>(
    resource: ResourceReference<Kind>,
    store: ObjectStore<Kind>,
    kind?: WatchedKind,
  ): Startable => {
    const tell = (action: 'Add' | 'Update' | 'Delete', change: { before?: Kind; after?: Kind }) => {
      if (kind !== undefined) scheduler.onEvent(clusterEvent(kind, action, change));
    };
    return informers.informer(resource).addHandlers({
      onAdd: (after) => {
        store.set(after);
        tell('Add', { after });
      },
      onUpdate: (after, before) => {
        store.set(after);
        tell('Update', { before, after });
      },
      onDelete: (before) => {
        store.delete(before);
        tell('Delete', { before });
      },
    });
  };
  const budgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
  const resourceClaims = { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims' };
  return [
    follow(core('namespaces'), objects.namespaces),
    follow(core('services'), objects.services),
    follow(core('replicationcontrollers'), objects.replicationControllers),
    follow(apps('replicasets'), objects.replicaSets),
    follow(apps('statefulsets'), objects.statefulSets),
    follow(budgets, objects.podDisruptionBudgets),
    follow(core('persistentvolumes'), objects.persistentVolumes, 'PersistentVolume'),
    follow(core('persistentvolumeclaims'), objects.persistentVolumeClaims, 'PersistentVolumeClaim'),
    follow(storage('storageclasses'), objects.storageClasses, 'StorageClass'),
    follow(storage('csinodes'), objects.csiNodes, 'CSINode'),
    follow(storage('csidrivers'), objects.csiDrivers, 'CSIDriver'),
    follow(storage('csistoragecapacities'), objects.csiStorageCapacities, 'CSIStorageCapacity'),
    follow(storage('volumeattachments'), objects.volumeAttachments, 'VolumeAttachment'),
    follow(resourceClaims, objects.resourceClaims, 'ResourceClaim'),
  ];
}
