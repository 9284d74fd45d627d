import type { Node, PersistentVolume, Pod, PodSpec } from '@apichain/api/core/v1';
import type { RestClient, ResourceReference } from '@apichain/client';
import { type KubeObject, isStatusError } from '@apichain/meta';
import { waitFor } from '../chain.ts';

const timeoutMs = 30_000;

const core = (resource: string, namespace?: string): ResourceReference => ({
  group: '',
  version: 'v1',
  resource,
  namespace,
});

const volumes: ResourceReference<PersistentVolume> = core('persistentvolumes');

/** Properties of a node that matter to a scheduler. */
interface NodeOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<Node['spec']>['taints'];
  readonly unschedulable?: boolean;
  readonly images?: readonly { readonly name: string; readonly megabytes: number }[];
  readonly declaredFeatures?: string[];
}

/** Properties of a pod that matter to a scheduler. `requests` are those of its container. */
interface PodOptions {
  readonly requests?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: KubeObject;
  readonly spec?: PodSpec;
}

/** What a scheduler made of a pod. */
export interface PodResult {
  readonly node: string;
  readonly nominatedNode: string;
  readonly condition: string;
  readonly events: readonly string[];
}

/** Resolves when the scheduler has seen an object. Objects of different kinds reach it by different watches, so pods must come after the others. */
export type Arrival = (resource: ResourceReference, object: KubeObject) => Promise<void>;

/** The objects of a scenario, and what became of them. */
export class Stage {
  readonly #client: RestClient;
  readonly #arrival: Arrival;
  readonly namespace: string;
  readonly #made: { readonly ref: ResourceReference; readonly name: string }[] = [];

  constructor(client: RestClient, namespace: string, arrival: Arrival) {
    this.#client = client;
    this.#arrival = arrival;
    this.namespace = namespace;
  }

  async open(): Promise<void> {
    await this.create('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
    await this.create('', 'serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: this.namespace },
    });
  }

  /** Deletes what was made, the latest first. */
  async close(): Promise<void> {
    for (const { ref, name } of this.#made.toReversed()) {
      // No controller is there to remove the finalizers of volumes and claims.
      if (ref.resource.startsWith('persistentvolume'))
        await ignoringRefusal(this.#client.patch(ref, name, 'merge', { metadata: { finalizers: null } }));
      await ignoringRefusal(this.#client.delete(ref, name, { gracePeriodSeconds: 0 }));
    }
  }

  /** Creates an object, with its status. `resource` may name a group: `apps/replicasets`. */
  async create(group: string, resource: string, object: KubeObject): Promise<KubeObject> {
    const { namespace, name = '' } = object.metadata;
    const ref = { ...core(resource, namespace), group };
    const created = await this.#client.create(ref, object);
    this.#made.push({ ref, name });
    const isComplete = object['status'] === undefined || resource === 'nodes';
    const complete = isComplete
      ? created
      : await this.#client.update(ref, { ...created, status: object['status'] }, { subresource: 'status' });
    await this.#arrival(ref, complete);
    return complete;
  }

  async remove(group: string, resource: string, name: string, namespaced = true): Promise<void> {
    const ref = { ...core(resource, namespaced ? this.namespace : undefined), group };
    await this.#client.delete(ref, name, { gracePeriodSeconds: 0 });
  }

  /** Changes an object by a merge patch. */
  async patch(group: string, resource: string, name: string, patch: unknown, subresource?: string): Promise<void> {
    const namespaced = !['nodes', 'persistentvolumes', 'storageclasses'].includes(resource);
    const ref = { ...core(resource, namespaced ? this.namespace : undefined), group };
    await this.#arrival(
      ref,
      await this.#client.patch(ref, name, 'merge', patch, subresource === undefined ? {} : { subresource }),
    );
  }

  async node(name: string, options: NodeOptions = {}): Promise<void> {
    const { cpu = '4', memory = '8Gi', pods = '110', more = {}, labels = {}, taints = [], images = [] } = options;
    const amounts = { cpu, memory, pods, ...more };
    await this.create('', 'nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      spec: { taints, unschedulable: options.unschedulable ?? false },
      status: {
        allocatable: amounts,
        capacity: amounts,
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
        images: images.map((image) => ({ names: [image.name], sizeBytes: image.megabytes * 1024 * 1024 })),
        declaredFeatures: options.declaredFeatures ?? [],
      },
    });
  }

  async pod(name: string, { requests = {}, labels = {}, owner, spec = {} }: PodOptions = {}): Promise<void> {
    const ownerReferences =
      owner === undefined
        ? {}
        : {
            ownerReferences: [
              {
                apiVersion: owner.apiVersion,
                kind: owner.kind,
                name: owner.metadata.name ?? '',
                uid: owner.metadata.uid ?? '',
                controller: true,
              },
            ],
          };
    // Extended resources need equal limits.
    const limits = Object.fromEntries(Object.entries(requests).filter(([resource]) => resource.includes('/')));
    await this.create('', 'pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: this.namespace, labels, ...ownerReferences },
      spec: { containers: [{ name: 'main', image: 'example.com/main:1', resources: { requests, limits } }], ...spec },
    });
  }

  /** Waits until the scheduler has bound the pod. */
  bound(name: string): Promise<void> {
    return this.#until(`${name} is bound`, async () => ((await this.#pod(name)).spec?.nodeName ?? '') !== '');
  }

  /** Waits until the scheduler has said why it cannot schedule the pod, and the reason is (or matches) the expected one. */
  rejected(name: string, message = /./): Promise<void> {
    return this.#until(`${name} is rejected with ${String(message)}`, async () => {
      const condition = scheduledCondition(await this.#pod(name));
      return condition?.status === 'False' && message.test(condition.message ?? '');
    });
  }

  /** Waits until there is an event about the pod whose text matches. */
  recorded(name: string, text: RegExp): Promise<void> {
    return this.#until(`${name} has an event ${String(text)}`, async () =>
      (await this.#events(name)).some((event) => text.test(event)),
    );
  }

  /** Waits until the pod is nominated for a node, or does not exist any more. */
  nominated(name: string): Promise<void> {
    return this.#until(
      `${name} is nominated`,
      async () => ((await this.#pod(name)).status?.nominatedNodeName ?? '') !== '',
    );
  }

  /** The claim for which a volume is reserved and who has chosen it, once that is written. */
  async claimRef(volume: string): Promise<string> {
    let text = '';
    await this.#until(`${volume} is reserved`, async () => {
      const { metadata, spec } = await this.#client.get<PersistentVolume>(volumes, volume);
      const { kind, name, apiVersion } = spec?.claimRef ?? {};
      if (name === undefined) return false;
      text = JSON.stringify([kind, name, apiVersion, metadata.annotations]);
      return true;
    });
    return text;
  }

  /** The annotations of a claim, once a node is selected for it. */
  async selectedNode(claim: string): Promise<string> {
    let text = '';
    await this.#until(`a node is selected for ${claim}`, async () => {
      const { metadata } = await this.#client.get(core('persistentvolumeclaims', this.namespace), claim);
      text = JSON.stringify(metadata.annotations);
      return metadata.annotations?.['volume.kubernetes.io/selected-node'] !== undefined;
    });
    return text;
  }

  gone(name: string): Promise<void> {
    return this.#until(`${name} is gone`, async () => {
      const { items } = await this.#client.list(core('pods', this.namespace));
      return !items.some(({ metadata }) => metadata.name === name);
    });
  }

  /** What became of a pod. Events are written on their own: it waits for the one about the state of the pod. */
  async result(name: string): Promise<PodResult> {
    let result: PodResult | undefined;
    await this.#until(`an event tells what became of ${name}`, async () => {
      const pod = await this.#pod(name);
      const events = await this.#events(name);
      const { status, reason, message = '', observedGeneration } = scheduledCondition(pod) ?? {};
      const told = message.replaceAll(this.namespace, 'NAMESPACE');
      const condition = JSON.stringify([status, reason, message === '' ? undefined : told, observedGeneration]);
      const { nodeName: node = '' } = pod.spec ?? {};
      result = { node, nominatedNode: pod.status?.nominatedNodeName ?? '', condition, events };
      if (reason === 'Unschedulable') return events.some((event) => event.includes(told));
      return node === '' || events.some((event) => event.startsWith('Normal Scheduled '));
    });
    if (result === undefined) throw new Error(`${name} was not looked at`);
    return result;
  }

  /** The events about a pod, without repetition, in the order of their first occurrence. UIDs are left out. */
  async #events(name: string): Promise<readonly string[]> {
    const ref = { group: 'events.k8s.io', version: 'v1', resource: 'events', namespace: this.namespace };
    const { items } = await this.#client.list(ref);
    const texts = items
      .filter(({ regarding }) => (regarding as { name?: string }).name === name)
      .sort((a, b) => String(a['eventTime']).localeCompare(String(b['eventTime'])))
      .map(({ type, reason, action, note, related, reportingController }) => {
        const about = (related as { name?: string } | undefined)?.name ?? '-';
        return `${String(type)} ${String(reason)} ${String(action)} [${about}] ${String(reportingController)}: ${String(note)}`;
      })
      .map((text) =>
        text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID').replaceAll(this.namespace, 'NAMESPACE'),
      );
    return [...new Set(texts)];
  }

  async #pod(name: string): Promise<Pod> {
    return this.#client.get<Pod>(core('pods', this.namespace), name);
  }

  #until(what: string, condition: () => Promise<boolean>): Promise<void> {
    return waitFor(condition, timeoutMs, () => what);
  }
}

const scheduledCondition = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'PodScheduled');

/** What is gone need not be deleted. */
async function ignoringRefusal(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isStatusError(error)) throw error;
  }
}
