import { type GroupVersion, compareVersions } from '@apichain/meta';
import type { GroupPriorities } from '../api-group.ts';
import { apiResourceList, toDiscovery } from './resources.ts';
import type { ApiGroupDiscovery, ApiResource, ApiResourceList, ApiVersionDiscovery } from './types.ts';

interface Entry {
  readonly groupVersion: GroupVersion;
  readonly list: ApiResourceList;
  readonly discovery: ApiVersionDiscovery;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly routed: boolean;
}

const defaultGroupPriority = 1000;
const defaultVersionPriority = 15;

/** Priorities that keep the given order of versions. */
export function defaultPriorities(versions: readonly string[]): GroupPriorities {
  const versionPriority: Record<string, number> = {};
  versions.forEach((version, position) => {
    versionPriority[version] = defaultVersionPriority + versions.length - 1 - position;
  });
  return { groupPriorityMinimum: defaultGroupPriority, versionPriority };
}

/** The group-versions that a server itself serves, in discovery order. They may change while the server runs. */
export class DiscoveryRegistry {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners: (() => void)[] = [];
  #groups: readonly ApiGroupDiscovery[] | undefined;
  #revision = 0;

  /**
   * `routed` false: the documents are not served by the router of built-in paths, as for custom resources. In the aggregated
   * document such resources state the group and version of their kind; built-in resources omit them.
   */
  set(groupVersion: GroupVersion, resources: readonly ApiResource[], priorities: GroupPriorities, routed = true): void {
    const aggregated = routed ? resources : resources.map((resource) => ({ ...groupVersion, ...resource }));
    this.#entries.set(keyOf(groupVersion), {
      groupVersion,
      list: apiResourceList(groupVersion, resources),
      discovery: { version: groupVersion.version, resources: toDiscovery(aggregated), freshness: 'Current' },
      groupPriorityMinimum: priorities.groupPriorityMinimum,
      versionPriority: priorities.versionPriority[groupVersion.version] ?? defaultVersionPriority,
      routed,
    });
    this.#changed();
  }

  remove(groupVersion: GroupVersion): void {
    if (this.#entries.delete(keyOf(groupVersion))) this.#changed();
  }

  #changed(): void {
    this.#groups = undefined;
    this.#revision++;
    for (const listener of this.#listeners) listener();
  }

  /** Incremented with every change. */
  get revision(): number {
    return this.#revision;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  isRouted(groupVersion: GroupVersion): boolean {
    return this.#entries.get(keyOf(groupVersion))?.routed === true;
  }

  resourceList(groupVersion: GroupVersion): ApiResourceList | undefined {
    return this.#entries.get(keyOf(groupVersion))?.list;
  }

  /** Every group (the core group has the empty name), ordered by group priority and then name; versions by priority. */
  groups(): readonly ApiGroupDiscovery[] {
    this.#groups ??= this.#build();
    return this.#groups;
  }

  #build(): ApiGroupDiscovery[] {
    const byGroup = Map.groupBy(this.#entries.values(), (entry) => entry.groupVersion.group);
    const priority = (entries: readonly Entry[]) => Math.max(...entries.map((entry) => entry.groupPriorityMinimum));
    return [...byGroup]
      .sort(([aName, a], [bName, b]) => priority(b) - priority(a) || (aName < bName ? -1 : 1))
      .map(([name, entries]) => ({
        metadata: name === '' ? {} : { name },
        versions: entries
          .sort(
            (a, b) =>
              b.versionPriority - a.versionPriority || compareVersions(a.groupVersion.version, b.groupVersion.version),
          )
          .map((entry) => entry.discovery),
      }));
  }
}

const keyOf = (groupVersion: GroupVersion) => `${groupVersion.group}/${groupVersion.version}`;
