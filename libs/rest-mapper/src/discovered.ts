import type { APIGroupDiscoveryList } from '@apichain/api/apidiscovery/v2';
import { formatGroupVersion, parseGroupVersion } from '@apichain/meta';
import type { RestMapping } from './rest-mapper.ts';

/** The part of an APIResourceList that lists the kinds of resources. */
interface ResourceList {
  readonly groupVersion?: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly kind: string;
    readonly namespaced?: boolean;
    readonly shortNames?: readonly string[];
  }[];
}

/**
 * The resources of the discovery document of one group-version (`/api/v1`, `/apis/apps/v1`), without their subresources.
 * Source: https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#APIResourceList
 */
export function mappingsOfResourceList(document: unknown): RestMapping[] {
  const { groupVersion = '', resources = [] } = (document ?? {}) as ResourceList;
  const { group, version } = parseGroupVersion(groupVersion);
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, singularName = '', kind, namespaced, shortNames = [] }) => ({
      group,
      version,
      resource: name,
      singular: singularName,
      kind,
      scope: namespaced === true ? 'Namespaced' : 'Cluster',
      shortNames,
    }));
}

/** A resource of aggregated discovery, with its verbs. */
export interface DiscoveredMapping extends RestMapping {
  /** `get`, `list`, `create` and so on. */
  readonly verbs: readonly string[];
}

/** The content of an aggregated discovery document. */
interface DiscoveredGroups {
  /** Each resource in every version, in the order of the document, without subresources. */
  readonly mappings: readonly DiscoveredMapping[];
  /** Group-versions (`metrics.k8s.io/v1beta1`) whose server did not respond to discovery: their resources may be missing. */
  readonly stale: readonly string[];
}

/**
 * The resources of an aggregated discovery document (`/api` and `/apis` in the form `as=APIGroupDiscoveryList`).
 * Source: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
export function mappingsOfGroupDiscovery({ items }: Pick<APIGroupDiscoveryList, 'items'>): DiscoveredGroups {
  const mappings: DiscoveredMapping[] = [];
  const stale: string[] = [];
  for (const { metadata, versions = [] } of items ?? [])
    for (const { version = '', freshness, resources = [] } of versions) {
      const groupVersion = { group: metadata.name ?? '', version };
      if (freshness === 'Stale') stale.push(formatGroupVersion(groupVersion));
      for (const served of resources)
        mappings.push({
          ...groupVersion,
          resource: served.resource ?? '',
          singular: served.singularResource ?? '',
          kind: served.responseKind?.kind ?? '',
          scope: served.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
          shortNames: served.shortNames ?? [],
          verbs: served.verbs ?? [],
        });
    }
  return { mappings, stale };
}
