import type { Pod } from '@apichain/api/core/v1';
import {
  Informer,
  RestClient,
  type ResourceReference,
  httpTransport,
  loadKubeconfig,
  objectKey,
} from '@apichain/client';
import { type KubeObject, currentTimestamp, isStatusError, withClock } from '@apichain/meta';
import type { TestChain } from '@apichain/testing';

const pods: ResourceReference<Pod> = { group: '', version: 'v1', resource: 'pods' };

/** A client of a test's chain, with the rights of its administrator. */
export const clientOf = (chain: TestChain): RestClient =>
  new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));

/** What a pod does: it becomes ready, or stays as it is. */
type Behaviour = 'ready' | 'pending';

/**
 * Stands in for nodes: gives each pod the status of one that runs and is ready, and removes pods that are being deleted. `behaviourOf` says which pods
 * stay pending.
 */
export class PodRunner implements AsyncDisposable {
  readonly #client: RestClient;
  readonly #informer: Informer<Pod>;
  readonly #behaviourOf: (pod: Pod) => Behaviour;
  readonly #runs = new Set<Promise<void>>();

  constructor(chain: TestChain, behaviourOf: (pod: Pod) => Behaviour = () => 'ready') {
    this.#client = clientOf(chain);
    this.#behaviourOf = behaviourOf;
    this.#informer = new Informer<Pod>({ client: this.#client, resource: pods });
    const run = (pod: Pod) => {
      const running = this.#run(pod);
      this.#runs.add(running);
      void running.then(() => this.#runs.delete(running)).catch(() => undefined);
    };
    withClock(chain.clock, () => this.#informer.addHandlers({ onAdd: run, onUpdate: run }).start());
  }

  /** The pods of a namespace that are not being deleted, by name. */
  running(namespace = 'default'): Pod[] {
    return this.#informer
      .list()
      .filter(({ metadata }) => metadata.namespace === namespace && metadata.deletionTimestamp === undefined)
      .sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1));
  }

  async #run(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid = '', deletionTimestamp } = pod.metadata;
    const ref = { ...pods, namespace };
    try {
      if (deletionTimestamp !== undefined)
        await this.#client.delete(ref, name, { gracePeriodSeconds: 0, preconditions: { uid } });
      else if (pod.status?.phase === 'Pending' && this.#behaviourOf(pod) === 'ready')
        await this.#client.patch<KubeObject>(
          ref,
          name,
          'merge',
          { metadata: { uid }, status: readyStatus() },
          { subresource: 'status' },
        );
    } catch (error) {
      // It is gone, or another pod has its name by now.
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer.stop();
    await Promise.all(this.#runs);
    await this.#client.close();
  }
}

function readyStatus(): object {
  const now = currentTimestamp();
  return {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
    })),
  };
}
