import type { GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource } from '@apichain/meta';
import { AmbiguousKindError, AmbiguousResourceError, NoKindMatchError, NoResourceMatchError } from './match-error.ts';

export type Scope = 'Namespaced' | 'Cluster';

/** One resource of one version, as in discovery, without the verbs. */
export interface RestMapping extends GroupVersionResource, GroupVersionKind {
  /** Plural, as in the URL. */
  readonly resource: string;
  readonly singular: string;
  readonly scope: Scope;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A partially specified resource: an absent or empty group or version matches any. */
interface PartialResource {
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
}

const groupVersionKey = ({ group, version }: GroupVersion) => `${group}/${version}`;
const resourceKey = (gvr: GroupVersionResource) => `${gvr.group}/${gvr.version}/${gvr.resource}`;
const kindKey = (gvk: GroupVersionKind) => `${gvk.group}/${gvk.version}/${gvk.kind}`;
const toResource = ({ group, version, resource }: GroupVersionResource): GroupVersionResource => ({
  group,
  version,
  resource,
});
const toKind = ({ group, version, kind }: GroupVersionKind): GroupVersionKind => ({ group, version, kind });

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function drop<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const rest = map.get(key)?.filter((other) => other !== value) ?? [];
  if (rest.length === 0) map.delete(key);
  else map.set(key, rest);
}

/**
 * Maps resources to kinds and back. Group-versions are ordered by preference: if a version is not specified, the first group-version wins.
 * A lookup by full name is one map access.
 * Source of the rules: k8s.io/apimachinery/pkg/api/meta DefaultRESTMapper and PriorityRESTMapper.
 */
export class RestMapper {
  readonly #rank = new Map<string, number>();
  readonly #byResource = new Map<string, RestMapping>();
  readonly #byKind = new Map<string, RestMapping>();
  /** By plural and by singular name. */
  readonly #byName = new Map<string, RestMapping[]>();
  readonly #byShortName = new Map<string, RestMapping[]>();
  readonly #byCategory = new Map<string, RestMapping[]>();

  /** `priority` lists group-versions, most preferred first. Others follow in the order in which they are added. */
  constructor(priority: readonly GroupVersion[] = []) {
    for (const gv of priority) this.#rankOf(gv);
  }

  /** Adds a resource, and replaces one of the same group, version and name. If two resources have the same kind, the first one added keeps it. */
  add(mapping: RestMapping): void {
    this.remove(mapping);
    this.#rankOf(mapping);
    this.#byResource.set(resourceKey(mapping), mapping);
    if (!this.#byKind.has(kindKey(mapping))) this.#byKind.set(kindKey(mapping), mapping);
    for (const name of new Set([mapping.resource, mapping.singular])) append(this.#byName, name, mapping);
    for (const name of mapping.shortNames ?? []) append(this.#byShortName, name, mapping);
    for (const name of mapping.categories ?? []) append(this.#byCategory, name, mapping);
  }

  /** Removes a resource, for example when its CustomResourceDefinition is deleted. Unknown resources are ignored. */
  remove(gvr: GroupVersionResource): void {
    const mapping = this.#byResource.get(resourceKey(gvr));
    if (mapping === undefined) return;
    this.#byResource.delete(resourceKey(gvr));
    if (this.#byKind.get(kindKey(mapping)) === mapping) this.#byKind.delete(kindKey(mapping));
    for (const name of new Set([mapping.resource, mapping.singular])) drop(this.#byName, name, mapping);
    for (const name of mapping.shortNames ?? []) drop(this.#byShortName, name, mapping);
    for (const name of mapping.categories ?? []) drop(this.#byCategory, name, mapping);
  }

  /** Replaces all resources by the given ones. */
  replace(mappings: readonly RestMapping[]): void {
    const kept = new Set(mappings.map(resourceKey));
    for (const [key, mapping] of this.#byResource) if (!kept.has(key)) this.remove(mapping);
    for (const mapping of mappings) this.add(mapping);
  }

  /** Every mapping, most preferred group-version first. */
  all(): RestMapping[] {
    return this.#sorted([...this.#byResource.values()]);
  }
  get(gvr: GroupVersionResource): RestMapping | undefined {
    return this.#byResource.get(resourceKey(gvr));
  }
  getByKind(gvk: GroupVersionKind): RestMapping | undefined {
    return this.#byKind.get(kindKey(gvk));
  }
  /** Whether the kind is served in some version of its group. */
  hasKind({ group, kind }: GroupKind): boolean {
    return [...this.#byKind.values()].some((mapping) => mapping.group === group && mapping.kind === kind);
  }
  /** The resource in each version that has it, most preferred first. */
  everyVersionOf({ group, resource }: GroupResource): RestMapping[] {
    const named = this.#byName.get(resource) ?? [];
    return this.#sorted(named.filter((m) => m.group === group && m.resource === resource));
  }
  /** Whether a mapping is that of the most preferred version of the resource. */
  isPreferred(mapping: GroupVersionResource): boolean {
    return this.everyVersionOf(mapping)[0]?.version === mapping.version;
  }
  /** The versions of a resource, most preferred first. */
  versionsOf(resource: GroupResource): string[] {
    return this.everyVersionOf(resource).map((m) => m.version);
  }
  /** Resources of a category such as `all`. */
  inCategory(category: string): RestMapping[] {
    return this.#sorted(this.#byCategory.get(category) ?? []);
  }
  /** Resources with a short name such as `po`. */
  withShortName(shortName: string): RestMapping[] {
    return this.#sorted(this.#byShortName.get(shortName) ?? []);
  }

  /**
   * All resources that match a partial resource, most preferred first. If no group matches exactly, the group is a prefix (`apps` for
   * `apps.example.com`). Throws NoResourceMatchError.
   */
  resourcesFor(partial: PartialResource): GroupVersionResource[] {
    return this.#matches(partial).map(toResource);
  }
  kindsFor(partial: PartialResource): GroupVersionKind[] {
    return this.#matches(partial).map(toKind);
  }
  /** The resource that matches, by preference if versions differ. Throws NoResourceMatchError or AmbiguousResourceError. */
  resourceFor(partial: PartialResource): GroupVersionResource {
    const matches = this.resourcesFor(partial);
    return this.#preferred(matches) ?? this.#failAmbiguous(partial, matches, []);
  }
  /** The kind that matches. Throws NoResourceMatchError or AmbiguousResourceError. */
  kindFor(partial: PartialResource): GroupVersionKind {
    const matches = this.kindsFor(partial);
    return this.#preferred(matches) ?? this.#failAmbiguous(partial, [], matches);
  }
  /**
   * The resource of a kind in the first of `versions` that has it, or in the preferred version if `versions` is empty. Throws
   * NoKindMatchError, or AmbiguousKindError if two resources have the kind in that version.
   */
  mappingFor(groupKind: GroupKind, ...versions: string[]): RestMapping {
    const named = versions.filter((version) => version !== '');
    for (const version of named) {
      const mapping = this.#byKind.get(kindKey({ ...groupKind, version }));
      if (mapping !== undefined) return mapping;
    }
    if (named.length > 0) throw new NoKindMatchError(groupKind, versions);
    const candidates = this.#sorted(
      [...this.#byKind.values()].filter((m) => m.group === groupKind.group && m.kind === groupKind.kind),
    );
    const [first, second] = candidates;
    if (first === undefined) throw new NoKindMatchError(groupKind, versions);
    if (second !== undefined && second.version === first.version) {
      throw new AmbiguousKindError({ ...groupKind, version: '' }, candidates.map(toKind));
    }
    return first;
  }
  /** The singular of a plural or singular name. Throws NoResourceMatchError, or Error if groups have different singulars. */
  singularOf(resource: string): string {
    const matches = this.#matches({ resource });
    const singulars = new Set(matches.map((m) => m.singular));
    const [singular] = singulars;
    if (singulars.size > 1 || singular === undefined) {
      const list = matches.map((m) => `${m.group}/${m.version}, Resource=${m.resource}`).join(' ');
      throw new Error(`multiple possible singular resources ([${list}]) found for ${resource}`);
    }
    return singular;
  }

  #rankOf(gv: GroupVersion): number {
    const key = groupVersionKey(gv);
    const rank = this.#rank.get(key) ?? this.#rank.size;
    this.#rank.set(key, rank);
    return rank;
  }
  #sorted(mappings: readonly RestMapping[]): RestMapping[] {
    return mappings.toSorted(
      (a, b) => this.#rankOf(a) - this.#rankOf(b) || (a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : 0),
    );
  }

  #matches({ group = '', version = '', resource }: PartialResource): RestMapping[] {
    const name = resource.toLowerCase();
    if (name === '') throw new Error(`a resource must be present, got: ${group}/${version}, Resource=`);
    const inVersion = (this.#byName.get(name) ?? []).filter((m) => version === '' || m.version === version);
    let found = inVersion.filter((m) => group === '' || m.group === group);
    if (found.length === 0 && version === '') found = inVersion.filter((m) => m.group.startsWith(group));
    if (found.length === 0) throw new NoResourceMatchError({ group, version, resource: name });
    return this.#sorted(found);
  }

  /** The first match, unless the second is of the same group-version. */
  #preferred<T extends GroupVersion>(matches: readonly T[]): T | undefined {
    const [first, second] = matches;
    if (first === undefined) return undefined;
    const contended = second !== undefined && groupVersionKey(first) === groupVersionKey(second);
    return contended ? undefined : first;
  }
  #failAmbiguous(
    { group = '', version = '', resource }: PartialResource,
    resources: readonly GroupVersionResource[],
    kinds: readonly GroupVersionKind[],
  ): never {
    throw new AmbiguousResourceError({ group, version, resource }, resources, kinds);
  }
}
