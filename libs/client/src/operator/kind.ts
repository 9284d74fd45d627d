import { deepClone, formatGroupVersion, type KubeObject } from '@apichain/meta';
import type { ResourceReference } from '../rest-client.ts';

/**
 * A kind and the resource that serves it: `{ group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments' }`. `Kind` is the TypeScript type of its
 * objects. `apichain generate types` makes them; `kinds` has those of Kubernetes.
 */
export interface KindReference<Kind extends KubeObject = KubeObject> extends ResourceReference<Kind> {
  readonly kind: string;
  /** Whether its objects are in namespaces. Default: true. */
  readonly namespaced?: boolean;
}

/** The name of a resource in all its namespaces, as a key of maps. */
export const resourceKey = ({ group, version, resource }: ResourceReference): string =>
  [group, version, resource].join('/');

/** A copy of an object of a cache, which its user may change. It has the kind, which servers leave out of the items of lists. */
export const ownCopy = <Kind extends KubeObject>(reference: KindReference<Kind>, object: Kind): Kind => ({
  ...deepClone(object),
  apiVersion: formatGroupVersion(reference),
  kind: reference.kind,
});
