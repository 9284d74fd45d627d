import { goQuote } from '@apichain/go-text';
import {
  formatGroupVersion,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
} from '@apichain/meta';

/** One resource of one version, as in discovery, without the verbs. */
export interface RestMapping extends GroupVersionResource, GroupVersionKind {
  /** Plural, as in the URL. */
  readonly resource: string;
  readonly singular: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
}

/** The kind does not exist in the version, or in any version where none is asked for. It may be served later. */
export class NoKindMatchError extends Error {
  override readonly name = 'NoKindMatchError';

  constructor({ group, version, kind }: GroupVersionKind) {
    super(`no matches for kind ${goQuote(kind)} in version ${goQuote(formatGroupVersion({ group, version }))}`);
  }
}

const versionKey = ({ group, version }: GroupVersion) => `${group}/${version}`;
const resourceKey = ({ group, resource }: GroupResource) => `${group}/${resource}`;
const kindKey = ({ group, version, kind }: GroupVersionKind) => `${group}/${version}/${kind}`;

/**
 * Maps kinds to resources, and resources to the versions that serve them. Group-versions are ordered by preference: where no version is specified,
 * the first group-version wins. A look-up by full name is one map access.
 * Source of the rules: k8s.io/apimachinery/pkg/api/meta DefaultRESTMapper and PriorityRESTMapper.
 */
export class RestMapper {
  /** The place of each group-version in the order of preference, which is that in which they are added. */
  readonly #rank = new Map<string, number>();
  readonly #byResource = new Map<string, readonly RestMapping[]>();
  readonly #byKind = new Map<string, RestMapping>();

  /** Adds a resource, and replaces one of the same group, version and name. If two resources have the same kind, the first one added keeps it. */
  add(mapping: RestMapping): void {
    if (!this.#rank.has(versionKey(mapping))) this.#rank.set(versionKey(mapping), this.#rank.size);
    const named = this.everyVersionOf(mapping);
    const former = named.find(({ version }) => version === mapping.version);
    if (former !== undefined && this.getByKind(former) === former) this.#byKind.delete(kindKey(former));
    if (!this.#byKind.has(kindKey(mapping))) this.#byKind.set(kindKey(mapping), mapping);
    this.#byResource.set(resourceKey(mapping), this.#sorted([...named.filter((other) => other !== former), mapping]));
  }

  /** Replaces all resources by the given ones. */
  replace(mappings: readonly RestMapping[]): void {
    this.#rank.clear();
    this.#byResource.clear();
    this.#byKind.clear();
    for (const mapping of mappings) this.add(mapping);
  }

  /** Every mapping, most preferred group-version first. */
  all(): RestMapping[] {
    return this.#sorted([...this.#byResource.values()].flat());
  }

  /** The resource of a kind in this version; undefined if there is none. */
  getByKind(kind: GroupVersionKind): RestMapping | undefined {
    return this.#byKind.get(kindKey(kind));
  }

  /** The resource in each version that has it, most preferred first. */
  everyVersionOf(resource: GroupResource): readonly RestMapping[] {
    return this.#byResource.get(resourceKey(resource)) ?? [];
  }

  /** Whether a mapping is that of the most preferred version of the resource. */
  isPreferred(mapping: GroupVersionResource): boolean {
    return this.everyVersionOf(mapping)[0]?.version === mapping.version;
  }

  /** The versions of a resource, most preferred first. */
  versionsOf(resource: GroupResource): string[] {
    return this.everyVersionOf(resource).map(({ version }) => version);
  }

  /** The resource of a kind in a version, or in the preferred version for ''. Throws NoKindMatchError. */
  mappingFor({ group, kind }: GroupKind, version: string): RestMapping {
    const found =
      version === ''
        ? this.all().find((mapping) => mapping.group === group && mapping.kind === kind)
        : this.getByKind({ group, version, kind });
    if (found === undefined) throw new NoKindMatchError({ group, version, kind });
    return found;
  }

  #sorted(mappings: readonly RestMapping[]): RestMapping[] {
    const rank = (mapping: GroupVersion) => this.#rank.get(versionKey(mapping)) ?? 0;
    return mappings.toSorted(
      (a, b) => rank(a) - rank(b) || (a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : 0),
    );
  }
}
