import { parseGroupVersion } from '@apichain/meta';
import type { RestMapping } from './rest-mapper.ts';

/** The part of an APIResourceList that says which kinds its resources have. */
interface ResourceList {
  readonly groupVersion?: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly kind: string;
    readonly namespaced?: boolean;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
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
    .map(({ name, singularName = '', kind, namespaced, shortNames = [], categories = [] }) => ({
      group,
      version,
      resource: name,
      singular: singularName,
      kind,
      scope: namespaced === true ? 'Namespaced' : 'Cluster',
      shortNames,
      categories,
    }));
}
