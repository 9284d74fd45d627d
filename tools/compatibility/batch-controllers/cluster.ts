import type { Pod, PodStatus } from '@apichain/api/core/v1';
import type { ResourceReference, RestClient } from '@apichain/client';
import { type KubeObject, currentTimestamp } from '@apichain/meta';
import { waitFor } from '@apichain/testing';

const namespace = 'default';
const core = { group: '', version: 'v1', namespace };

/** The resources of the sessions, by name. */
export const resources = {
  cronjobs: { group: 'batch', version: 'v1', namespace, resource: 'cronjobs' },
  deployments: { group: 'apps', version: 'v1', namespace, resource: 'deployments' },
  endpoints: { ...core, resource: 'endpoints' },
  endpointslices: { group: 'discovery.k8s.io', version: 'v1', namespace, resource: 'endpointslices' },
  events: { ...core, resource: 'events' },
  horizontalpodautoscalers: { group: 'autoscaling', version: 'v2', namespace, resource: 'horizontalpodautoscalers' },
  jobs: { group: 'batch', version: 'v1', namespace, resource: 'jobs' },
  nodes: { group: '', version: 'v1', resource: 'nodes' },
  poddisruptionbudgets: { group: 'policy', version: 'v1', namespace, resource: 'poddisruptionbudgets' },
  pods: { ...core, resource: 'pods' },
  replicasets: { group: 'apps', version: 'v1', namespace, resource: 'replicasets' },
  services: { ...core, resource: 'services' },
} as const satisfies Record<string, ResourceReference>;

type Name = keyof typeof resources;

/** What the sessions do to a cluster, in which they are users and kubelets. */
export class Cluster {
  readonly client: RestClient;

  constructor(client: RestClient) {
    this.client = client;
  }

  create<Kind extends KubeObject>(resource: Name, object: Omit<Kind, 'apiVersion'>): Promise<Kind> {
    const { group, version } = resources[resource];
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return this.client.create<Kind>(resources[resource], { apiVersion, ...object } as unknown as Kind);
  }

  get<Kind extends KubeObject>(resource: Name, name: string): Promise<Kind> {
    return this.client.get<Kind>(resources[resource], name);
  }

  async list<Kind extends KubeObject>(resource: Name): Promise<Kind[]> {
    return (await this.client.list<Kind>(resources[resource])).items;
  }

  patch(resource: Name, name: string, patch: object): Promise<KubeObject> {
    return this.client.patch(resources[resource], name, 'merge', patch);
  }

  setStatus(resource: Name, name: string, status: object): Promise<KubeObject> {
    return this.client.patch(resources[resource], name, 'merge', { status }, { subresource: 'status' });
  }

  delete(resource: Name, name: string, propagationPolicy = 'Background'): Promise<unknown> {
    return this.client.delete(resources[resource], name, { propagationPolicy });
  }

  /** The pods with a label that have not ended, when there are so many. */
  async pods(labelSelector: string, count: number): Promise<Pod[]> {
    return this.until(`${count} pods with ${labelSelector}`, async () => {
      const { items } = await this.client.list<Pod>(resources.pods, { labelSelector });
      const pending = items.filter(({ status }) => status?.phase === 'Pending');
      return pending.length === count && pending;
    });
  }

  /** What a kubelet reports when the container of a pod has ended. */
  end({ metadata: { name = '' } }: Pod, exitCode: number, more: PodStatus = {}): Promise<KubeObject> {
    const terminated = { exitCode, startedAt: currentTimestamp(), finishedAt: currentTimestamp() };
    return this.setStatus('pods', name, {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [
        { name: 'main', image: 'main', imageID: '', ready: false, restartCount: 0, state: { terminated } },
      ],
      ...more,
    });
  }

  /** What a kubelet reports of a pod that runs. */
  run({ metadata: { name = '' } }: Pod, ip: string, ready = true): Promise<KubeObject> {
    return this.setStatus('pods', name, {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: currentTimestamp() }],
    });
  }

  /** Gives the controllers time to react, where nothing tells that they have. */
  pause(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }

  until<T>(what: string, condition: () => Promise<T>): ReturnType<typeof waitFor<T>> {
    return waitFor(condition, { timeoutMs: 90_000, intervalMs: 100, what });
  }
}
