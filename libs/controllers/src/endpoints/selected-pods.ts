import type { Pod, Service } from '@apichain/api/core/v1';
import { type Informer, byNamespace, objectKey } from '@apichain/client';
import { type KubeObject, deepEqual } from '@apichain/meta';
import { isPodReady } from '../workloads/pod-status.ts';

const labelValue = (namespace: string | undefined, key: string, value: string) => `${namespace ?? ''}\n${key}=${value}`;

/** Finds objects by each of their labels, within a namespace. */
const byLabel = ({ metadata: { namespace, labels } }: KubeObject): string[] =>
  Object.entries(labels ?? {}).map(([key, value]) => labelValue(namespace, key, value));

/** Which pods services select, and which services a pod. */
export class SelectedPods {
  readonly #services: Informer<Service>;
  readonly #pods: Informer<Pod>;

  constructor(services: Informer<Service>, pods: Informer<Pod>) {
    this.#services = services;
    this.#pods = pods;
  }

  /** The pods that a service selects. An empty selector selects all of the namespace. */
  of({ metadata: { namespace }, spec }: Service): Pod[] {
    const labels = Object.entries(spec?.selector ?? {});
    if (labels.length === 0) return this.#pods.index(byNamespace).get(namespace ?? '');
    const index = this.#pods.index(byLabel);
    const candidates = labels
      .map(([key, value]) => index.get(labelValue(namespace, key, value)))
      .reduce((fewest, pods) => (pods.length < fewest.length ? pods : fewest));
    return candidates.filter(({ metadata }) => isSelected(metadata.labels, spec?.selector));
  }

  /** Calls `enqueue` with the key of a service whenever a pod changes in a way that may change its endpoints. */
  follow(enqueue: (key: string) => void): void {
    const services = this.#services.index(byNamespace);
    const enqueueServices = (pods: readonly Pod[]) => {
      for (const service of services.get(pods[0]?.metadata.namespace ?? '')) {
        const { selector } = service.spec ?? {};
        if (selector !== undefined && pods.some(({ metadata }) => isSelected(metadata.labels, selector)))
          enqueue(objectKey(service));
      }
    };
    this.#pods.addHandlers({
      onAdd: (pod) => enqueueServices([pod]),
      onUpdate: (pod, old) => {
        if (mayChangeEndpoints(pod, old)) enqueueServices([pod, old]);
      },
      onDelete: (pod) => enqueueServices([pod]),
    });
  }
}

const isSelected = (labels: Readonly<Record<string, string>> = {}, selector: Readonly<Record<string, string>> = {}) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

function mayChangeEndpoints(pod: Pod, old: Pod): boolean {
  const { metadata, spec, status } = pod;
  return (
    metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
    isPodReady(pod) !== isPodReady(old) ||
    status?.phase !== old.status?.phase ||
    spec?.hostname !== old.spec?.hostname ||
    spec?.subdomain !== old.spec?.subdomain ||
    !deepEqual(metadata.labels, old.metadata.labels) ||
    !deepEqual(status?.podIPs, old.status?.podIPs)
  );
}
