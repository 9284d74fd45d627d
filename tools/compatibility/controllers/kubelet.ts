import { setTimeout as sleep } from 'node:timers/promises';
import { Informer, type RestClient, WorkQueue, objectKey, runWorkers } from '@apichain/client';
import { currentTimestamp, isStatusError } from '@apichain/meta';
import type { Anything } from './cluster.ts';

const nodes = { group: '', version: 'v1', resource: 'nodes' } as const;
const leases = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-node-lease',
} as const;
const allPods = { group: '', version: 'v1', resource: 'pods' } as const;
const podsOf = (namespace: string) => ({ ...allPods, namespace });

const leaseMs = 10_000;
/** How long the containers of Jobs run, in milliseconds, unless an annotation of the pod says something else. */
const runMs = 300;
export const runMsAnnotation = 'kubelet.example.com/run-ms';

const capacity = { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };

/**
 * A node without containers. It registers the node, renews its lease, and sets the status of its pods: all containers run at once. Pods that are
 * not to be restarted succeed after a moment, and deleted pods are gone at once.
 */
export class Kubelet {
  readonly #name: string;
  readonly #client: RestClient;
  readonly #pods: Informer<Anything>;
  readonly #queue = new WorkQueue({ baseDelayMs: 50, maxDelayMs: 2_000 });
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  /** What failed and was repeated. */
  readonly failures: string[] = [];
  #pod = 0;

  constructor(name: string, client: RestClient) {
    this.#name = name;
    this.#client = client;
    this.#pods = new Informer<Anything>({
      client,
      resource: allPods,
      fieldSelector: `spec.nodeName=${name}`,
      onError: (error) => this.#failed(error),
    });
    const changed = (pod: Anything) => this.#queue.add(objectKey(pod));
    this.#pods.addHandlers({ onAdd: changed, onUpdate: changed });
  }

  async start(): Promise<void> {
    await this.#client.create<Anything>(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: this.#name, labels: { 'kubernetes.io/hostname': this.#name, 'kubernetes.io/os': 'linux' } },
    });
    await this.#reportNode();
    this.#pods.start();
    const failed = (_key: string, error: unknown) => this.#failed(error);
    this.#running.push(
      runWorkers(this.#queue, 4, (key) => this.#sync(key), failed),
      this.#renew(),
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#queue.shutDown();
    await this.#pods.stop();
    await Promise.all(this.#running);
  }

  async #reportNode(): Promise<void> {
    const time = currentTimestamp();
    const condition = (type: string, status: string, reason: string) => ({
      type,
      status,
      reason,
      message: reason,
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    });
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      capacity,
      allocatable: capacity,
      nodeInfo: { kubeletVersion: 'v1.36.0', operatingSystem: 'linux', architecture: 'amd64' },
      conditions: [
        condition('Ready', 'True', 'KubeletReady'),
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
      ],
    };
    await this.#client.patch(nodes, this.#name, 'strategic', { status }, { subresource: 'status' });
  }

  /** Renews the lease until the kubelet stops. */
  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const spec = {
        holderIdentity: this.#name,
        leaseDurationSeconds: 40,
        renewTime: new Date().toISOString().replace('Z', '000Z'),
      };
      try {
        await this.#client.patch(leases, this.#name, 'merge', { spec });
      } catch (error) {
        if (isStatusError(error, 'NotFound')) await this.#createLease(spec);
        else this.#failed(error);
      }
      await sleep(leaseMs, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  async #createLease(spec: object): Promise<void> {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: this.#name }, spec };
    await this.#client.create(leases, lease).catch((error: unknown) => this.#failed(error));
  }

  async #sync(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    const { name = '', namespace = '', uid, deletionTimestamp } = pod.metadata;
    const phase = pod.status?.['phase'];
    try {
      if (deletionTimestamp !== undefined) {
        await this.#client.delete(podsOf(namespace), name, { gracePeriodSeconds: 0, preconditions: { uid } });
      } else if (phase === undefined || phase === 'Pending') {
        await this.#patchStatus(pod, this.#runningStatus(pod));
      } else if (phase === 'Running' && pod.spec?.['restartPolicy'] !== 'Always') {
        await sleep(Number(pod.metadata.annotations?.[runMsAnnotation] ?? runMs));
        await this.#patchStatus(pod, succeeded(pod));
      }
    } catch (error) {
      // Somebody else has deleted it.
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error;
    }
  }

  async #patchStatus({ metadata }: Anything, status: object): Promise<void> {
    const { name = '', namespace = '', uid } = metadata;
    const patch = { metadata: { uid }, status };
    await this.#client.patch(podsOf(namespace), name, 'strategic', patch, { subresource: 'status' });
  }

  #runningStatus(pod: Anything): object {
    const podIP = `10.244.${Number(this.#name.split('-')[1])}.${(this.#pod++ % 250) + 2}`;
    const time = currentTimestamp();
    return {
      phase: 'Running',
      startTime: time,
      podIP,
      podIPs: [{ ip: podIP }],
      hostIP: '127.0.0.1',
      conditions: ['Initialized', 'Ready', 'ContainersReady'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: time,
      })),
      containerStatuses: containersOf(pod).map((container) => ({
        ...container,
        ready: true,
        started: true,
        state: { running: { startedAt: time } },
      })),
    };
  }

  #failed(error: unknown): void {
    this.failures.push(String(error));
  }
}

function succeeded(pod: Anything): object {
  const time = currentTimestamp();
  return {
    phase: 'Succeeded',
    conditions: ['Ready', 'ContainersReady'].map((type) => ({
      type,
      status: 'False',
      reason: 'PodCompleted',
      lastTransitionTime: time,
    })),
    containerStatuses: containersOf(pod).map((container) => ({
      ...container,
      ready: false,
      started: false,
      state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time } },
    })),
  };
}

function containersOf({ spec }: Anything) {
  const containers = (spec?.['containers'] ?? []) as readonly { readonly name: string; readonly image: string }[];
  return containers.map(({ name, image }) => ({ name, image, imageID: image, restartCount: 0 }));
}
