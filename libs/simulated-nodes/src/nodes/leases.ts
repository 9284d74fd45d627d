import type { Lease } from '@apichain/api/coordination/v1';
import { type ResourceReference, type RestClient, runUntilAborted, WorkQueue } from '@apichain/client';
import { formatMicroTime } from '@apichain/go-text';
import { currentTime, isStatusError, random } from '@apichain/meta';
import { errorText, type Logger } from '../log.ts';

/** The node whose lease is renewed. */
export interface LeaseHolder {
  readonly name: string;
  readonly uid: string;
  readonly client: RestClient;
}

const leases: ResourceReference<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-node-lease',
};

/** Renewals become due at multiples of this time: requests that are sent together take less processor time than one after the other ("cores when nothing changes"). */
const togetherMs = 1_000;

/** The longest delay until a moment at which leases are renewed that is not longer than `delayMs`; `delayMs` itself when there is none. */
function together(delayMs: number): number {
  const late = (currentTime() + delayMs) % togetherMs;
  return late < delayMs ? delayMs - late : delayMs;
}

/** Renews the leases of nodes in kube-node-lease as kubelets do: at a quarter of their duration. The renewals of many nodes are spread over that time. */
export class Leases {
  readonly #holderOf: (name: string) => LeaseHolder | undefined;
  readonly #durationSeconds: number;
  readonly #log: Logger;
  readonly #queue = new WorkQueue({ baseDelayMs: 200, maxDelayMs: 7_000 });
  /** The leases as the server returned them for the last write. */
  readonly #known = new Map<string, Lease>();

  /** `holderOf` returns undefined for a node that is down or gone. */
  constructor(holderOf: (name: string) => LeaseHolder | undefined, durationSeconds: number, log: Logger) {
    this.#holderOf = holderOf;
    this.#durationSeconds = durationSeconds;
    this.#log = log;
  }

  /** Renews the lease of a node from now on, until `holderOf` does not find it. */
  hold(name: string): void {
    this.#queue.add(name);
  }

  /** Resolves when the signal has aborted and no lease is being written. */
  run(signal: AbortSignal, workers: number): Promise<void> {
    return runUntilAborted(signal, {
      queue: this.#queue,
      workers,
      reconcile: (name) => this.#renew(name),
      onError: (node, error) => {
        this.#known.delete(node);
        this.#log.error('lease not renewed, will be tried again', { node, error: errorText(error) });
      },
    });
  }

  async #renew(name: string): Promise<void> {
    const holder = this.#holderOf(name);
    if (holder === undefined) {
      this.#known.delete(name);
      return;
    }
    const known = this.#known.get(name);
    const lease = known === undefined ? await this.#take(holder) : await this.#update(holder, known);
    if (lease === undefined) this.#known.delete(name);
    else this.#known.set(name, lease);
    const intervalMs = this.#durationSeconds * 250;
    // The first renewals are spread over the interval.
    const delayMs = known === undefined ? intervalMs * (0.1 + 0.9 * random()) : intervalMs;
    this.#queue.addAfter(name, lease === undefined ? 0 : together(delayMs), 'renewal');
  }

  /** Creates the lease, or takes over one that exists. */
  async #take(holder: LeaseHolder): Promise<Lease | undefined> {
    try {
      return await holder.client.create(leases, this.#renewed(holder));
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
      return this.#update(holder, await holder.client.get(leases, holder.name));
    }
  }

  /** Undefined if the lease is not there any more, or somebody else has written it. */
  async #update(holder: LeaseHolder, lease: Lease): Promise<Lease | undefined> {
    try {
      return await holder.client.update(leases, this.#renewed(holder, lease));
    } catch (error) {
      if (isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict')) return undefined;
      throw error;
    }
  }

  #renewed({ name, uid }: LeaseHolder, lease?: Lease): Lease {
    const { metadata } = lease ?? {};
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...metadata,
        name,
        namespace: 'kube-node-lease',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
      },
      spec: {
        ...lease?.spec,
        holderIdentity: name,
        leaseDurationSeconds: this.#durationSeconds,
        renewTime: formatMicroTime(new Date(currentTime())),
      },
    };
  }
}
