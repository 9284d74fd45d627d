import { Informer, type RestClient, objectKey } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import type { EndpointSliceParts, ServiceLookup, ServiceParts } from './routing/service-resolver.ts';

const serviceNameLabel = 'kubernetes.io/service-name';

/** A Service as it is held: its ports are JSON, because thousands of small objects take five times the memory of their text. */
interface HeldService extends KubeObject {
  readonly spec: NonNullable<ServiceParts['spec']>;
  readonly ports: string;
}

/** Services and EndpointSlices, held by informers, without what the aggregator does not read: a namespace's admin may write many large ones. */
export class ClusterServices implements ServiceLookup {
  readonly #services: Informer<HeldService>;
  readonly #slices: Informer<EndpointSliceParts>;
  /** `namespace/service` -> its slices by key. */
  readonly #slicesOf = new Map<string, Map<string, EndpointSliceParts>>();

  /** `onChange` is called for every Service that changed or whose endpoints changed. */
  constructor(
    client: RestClient,
    onChange: (namespace: string, name: string) => void,
    onError: (error: unknown) => void,
  ) {
    const service = (object: KubeObject) => onChange(object.metadata.namespace ?? '', object.metadata.name ?? '');
    this.#services = new Informer<HeldService>({
      client,
      resource: { group: '', version: 'v1', resource: 'services' },
      transform: heldService,
      onError,
    });
    this.#services.addHandlers({ onAdd: service, onUpdate: service, onDelete: service });
    const changed = (slice: EndpointSliceParts, present: boolean) => {
      const namespace = slice.metadata.namespace ?? '';
      const name = slice.metadata.labels?.[serviceNameLabel] ?? '';
      this.#index(`${namespace}/${name}`, slice, present);
      onChange(namespace, name);
    };
    this.#slices = new Informer<EndpointSliceParts>({
      client,
      resource: { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
      transform: partsOfSlice,
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

  service(namespace: string, name: string): ServiceParts | undefined {
    const held = this.#services.get(`${namespace}/${name}`);
    if (held === undefined) return undefined;
    const { ports, ...service } = held;
    return { ...service, spec: { ...held.spec, ports: JSON.parse(ports) as Ports } };
  }

  endpointSlices(namespace: string, serviceName: string): EndpointSliceParts[] {
    return [...(this.#slicesOf.get(`${namespace}/${serviceName}`)?.values() ?? [])];
  }

  #index(service: string, slice: EndpointSliceParts, present: boolean): void {
    const slices = this.#slicesOf.get(service) ?? new Map<string, EndpointSliceParts>();
    this.#slicesOf.set(service, slices);
    if (present) slices.set(objectKey(slice), slice);
    else slices.delete(objectKey(slice));
    if (slices.size === 0) this.#slicesOf.delete(service);
  }
}

const identityOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { namespace, name, resourceVersion, labels } = metadata;
  const serviceName = labels?.[serviceNameLabel];
  const own = serviceName === undefined ? {} : { labels: { [serviceNameLabel]: serviceName } };
  return { apiVersion, kind, metadata: { namespace, name, resourceVersion, ...own } };
};

type Ports = NonNullable<NonNullable<ServiceParts['spec']>['ports']>;

function heldService(service: ServiceParts): HeldService {
  const { type, clusterIP, externalName, ports = [] } = service.spec ?? {};
  const kept = ports.map(({ name, port }) => ({ name, port }));
  return { ...identityOf(service), spec: { type, clusterIP, externalName }, ports: JSON.stringify(kept) };
}

const partsOfSlice = (slice: EndpointSliceParts): EndpointSliceParts => ({
  ...identityOf(slice),
  endpoints: slice.endpoints?.map(({ addresses, conditions }) => ({
    addresses,
    conditions: { ready: conditions?.ready },
  })),
  ports: slice.ports?.map(({ name, port }) => ({ name, port })),
});
