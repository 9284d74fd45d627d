import type { Event, Pod, PodStatus } from '@apichain/api/core/v1';
import type { ResourceReference, RestClient } from '@apichain/client';
import { type KubeObject, currentTimestamp, isStatusError } from '@apichain/meta';
import { waitFor } from '@apichain/testing';

const namespace = 'default';
const core = { group: '', version: 'v1', namespace };
const storage = { group: 'storage.k8s.io', version: 'v1' };

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
  certificatesigningrequests: { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests' },
  controllerrevisions: { group: 'apps', version: 'v1', namespace, resource: 'controllerrevisions' },
  csidrivers: { ...storage, resource: 'csidrivers' },
  csinodes: { ...storage, resource: 'csinodes' },
  persistentvolumeclaims: { ...core, resource: 'persistentvolumeclaims' },
  persistentvolumes: { group: '', version: 'v1', resource: 'persistentvolumes' },
  replicasets: { group: 'apps', version: 'v1', namespace, resource: 'replicasets' },
  resourcequotas: { ...core, resource: 'resourcequotas' },
  services: { ...core, resource: 'services' },
  statefulsets: { group: 'apps', version: 'v1', namespace, resource: 'statefulsets' },
  storageclasses: { ...storage, resource: 'storageclasses' },
  volumeattachments: { ...storage, resource: 'volumeattachments' },
  volumeattributesclasses: { ...storage, resource: 'volumeattributesclasses' },
} as const satisfies Record<string, ResourceReference>;

type Name = keyof typeof resources;

/** What the sessions do to a cluster, in which they are users and kubelets. */
export class Cluster {
  readonly client: RestClient;
  readonly #namespace: string;

  constructor(client: RestClient, inNamespace: string = namespace) {
    this.client = client;
    this.#namespace = inNamespace;
  }

  /** The same cluster, with another namespace for what has one. */
  in(inNamespace: string): Cluster {
    return new Cluster(this.client, inNamespace);
  }

  async createNamespace(name: string): Promise<void> {
    const ref = { group: '', version: 'v1', resource: 'namespaces' };
    await this.client.create(ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  create<Kind extends KubeObject>(
    resource: Name,
    object: Omit<Kind, 'apiVersion'> & Pick<KubeObject, 'metadata'>,
  ): Promise<Kind> {
    const { group, version } = resources[resource];
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return this.client.create<Kind>(this.#ref(resource), { apiVersion, ...object } as Kind);
  }

  get<Kind extends KubeObject>(resource: Name, name: string): Promise<Kind> {
    return this.client.get<Kind>(this.#ref(resource), name);
  }

  async list<Kind extends KubeObject>(resource: Name): Promise<Kind[]> {
    return (await this.client.list<Kind>(this.#ref(resource))).items;
  }

  patch(resource: Name, name: string, patch: object, subresource?: 'approval' | 'status'): Promise<KubeObject> {
    const options = subresource === undefined ? {} : { subresource };
    return this.client.patch(this.#ref(resource), name, 'merge', patch, options);
  }

  setStatus(resource: Name, name: string, status: object): Promise<KubeObject> {
    return this.patch(resource, name, { status }, 'status');
  }

  delete(resource: Name, name: string, propagationPolicy = 'Background'): Promise<unknown> {
    return this.client.delete(this.#ref(resource), name, { propagationPolicy });
  }

  /** What a kubelet does at the end of a pod that is being deleted. */
  async remove({ metadata: { name = '', uid = '' } }: Pod): Promise<void> {
    try {
      await this.client.delete(this.#ref('pods'), name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  #ref<Kind extends KubeObject>(name: Name): ResourceReference<Kind> {
    const resource: ResourceReference<Kind> = resources[name];
    return resource.namespace === undefined ? resource : { ...resource, namespace: this.#namespace };
  }

  /** The pods with a label that have not ended, when there are so many. */
  async pods(labelSelector: string, count: number): Promise<Pod[]> {
    return this.until(`${count} pods with ${labelSelector}`, async () => {
      const { items } = await this.client.list<Pod>(this.#ref('pods'), { labelSelector });
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

  /** Waits until there is an event with a reason about an object. */
  async untilEvent(name: string, reason: string): Promise<void> {
    await this.until(`the event ${reason} about ${name}`, async () => {
      const events = await this.list<Event>('events');
      return events.some((event) => event.involvedObject?.name === name && event.reason === reason);
    });
  }

  until<T>(what: string, condition: () => Promise<T>): ReturnType<typeof waitFor<T>> {
    return waitFor(condition, { timeoutMs: 90_000, intervalMs: 100, what });
  }
}
