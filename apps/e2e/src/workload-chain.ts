import { RestClient, httpTransport, type ResourceReference } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { startChain, type TestChain } from '@apichain/testing';
import { eventually } from './workload-objects.ts';

/** Tries until `attempt` succeeds, with time for a machine that does much else. */
export const soon = <T>(attempt: () => T | Promise<T>): Promise<T> => eventually(attempt);

type Status = Readonly<Record<string, unknown>>;

/** A chain in this process with some controllers, and nobody who runs pods: the test says what becomes of them. */
export class WorkloadChain implements AsyncDisposable {
  readonly chain: TestChain;
  readonly client: RestClient;

  private constructor(chain: TestChain) {
    const { url, admin } = chain;
    this.chain = chain;
    this.client = new RestClient(httpTransport({ url, ca: admin.ca, cert: admin.cert, key: admin.key }));
  }

  static async start(
    controllers: readonly string[],
    manifests: readonly KubeObject[] = [],
    flags: readonly string[] = [],
  ): Promise<WorkloadChain> {
    const log = logTo(process.env['APICHAIN_TEST_LOG']);
    return new WorkloadChain(await startChain({ controllers, manifests, flags, ...log }));
  }

  create<Kind extends KubeObject>(
    resource: Resource,
    object: Omit<Kind, 'apiVersion'> & Pick<KubeObject, 'metadata'>,
  ): Promise<Kind> {
    const ref = refOf<Kind>(resource, object.metadata.namespace ?? 'default');
    return this.client.create(ref, { apiVersion: pathOf(resource).apiVersion, ...object } as Kind);
  }

  get<Kind extends KubeObject>(resource: Resource, name: string, namespace = 'default'): Promise<Kind> {
    return this.client.get<Kind>(refOf(resource, namespace), name);
  }

  async list<Kind extends KubeObject>(resource: Resource, labelSelector?: string): Promise<Kind[]> {
    const { items } = await this.client.list<Kind>(refOf(resource, 'default'), { labelSelector });
    return items.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  }

  /** Merges `patch` into an object. */
  patch(resource: Resource, name: string, patch: object, subresource?: string): Promise<KubeObject> {
    const options = subresource === undefined ? {} : { subresource };
    return this.client.patch(refOf(resource, 'default'), name, 'merge', patch, options);
  }

  /** Merges into the status of an object, as the component does that owns it. */
  setStatus(resource: Resource, name: string, status: Status): Promise<KubeObject> {
    return this.patch(resource, name, { status }, 'status');
  }

  delete(resource: Resource, name: string): Promise<unknown> {
    return this.client.delete(refOf(resource, 'default'), name);
  }

  /** `reason: message` of the Events about an object, oldest first; repeated ones once. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.client.list(refOf('events', 'default'), {
      fieldSelector: `involvedObject.name=${name}`,
    });
    const order = (event: KubeObject) => Number(event.metadata.resourceVersion);
    return items
      .toSorted((a, b) => order(a) - order(b))
      .map(({ reason, message }) => `${String(reason)}: ${String(message)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.chain.stop();
  }
}

function refOf<Kind extends KubeObject>(resource: Resource, namespace: string): ResourceReference<Kind> {
  const { group, version, isNamespaced } = pathOf(resource);
  return { group, version, resource, ...(isNamespaced && { namespace }) };
}

const logTo = (where: string | undefined) =>
  where === undefined ? {} : { log: (line: string) => void process.stderr.write(`${line}\n`) };

/** The resources that tests of workloads use, with their group and version. */
const paths = {
  configmaps: '/v1',
  endpoints: '/v1',
  events: '/v1',
  nodes: '/v1 cluster',
  persistentvolumeclaims: '/v1',
  persistentvolumes: '/v1 cluster',
  pods: '/v1',
  replicationcontrollers: '/v1',
  resourcequotas: '/v1',
  services: '/v1',
  deployments: 'apps/v1',
  replicasets: 'apps/v1',
  statefulsets: 'apps/v1',
  horizontalpodautoscalers: 'autoscaling/v2',
  certificatesigningrequests: 'certificates.k8s.io/v1 cluster',
  cronjobs: 'batch/v1',
  jobs: 'batch/v1',
  leases: 'coordination.k8s.io/v1',
  endpointslices: 'discovery.k8s.io/v1',
  poddisruptionbudgets: 'policy/v1',
  storageclasses: 'storage.k8s.io/v1 cluster',
  volumeattachments: 'storage.k8s.io/v1 cluster',
  volumeattributesclasses: 'storage.k8s.io/v1 cluster',
} as const;

type Resource = keyof typeof paths;

/** Group, version and scope of a resource. */
function pathOf(resource: Resource): {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
} {
  const [path = '', scope] = paths[resource].split(' ');
  const [group = '', version = ''] = path.split('/');
  return { group, version, apiVersion: group === '' ? version : path, isNamespaced: scope === undefined };
}
