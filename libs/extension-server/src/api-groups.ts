import type { ApiGroupInfo, ResourceStorage } from '@apichain/apiserver';
import { compareVersions } from '@apichain/meta';
import type { ResourceDefinition as StoredDefinition } from '@apichain/apiserver';
import { computedResource } from './resource/computed.ts';
import type { ResourceDefinition } from './resource/definition.ts';
import { storedResource } from './resource/stored.ts';

/**
 * The API groups of a server, with the storages of its resources; served versions in the order of their priority (`v1` before `v1beta1`).
 * `openStorage` opens the store of a stored resource. Throws Error for an invalid definition and for a name that two definitions have.
 */
export function apiGroupsOf(
  definitions: readonly ResourceDefinition[],
  openStorage: StoredDefinition['openStorage'],
): ApiGroupInfo[] {
  checkNames(definitions);
  const groups = new Map<string, Map<string, ResourceStorage[]>>();
  for (const definition of definitions) {
    const { group } = definition.crd.spec;
    const versions = groups.get(group) ?? new Map<string, ResourceStorage[]>();
    groups.set(group, versions);
    for (const [version, storages] of storagesOf(definition, openStorage))
      versions.set(version, [...(versions.get(version) ?? []), ...storages]);
  }
  return [...groups].map(([group, storages]) => ({
    group,
    versions: [...storages.keys()].sort(compareVersions),
    storages,
  }));
}

function storagesOf(
  definition: ResourceDefinition,
  openStorage: StoredDefinition['openStorage'],
): [string, readonly ResourceStorage[]][] {
  const { computed, crd } = definition;
  const [first] = crd.spec.versions;
  if (computed !== undefined && first !== undefined) return [[first.name, computedResource(definition, computed)]];
  const defined = storedResource(definition, openStorage);
  const served = crd.spec.versions.filter((version) => version.served);
  return served.map(({ name }) => [name, defined.storagesOf({ group: crd.spec.group, version: name })]);
}

/** Within a group, a plural name or a kind belongs to one resource. */
function checkNames(definitions: readonly ResourceDefinition[]): void {
  const seen = new Set<string>();
  for (const { crd } of definitions)
    for (const { name } of crd.spec.versions)
      for (const text of [crd.spec.names.plural, crd.spec.names.kind]) {
        const key = `${crd.spec.group}/${name} ${text ?? ''}`;
        if (seen.has(key)) throw new Error(`${key} is defined twice`);
        seen.add(key);
      }
}
