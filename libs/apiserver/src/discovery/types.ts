/*
 * Discovery documents, legacy (meta/v1) and aggregated (apidiscovery.k8s.io/v2), with fields in the order in which they are encoded.
 * https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
 */

/** One resource of a group-version in discovery (APIResource of meta/v1). */
export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** The group of the kind, if it differs from the group of the list. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** The response of `/api/v1` or `/apis/GROUP/VERSION` (APIResourceList of meta/v1). */
export interface ApiResourceList {
  readonly kind: 'APIResourceList';
  /** Absent for the core group, as in kube-apiserver. */
  readonly apiVersion?: 'v1';
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

interface GroupVersionForDiscovery {
  readonly groupVersion: string;
  readonly version: string;
}

export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly GroupVersionForDiscovery[];
  readonly preferredVersion: GroupVersionForDiscovery;
}

export interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface ApiSubresourceDiscovery {
  readonly subresource: string;
  readonly responseKind: ResponseKind;
  readonly verbs: readonly string[];
}

export interface ApiResourceDiscovery {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly ApiSubresourceDiscovery[];
}

/** One version of a group in aggregated discovery (apidiscovery.k8s.io/v2 APIVersionDiscovery). */
export interface ApiVersionDiscovery {
  readonly version: string;
  readonly resources?: readonly ApiResourceDiscovery[];
  readonly freshness: 'Current' | 'Stale';
}

/** One group in aggregated discovery (apidiscovery.k8s.io/v2 APIGroupDiscovery). */
export interface ApiGroupDiscovery {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly ApiVersionDiscovery[];
}

interface ApiGroupDiscoveryList {
  readonly kind: 'APIGroupDiscoveryList';
  readonly apiVersion: 'apidiscovery.k8s.io/v2';
  readonly metadata: Record<string, never>;
  readonly items: readonly ApiGroupDiscovery[];
}

export const groupDiscoveryList = (items: readonly ApiGroupDiscovery[]): ApiGroupDiscoveryList => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items,
});
