import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Logger, type RestClient, runWhileLeading } from '@apichain/client';
import type { SimulatedNodes } from '@apichain/simulated-nodes';

/** Who takes part in the election of those who simulate nodes. */
interface NodesElection {
  readonly client: RestClient;
  /** Ends the candidacy, and the nodes. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** As long as those of kube-scheduler. */
const durations = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

/**
 * Simulates nodes while this simulation holds the Lease `simulated-nodes`, so that of several replicas one has the nodes. `synced` resolves also when
 * another has them; `stopped` rejects when the Lease is lost.
 */
export function electedNodes(
  { client, signal, log }: NodesElection,
  start: (signal: AbortSignal) => SimulatedNodes,
): SimulatedNodes {
  const synced = Promise.withResolvers<void>();
  let mine: SimulatedNodes | undefined;
  let isTold = false;
  const onStandby = () => {
    if (!isTold) log.info('another simulation has the nodes');
    isTold = true;
    synced.resolve();
  };
  const identity = `${hostname()}_${randomUUID()}`;
  const election = { client, signal, log, identity, ...durations, namespace: 'kube-system', name: 'simulated-nodes' };
  const run = async (): Promise<void> => {
    const outcome = await runWhileLeading({ ...election, onStandby }, async (leading) => {
      mine = start(leading);
      mine.synced.then(synced.resolve, synced.reject);
      await mine.stopped;
    });
    if (outcome === 'lost') throw new Error('the Lease of the simulated nodes is lost');
    synced.resolve();
  };
  const node: SimulatedNodes['node'] = (name) => {
    if (mine === undefined) throw new Error(`another simulation has the nodes, and ${name} among them`);
    return mine.node(name);
  };
  return { synced: synced.promise, stopped: run(), node };
}
