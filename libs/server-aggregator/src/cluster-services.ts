import { Informer, type RestClient, objectKey } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import type { ServiceLookup } from './routing/service-resolver.ts';

const serviceNameLabel = 'kubernetes.io/service-name';

/** Services and EndpointSlices, held by informers. */
export class ClusterServices implements ServiceLookup {
  readonly #services: Informer;
  readonly #slices: Informer;
  /** `namespace/service` -> its slices by key. */
  readonly #slicesOf = new Map<string, Map<string, KubeObject>>();

  /** `onChange` is called for every Service that changed or whose endpoints changed. */
  constructor(
    client: RestClient,
    onChange: (namespace: string, name: string) => void,
    onError: (error: unknown) => void,
  ) {
    const service = (object: KubeObject) => onChange(object.metadata.namespace ?? '', object.metadata.name ?? '');
    this.#services = new Informer({ client, resource: { group: '', version: 'v1', resource: 'services' }, onError });
    this.#services.addHandlers({ onAdd: service, onUpdate: service, onDelete: service });
    const changed = (slice: KubeObject, present: boolean) => {
      const namespace = slice.metadata.namespace ?? '';
      const name = slice.metadata.labels?.[serviceNameLabel] ?? '';
      this.#index(`${namespace}/${name}`, slice, present);
      onChange(namespace, name);
    };
    this.#slices = new Informer({
      client,
      resource: { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
      onError,
    });
    this.#slices.addHandlers({
      onAdd: (slice) => changed(slice, true),
      onUpdate: (slice, old) => {
        changed(old, false);
        changed(slice, true);
      },
      onDelete: (slice) => changed(slice, false),
    });
  }

  start(): void {
    this.#services.start();
    this.#slices.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#services.stop(), this.#slices.stop()]);
  }

  service(namespace: string, name: string): KubeObject | undefined {
    return this.#services.get(`${namespace}/${name}`);
  }

  endpointSlices(namespace: string, serviceName: string): KubeObject[] {
    return [...(this.#slicesOf.get(`${namespace}/${serviceName}`)?.values() ?? [])];
  }

  #index(service: string, slice: KubeObject, present: boolean): void {
    const slices = this.#slicesOf.get(service) ?? new Map<string, KubeObject>();
    this.#slicesOf.set(service, slices);
    if (present) slices.set(objectKey(slice), slice);
    else slices.delete(objectKey(slice));
    if (slices.size === 0) this.#slicesOf.delete(service);
  }
}
