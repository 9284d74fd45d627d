import type { GroupVersion } from '@apichain/meta';
import { storageVersion } from './conversions/hub.ts';
import type { BuiltinGroupVersion, BuiltinResource } from './resources.ts';

const isStored = (resource: BuiltinResource): boolean => resource.storageVersionHash !== undefined;

/** `pods`, `deployments.apps` */
export const resourceKey = (group: string, plural: string): string => (group === '' ? plural : `${plural}.${group}`);

/** The kinds that share one stored resource: it may be served in several versions, events even in two groups. */
export interface Family {
  readonly members: BuiltinResource[];
  readonly hub: GroupVersion;
}

/** The enabled stored resources, each with everything that shares its store: the versions of a group, and events of both groups. */
export function familiesOf(enabled: readonly BuiltinGroupVersion[]): Family[] {
  const families = new Map<string, Family>();
  const ordered = enabled.toSorted((a, b) => b.versionPriority - a.versionPriority);
  for (const gv of ordered) {
    for (const resource of gv.resources.filter(isStored)) {
      const hub = storageVersion(gv.group, resource.info.plural);
      const key = resourceKey(hub.group, resource.info.plural);
      const family = families.get(key) ?? { members: [], hub };
      if (gv.group === hub.group && gv.version === hub.version) family.members.unshift(resource);
      else family.members.push(resource);
      families.set(key, family);
    }
  }
  return [...families.values()];
}
