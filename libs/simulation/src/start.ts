import type { StorageClass } from '@apichain/api/storage/v1';
import { RestClient, SharedInformers, type Logger, type Transport, type ResourceReference } from '@apichain/client';
import { simulatedProvisioner } from '@apichain/controllers/simulated-provisioner';
import { closeAll, errorMessage, isStatusError } from '@apichain/meta';
import { runScheduler, startScheduler } from '@apichain/scheduler';
import {
  impersonating,
  startSimulatedNodes,
  type TlsServing,
  type MetricsServing,
  type NodeSpec,
  type SimulatedNode,
  type SimulatedNodes,
} from '@apichain/simulated-nodes';
import { electedNodes } from './elected-nodes.ts';

/** The version that the components of a simulation name in their requests. */
const version = 'v1.36.0 (apichain)';

/** What to simulate, and how to reach the API. */
export interface SimulationOptions {
  /** A connection of an administrator that may impersonate others, with this User-Agent. The simulation closes it. */
  readonly connect: (userAgent: string) => Transport;
  /** Stops the simulation when aborted. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * The nodes: their number, or each of them. Those that users create with the label of simulated nodes are simulated as well, so only one simulation of a
   * cluster may have nodes; with `none` it leaves them to others.
   */
  readonly nodes: number | readonly NodeSpec[] | 'none';
  /** Whether nodes are simulated only while this one of several simulations holds their Lease. Default: false. */
  readonly nodesElected?: boolean;
  /** Stages beside those of the library. */
  readonly stages?: readonly unknown[];
  /** `elected`: schedules while it holds the Lease of kube-scheduler; `alone`: without election; `none`: leaves pods to another scheduler. */
  readonly scheduler: 'elected' | 'alone' | 'none';
  /** How the kubelets serve logs and streams. Without it they do not listen. */
  readonly kubelet?: TlsServing;
  /** Informers that others use as well, who stop them. Default: the simulation's own. */
  readonly informers?: SharedInformers;
  /** How metrics.k8s.io is served. Without it there are no metrics. */
  readonly metrics?: MetricsServing;
}

/** A running simulation. */
export interface Simulation {
  /** Resolves when the nodes are registered, here or by another simulation, and there is a StorageClass. Rejects when the kubelets cannot listen. */
  readonly synced: Promise<void>;
  /** Resolves when everything has stopped after the signal. Rejects when the scheduler or the nodes have lost their Lease: another one may be at work. */
  readonly stopped: Promise<void>;
  /** A node by its name. Throws Error if it is not simulated. */
  node(name: string): SimulatedNode;
}

/** Starts simulated nodes and a scheduler, which share their copies of the cluster. */
export function startSimulation(options: SimulationOptions): Simulation {
  const { connect, log } = options;
  const transports = { kubelet: connect(`kubelet/${version}`), scheduler: connect(`kube-scheduler/${version}`) };
  const client = new RestClient(transports.kubelet);
  const own = new SharedInformers({
    client,
    onError: ({ resource }, error) => log.error('watch failed', { resource, error: errorMessage(error) }),
  });
  const { informers = own } = options;
  const scheduling = schedule(options, transports.scheduler, informers);
  const simulated = simulateNodes(options, client, transports.kubelet, informers);
  const synced = Promise.all([simulated?.synced, simulated && ensureStorageClass(client)]).then(() => undefined);
  const stop = async () => {
    await Promise.all([scheduling, simulated?.stopped]);
    await closeAll([() => own.stop(), ...Object.values(transports).map((transport) => () => transport.close())]);
  };
  const node = (name: string): SimulatedNode => {
    if (simulated === undefined) throw new Error(`no nodes are simulated here, and not ${name}`);
    return simulated.node(name);
  };
  return { synced, stopped: stop(), node };
}

/** Undefined if nodes are left to others. */
function simulateNodes(
  { nodes, nodesElected = false, signal, log, stages = [], kubelet, metrics }: SimulationOptions,
  client: RestClient,
  transport: Transport,
  informers: SharedInformers,
): SimulatedNodes | undefined {
  if (nodes === 'none') return undefined;
  const start = (until: AbortSignal) =>
    startSimulatedNodes({
      ...{ client, connectAs: impersonating(transport), signal: until, log, nodes, stages, informers },
      kubelet,
      metrics,
    });
  return nodesElected ? electedNodes({ client, signal, log }, start) : start(signal);
}

/** Runs the scheduler until the signal. Rejects when it has lost its Lease. */
async function schedule(
  { scheduler, signal, log }: SimulationOptions,
  transport: Transport,
  informers: SharedInformers,
): Promise<void> {
  if (scheduler === 'none') return;
  const client = impersonating(transport)('system:kube-scheduler', []);
  if (scheduler === 'alone') await startScheduler({ client, signal, log, informers }).stopped;
  else if ((await runScheduler({ client, signal, log, informers })) === 'lost')
    throw new Error('the scheduler has lost its Lease');
}

const storageClasses: ResourceReference<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'storageclasses',
};

/**
 * Creates a default StorageClass with simulated volumes in a cluster that has no StorageClass, so that claims which name none are met, as in
 * clusters for tests and development.
 * https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass
 */
async function ensureStorageClass(client: RestClient): Promise<void> {
  const { items } = await client.list(storageClasses, { limit: 1 });
  if (items.length > 0) return;
  const standard: StorageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: simulatedProvisioner,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  };
  await client.create(storageClasses, standard).catch((error: unknown) => {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  });
}
