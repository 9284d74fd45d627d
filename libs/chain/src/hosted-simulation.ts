import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedInformers } from '@apichain/client';
import { currentActivity } from '@apichain/meta';
import type { Logger } from '@apichain/request';
import { certificateFiles, readCertificatePair } from '@apichain/serving/certificate-files';
import type { Simulation, SimulationOptions } from '@apichain/simulation';
import type { InProcessChain } from './chain.ts';

/** Simulated nodes and a scheduler that run in the same process as a chain. */
export interface HostedSimulation {
  /** Resolves when the scheduler and the nodes have begun to follow the cluster, or cannot. */
  readonly started: Promise<void>;
  /** Resolves when the nodes are registered. */
  readonly synced: Promise<void>;
  /** A node by its name, once they are registered. Throws Error if it is not simulated. */
  node(name: string): ReturnType<Simulation['node']>;
  /** Resolves when the simulation no longer uses the chain. Rejects when it could not run. */
  stop(): Promise<void>;
}

/** What `hostSimulation` simulates, and how. */
export interface HostedSimulationOptions {
  /** The number of nodes, or each of them. */
  readonly nodes: SimulationOptions['nodes'];
  readonly stages?: readonly unknown[];
  /** Files with further stages, in YAML. */
  readonly stageFiles?: readonly string[];
  readonly scheduler: boolean;
  /** Whether metrics.k8s.io is served, for `kubectl top` and horizontal autoscaling. The certificate must be valid for `simulationHosts`. */
  readonly metrics: boolean;
  /** Informers that others in this process use as well. */
  readonly informers?: SharedInformers;
  /** The directory of the chain's certificates. The kubelets serve with that of the chain, and let its administrator in. */
  readonly pki: string;
  readonly log: Logger;
  /** Is told when the simulation cannot run. Without it the error is an unhandled rejection. */
  readonly onFailure?: (error: unknown) => void;
}

/** Runs a simulation in this process against a chain that is ready. Its modules are loaded by this call only. */
export function hostSimulation(
  chain: Pick<InProcessChain, 'connect'>,
  options: HostedSimulationOptions,
): HostedSimulation {
  const { nodes, stages = [], stageFiles = [], scheduler, metrics, informers, pki, log, onFailure } = options;
  const stop = new AbortController();
  const running = run();
  const stopped = running.then((simulation) => simulation.stopped);
  if (onFailure !== undefined) stopped.catch(onFailure);
  let known: Simulation | undefined;
  return {
    started: running.then(
      () => undefined,
      () => undefined,
    ),
    synced: running.then(({ synced }) => synced),
    node: (name) => {
      if (known === undefined) throw new Error('the simulation has not started');
      return known.node(name);
    },
    stop: async () => {
      stop.abort();
      await stopped;
    },
  };

  async function run(): Promise<Simulation> {
    const started = currentActivity()?.begin('the start of the simulation');
    try {
      const { readStageFiles, startSimulation } = await import('@apichain/simulation');
      const read = (name: string) => readFileSync(join(pki, name), 'utf8');
      const serving = readCertificatePair(certificateFiles(pki, 'aggregator'));
      known = startSimulation({
        connect: (userAgent) => chain.connect(userAgent),
        signal: stop.signal,
        log: {
          info: (message, fields) => log.info({ ...fields }, message),
          error: (message, fields) => log.error({ ...fields }, message),
        },
        nodes,
        stages: [...stages, ...readStageFiles(stageFiles)],
        scheduler: scheduler ? 'alone' : 'none',
        kubelet: { ...serving, clientCa: read('ca.crt') },
        informers,
        ...(metrics ? { metrics: { ...serving, caBundle: read('ca.crt'), clientCa: read('front-proxy-ca.crt') } } : {}),
      });
      return known;
    } finally {
      started?.();
    }
  }
}
