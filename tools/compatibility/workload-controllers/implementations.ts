import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RestClient, httpTransport, loadKubeconfig } from '@apichain/client';
import { startControllers } from '@apichain/controllers';
import type { TestChain } from '@apichain/testing';

/** A set of controllers, running. */
export interface Running {
  stop(): Promise<void>;
}

/** Starts the workload controllers of one of the two against a chain. */
export type Implementation = (chain: TestChain) => Running;

/** kube-controller-manager. */
export const theirs =
  (program: string, controllers: readonly string[]): Implementation =>
  (chain) => {
    const flags = [`--kubeconfig=${chain.kubeconfigFile}`, `--controllers=${controllers.join(',')}`];
    const more = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=500', '--kube-api-burst=500'];
    const child = spawn(program, [...flags, ...more], { stdio: 'ignore' });
    return {
      stop: async () => {
        child.kill();
        if (child.exitCode === null) await once(child, 'exit');
      },
    };
  };

/** Those of this repository. */
export const ours =
  (controllers: readonly string[]): Implementation =>
  (chain) => {
    const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
    const stop = new AbortController();
    const { stopped } = startControllers({ client, signal: stop.signal, controllers });
    return {
      stop: async () => {
        stop.abort();
        await stopped;
        await client.close();
      },
    };
  };
