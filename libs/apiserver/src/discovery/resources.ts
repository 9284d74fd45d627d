import { formatGroupVersion, type GroupVersion } from '@apichain/meta';
import type { ResourceStorage } from '../registry/rest.ts';
import type {
  ApiGroup,
  ApiGroupDiscovery,
  ApiResource,
  ApiResourceDiscovery,
  ApiResourceList,
  ApiSubresourceDiscovery,
  ResponseKind,
} from './types.ts';

/** Verbs with the storage methods that provide them, in the order in which discovery lists verbs. */
const verbMethods: readonly (readonly [verb: string, ...methods: string[]])[] = [
  ['create', 'create'],
  ['delete', 'delete'],
  ['deletecollection', 'deleteCollection'],
  ['get', 'get'],
  ['list', 'list'],
  ['patch', 'get', 'update'],
  ['update', 'update'],
  ['watch', 'watch'],
];
const verbByConnectMethod: Readonly<Record<string, string | undefined>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The verbs that a storage supports, derived from the methods it implements. */
export function verbsOf(storage: ResourceStorage): string[] {
  if ('connectMethods' in storage && Array.isArray(storage.connectMethods)) {
    const verbs = storage.connectMethods.flatMap((method) => verbByConnectMethod[String(method)] ?? []);
    return [...new Set(verbs)].sort();
  }
  const has = (method: string) => method in storage;
  return verbMethods.filter(([, ...methods]) => methods.every(has)).map(([verb]) => verb);
}

/** The resources of a group-version as discovery lists them, sorted by name. */
export function apiResources(groupVersion: GroupVersion, storages: readonly ResourceStorage[]): ApiResource[] {
  return storages
    .map((storage) => apiResource(groupVersion, storage))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function apiResource(groupVersion: GroupVersion, storage: ResourceStorage): ApiResource {
  const { info } = storage;
  const foreign = info.kind.group !== groupVersion.group || info.kind.version !== groupVersion.version;
  const isSubresource = storage.path.includes('/');
  return {
    name: storage.path,
    singularName: isSubresource ? '' : info.singular,
    namespaced: info.namespaced,
    ...(foreign ? { group: info.kind.group, version: info.kind.version } : {}),
    kind: info.kind.kind,
    verbs: verbsOf(storage),
    ...(!isSubresource && info.shortNames.length > 0 ? { shortNames: info.shortNames } : {}),
    ...(!isSubresource && info.categories.length > 0 ? { categories: info.categories } : {}),
    ...(!isSubresource && storage.storageVersionHash !== undefined
      ? { storageVersionHash: storage.storageVersionHash }
      : {}),
  };
}

export function apiResourceList(groupVersion: GroupVersion, resources: readonly ApiResource[]): ApiResourceList {
  return {
    kind: 'APIResourceList',
    ...(groupVersion.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: formatGroupVersion(groupVersion),
    resources,
  };
}

/** The resources in aggregated form: subresources are nested below their resource. A resource that is not listed gets an empty entry. */
export function toDiscovery(resources: readonly ApiResource[]): ApiResourceDiscovery[] {
  const parents = new Map<string, ApiResourceDiscovery & { subresources?: ApiSubresourceDiscovery[] }>();
  for (const resource of resources) {
    if (resource.name.includes('/')) continue;
    parents.set(resource.name, {
      resource: resource.name,
      responseKind: responseKind(resource),
      scope: scopeOfResource(resource),
      singularResource: resource.singularName,
      verbs: resource.verbs,
      ...(resource.shortNames === undefined ? {} : { shortNames: resource.shortNames }),
      ...(resource.categories === undefined ? {} : { categories: resource.categories }),
    });
  }
  for (const resource of resources) {
    const slash = resource.name.indexOf('/');
    if (slash < 0) continue;
    const parentName = resource.name.slice(0, slash);
    let parent = parents.get(parentName);
    if (parent === undefined) {
      parent = {
        resource: parentName,
        responseKind: { group: '', version: '', kind: '' },
        scope: scopeOfResource(resource),
        singularResource: '',
        verbs: [],
      };
      parents.set(parentName, parent);
    }
    (parent.subresources ??= []).push({
      subresource: resource.name.slice(slash + 1),
      responseKind: responseKind(resource),
      verbs: resource.verbs,
    });
  }
  return [...parents.values()];
}

const responseKind = (resource: ApiResource): ResponseKind => ({
  group: resource.group ?? '',
  version: resource.version ?? '',
  kind: resource.kind,
});
const scopeOfResource = (resource: ApiResource) => (resource.namespaced ? 'Namespaced' : 'Cluster');

/** Converts a group of the aggregated document to its legacy form. */
export function toApiGroup(group: ApiGroupDiscovery): ApiGroup {
  const name = group.metadata.name ?? '';
  const versions = group.versions.map(({ version }) => ({
    groupVersion: formatGroupVersion({ group: name, version }),
    version,
  }));
  return { name, versions, preferredVersion: versions[0] ?? { groupVersion: '', version: '' } };
}
