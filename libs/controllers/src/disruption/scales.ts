import type { Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type { Scale } from '@apichain/api/autoscaling/v1';
import type { Pod, ReplicationController } from '@apichain/api/core/v1';
import { type Informer, controllerOf } from '@apichain/client';
import {
  type KubeObject,
  type OwnerReference,
  formatGroupResource,
  isStatusError,
  parseGroupVersion,
} from '@apichain/meta';
import type { ControllerContext } from '../context.ts';
import type { ControllerParts } from '../controller-parts.ts';
import { deployments, replicaSets, replicationControllers, statefulSets } from '../resources.ts';
import type { ExpectedScale } from './budget.ts';

interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

/** Finds how many replicas the controllers of pods should have: from informers for those of apps/v1, from the scale subresource for others. */
export class Scales {
  readonly #context: Pick<ControllerContext, 'client' | 'discovery'>;
  readonly #deployments: Informer<Deployment>;
  readonly #replicaSets: Informer<ReplicaSet>;
  readonly #replicationControllers: Informer<ReplicationController>;
  readonly #statefulSets: Informer<StatefulSet>;

  constructor(context: Pick<ControllerContext, 'client' | 'discovery'>, informer: ControllerParts['informer']) {
    this.#context = context;
    this.#deployments = informer(deployments);
    this.#replicaSets = informer(replicaSets);
    this.#replicationControllers = informer(replicationControllers);
    this.#statefulSets = informer(statefulSets);
  }

  /** The sum of the replicas of the controllers of pods. Throws Error for a pod whose controller does not exist or has no replicas. */
  async of(pods: readonly Pod[]): Promise<ExpectedScale> {
    const replicas = new Map<string, number>();
    const unmanaged: string[] = [];
    const known = new Set<string>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (owner === undefined) unmanaged.push(pod.metadata.name ?? '');
      if (owner === undefined || known.has(owner.uid ?? '')) continue;
      const { namespace = '' } = pod.metadata;
      const scaled = this.#ofWorkload(owner, namespace) ?? (await this.#ofScale(owner, namespace));
      if (scaled === undefined) throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
      known.add(owner.uid ?? '');
      replicas.set(scaled.uid, scaled.replicas);
    }
    return { replicas: [...replicas.values()].reduce((sum, count) => sum + count, 0), unmanaged };
  }

  #ofWorkload(owner: OwnerReference, namespace: string): Scaled | undefined {
    const { group } = parseGroupVersion(owner.apiVersion ?? '');
    const isApps = group === 'apps' || group === 'extensions';
    if (owner.kind === 'ReplicationController' && group === '')
      return scaledOf(this.#replicationControllers, owner, namespace);
    if (owner.kind === 'StatefulSet' && group === 'apps') return scaledOf(this.#statefulSets, owner, namespace);
    if (owner.kind !== 'ReplicaSet' || !isApps) return undefined;
    const replicaSet = scaledOf(this.#replicaSets, owner, namespace);
    const deployment = controllerOf(this.#replicaSets.get(`${namespace}/${owner.name}`) ?? unowned);
    if (replicaSet === undefined || deployment?.kind !== 'Deployment') return replicaSet;
    return scaledOf(this.#deployments, deployment, namespace);
  }

  async #ofScale(owner: OwnerReference, namespace: string): Promise<Scaled | undefined> {
    const { client, discovery } = this.#context;
    const { group, version } = parseGroupVersion(owner.apiVersion ?? '');
    const { resources } = await discovery.fresh();
    const found = resources.find(
      (mapping) => mapping.group === group && mapping.version === version && mapping.kind === owner.kind,
    );
    if (found === undefined)
      throw new Error(
        `no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
      );
    const { resource } = found;
    try {
      const path = `/${group === '' ? 'api' : `apis/${group}`}/${version}/namespaces/${namespace}/${resource}/${owner.name}/scale`;
      const scale = (await client.request('GET', path)) as Scale;
      return scale.metadata.uid === owner.uid
        ? { uid: owner.uid ?? '', replicas: scale.spec?.replicas ?? 0 }
        : undefined;
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
      const isMissing = await client.get({ group, version, resource, namespace }, owner.name ?? '').then(
        () => false,
        () => true,
      );
      if (isMissing) return undefined;
      throw new Error(`${formatGroupResource({ group, resource })} does not implement the scale subresource`, {
        cause: error,
      });
    }
  }
}

const unowned: KubeObject = { apiVersion: '', kind: '', metadata: {} };

function scaledOf<Kind extends KubeObject & { readonly spec?: { readonly replicas?: number } }>(
  informer: Informer<Kind>,
  { name, uid = '' }: OwnerReference,
  namespace: string,
): Scaled | undefined {
  const object = informer.get(`${namespace}/${name}`);
  return object?.metadata.uid === uid ? { uid, replicas: object.spec?.replicas ?? 0 } : undefined;
}
