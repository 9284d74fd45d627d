import type { ApiGroupDiscovery, ApiVersionDiscovery } from './types.ts';

/**
 * The groups of this server, followed by the groups that only the next server has. A group of both servers gets the versions of both;
 * this server's versions come first and win where both serve the same version. The order within each server's groups is kept.
 */
export function mergeGroups(
  own: readonly ApiGroupDiscovery[],
  next: readonly ApiGroupDiscovery[],
): readonly ApiGroupDiscovery[] {
  if (next.length === 0) return own;
  const merged = new Map<string, ApiGroupDiscovery>();
  for (const group of own) merged.set(group.metadata.name ?? '', group);
  for (const group of next) {
    const name = group.metadata.name ?? '';
    const mine = merged.get(name);
    merged.set(name, mine === undefined ? group : { ...mine, versions: mergeVersions(mine.versions, group.versions) });
  }
  return [...merged.values()];
}

function mergeVersions(
  own: readonly ApiVersionDiscovery[],
  next: readonly ApiVersionDiscovery[],
): readonly ApiVersionDiscovery[] {
  const known = new Set(own.map(({ version }) => version));
  return [...own, ...next.filter(({ version }) => !known.has(version))];
}

/** The priority of a group-version; higher comes first. As in the spec of an APIService. */
export interface DiscoveryPriority {
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

/**
 * Orders groups and versions by priority as the aggregator does: the highest groupPriorityMinimum among a group's versions,
 * then the name; versions by versionPriority, then by `compareVersions`. Unknown group-versions come last.
 */
export function orderByPriority(
  groups: readonly ApiGroupDiscovery[],
  priorityOf: (group: string, version: string) => DiscoveryPriority | undefined,
  compareVersions: (a: string, b: string) => number,
): ApiGroupDiscovery[] {
  const ranked = groups.map((group) => {
    const name = group.metadata.name ?? '';
    const versions = group.versions.map((version) => ({ version, priority: priorityOf(name, version.version) }));
    versions.sort(
      (a, b) =>
        (b.priority?.versionPriority ?? 0) - (a.priority?.versionPriority ?? 0) ||
        compareVersions(a.version.version, b.version.version),
    );
    const priority = Math.max(0, ...versions.map((version) => version.priority?.groupPriorityMinimum ?? 0));
    return { name, priority, group: { ...group, versions: versions.map(({ version }) => version) } };
  });
  ranked.sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return ranked.map(({ group }) => group);
}
