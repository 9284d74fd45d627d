import { RestClient, SharedInformers, type Transport } from '@apichain/client';
import { startScheduler } from '@apichain/scheduler';
import { startSimulatedNodes, type KubeletServing, type NodeSpec, type SimulatedNode } from '@apichain/simulated-nodes';
import { closeAll, errorMessage } from '@apichain/meta';
import { impersonating } from './impersonation.ts';

/** The version that the components of a simulation name in their requests. */
const version = 'v1.36.0 (apichain)';

/** Where the simulation says what it does and what fails. */
export interface SimulationLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What to simulate, and how to reach the API. */
export interface SimulationOptions {
  /** A connection of an administrator that may impersonate others, with this User-Agent. The simulation closes it. */
  readonly connect: (userAgent: string) => Transport;
  /** Stops the simulation when aborted. */
  readonly signal: AbortSignal;
  readonly log: SimulationLog;
  /** The nodes: their number, or each of them. */
  readonly nodes: number | readonly NodeSpec[];
  /** Stages beside those of the library. */
  readonly stages?: readonly unknown[];
  /** Runs the scheduler until the signal, `lead` for as long as this process is the leader. Undefined: no scheduler runs here. */
  readonly schedule?: (lead: (signal: AbortSignal) => Promise<void>) => Promise<void>;
  /** How the kubelets serve logs and streams. Without it they do not listen. */
  readonly kubelet?: KubeletServing;
}

/** A running simulation. */
export interface Simulation {
  /** Resolves when the nodes are registered. Rejects when the kubelets cannot listen. */
  readonly synced: Promise<void>;
  /** Resolves when everything has stopped after the signal. */
  readonly stopped: Promise<void>;
  /** A node by its name. Throws Error if it is not simulated. */
  node(name: string): SimulatedNode;
}

/** Starts simulated nodes and a scheduler, which share their copies of the cluster. */
export function startSimulation(options: SimulationOptions): Simulation {
  const { connect, signal, log, nodes, stages = [], schedule, kubelet } = options;
  const transports = { kubelet: connect(`kubelet/${version}`), scheduler: connect(`kube-scheduler/${version}`) };
  const client = new RestClient(transports.kubelet);
  const informers = new SharedInformers({
    client,
    onError: ({ resource }, error) => log.error('watch failed', { resource, error: errorMessage(error) }),
  });
  const scheduling = schedule?.(async (leading) => {
    const scheduler = new RestClient(impersonating(transports.scheduler, 'system:kube-scheduler', []));
    await startScheduler({ client: scheduler, signal: leading, log, informers }).stopped;
  });
  const simulated = startSimulatedNodes({
    client,
    connectAs: (user, groups) => new RestClient(impersonating(transports.kubelet, user, groups)),
    signal,
    log,
    nodes,
    stages,
    informers,
    ...(kubelet === undefined ? {} : { kubelet }),
  });
  const stop = async () => {
    await Promise.all([scheduling, simulated.stopped]);
    await closeAll([() => informers.stop(), ...Object.values(transports).map((transport) => () => transport.close())]);
  };
  return { synced: simulated.synced, stopped: stop(), node: (name) => simulated.node(name) };
}
