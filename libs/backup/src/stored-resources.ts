import { builtinMapper, storagePath, storageVersion } from '@apichain/kinds/model';
import { formatGroupResource, isRecord, records, text, type GroupVersionKind, type KubeObject } from '@apichain/meta';

/** A resource whose objects are in a store, in the version in which they are stored. */
export interface StoredResource extends GroupVersionKind {
  /** Plural. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly custom: boolean;
}

/** What a key of a store says: an object of a resource. */
export interface StoredPlace {
  readonly resource: StoredResource;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** Where kube-apiserver keeps the definitions of custom resources. */
export const crdDirectory = '/apiextensions.k8s.io/customresourcedefinitions/';

/** Built-in resources of groups that kube-apiserver keeps below a directory with the group's name. */
const underGroup: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** The built-in resources by the directory of their objects. */
function builtinByDirectory(): Map<string, StoredResource> {
  const found = new Map<string, StoredResource>();
  for (const { group, resource } of builtinMapper.all()) {
    const hub = storageVersion(group, resource);
    const directory = underGroup.has(group) ? `/${group}/${resource}` : storagePath(resource);
    const [mapping] = builtinMapper.everyVersionOf({ group, resource });
    if (mapping === undefined || found.has(directory)) continue;
    const { kind, singular, shortNames = [], scope } = mapping;
    found.set(directory, {
      ...{ ...hub, kind, resource, singular, shortNames },
      namespaced: scope === 'Namespaced',
      custom: false,
    });
  }
  return found;
}

/** The resource that a CustomResourceDefinition, in v1 or v1beta1, defines. */
function definedBy({ spec }: KubeObject): StoredResource | undefined {
  if (!isRecord(spec) || !isRecord(spec.names)) return undefined;
  const { plural, singular, kind, shortNames } = spec.names;
  const storage = records(spec.versions).find((version) => version.storage === true)?.name ?? spec.version;
  return {
    ...{ group: text(spec.group), version: text(storage), kind: text(kind) },
    resource: text(plural),
    singular: text(singular),
    shortNames: Array.isArray(shortNames) ? shortNames.map(text) : [],
    namespaced: spec.scope === 'Namespaced',
    custom: true,
  };
}

/** The resources of a store: the built-in ones, and those that its CustomResourceDefinitions define. */
export class StoredResources {
  readonly #byDirectory = builtinByDirectory();

  /** `crds`: the definitions in the store. */
  constructor(crds: Iterable<KubeObject>) {
    for (const crd of crds) {
      const defined = definedBy(crd);
      if (defined !== undefined) this.#byDirectory.set(`/${defined.group}/${defined.resource}`, defined);
    }
  }

  /** What a key below the prefix, e.g. `/pods/default/web`, stands for; undefined = no object of a known resource. */
  placeOf(key: string): StoredPlace | undefined {
    const parts = key.split('/');
    for (const length of [2, 3]) {
      const resource = this.#byDirectory.get(parts.slice(0, length).join('/'));
      if (resource === undefined) continue;
      const [first = '', second, ...more] = parts.slice(length);
      if (more.length > 0 || first === '' || (second !== undefined) !== resource.namespaced) continue;
      return second === undefined
        ? { resource, namespace: '', name: first }
        : { resource, namespace: first, name: second };
    }
    return undefined;
  }

  /** The resources that a user may mean: plural, singular, kind or short name, optionally with the group or the beginning of it. */
  named(given: string): readonly StoredResource[] {
    const [name = '', ...rest] = given.toLowerCase().split('.');
    // `deployments.v1.apps` names a version too. Objects are in the version in which they are stored.
    const group = (/^v\d/.test(rest[0] ?? '') ? rest.slice(1) : rest).join('.');
    const matching = [...this.#byDirectory.values()].filter(
      ({ resource, singular, kind, shortNames, group: own }) =>
        [resource, singular, kind.toLowerCase(), ...shortNames].includes(name) && own.startsWith(group),
    );
    const [first] = matching;
    // As in kubectl, a name without a group means one resource, and a built-in one before others.
    return group === '' && first !== undefined ? [first] : matching;
  }
}

/** `deployments.apps`, `pods`. */
export const resourceName = (resource: StoredResource): string => formatGroupResource(resource);
