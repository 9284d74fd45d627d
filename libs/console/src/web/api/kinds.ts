import { getJson } from './api.ts';

/** A resource that the API serves. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  /** `scale`, `status`, `log`. */
  readonly subresources: readonly string[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[];
  }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Every kind in the version that its group prefers, core first. */
export async function discover(): Promise<readonly Kind[]> {
  const lists = await Promise.all(['/api', '/apis'].map((path) => getJson<DiscoveryList>(path, accept)));
  return lists.flatMap(({ items }) => items).flatMap(kindsOfGroup);
}

function kindsOfGroup({ metadata, versions }: DiscoveryList['items'][number]): Kind[] {
  const found = new Map<string, Kind>();
  for (const { version, resources = [] } of versions)
    for (const { resource, responseKind, scope, verbs, shortNames = [], subresources = [] } of resources) {
      if (found.has(resource)) continue;
      const kind = responseKind?.kind ?? '';
      found.set(resource, {
        ...{ group: metadata.name ?? '', version, resource, kind, verbs, shortNames },
        namespaced: scope === 'Namespaced',
        subresources: subresources.map(({ subresource }) => subresource),
      });
    }
  return [...found.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

export const canList = ({ verbs }: Kind): boolean => verbs.includes('list');

export const groupVersionOf = ({ group, version }: Pick<Kind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** `/api/v1/namespaces/default/pods`; without a namespace the path of all namespaces. */
export function pathOf(kind: Kind, namespace = '', name = ''): string {
  const { group, version, resource, namespaced } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}

/** Finds the kind of an object: `apiVersion` may name any version of its group. */
export function kindOf(kinds: readonly Kind[], apiVersion: string, kind: string): Kind | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return kinds.find((known) => known.kind === kind && known.group === group);
}

export const findKind = (kinds: readonly Kind[], group: string, resource: string): Kind | undefined =>
  kinds.find((known) => known.group === group && known.resource === resource);
