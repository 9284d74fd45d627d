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

/**
 * The row of a resource (`resource` or `resource.group`) in a table, for code that handles every kind; undefined when the
 * table has none. The rows of such tables are declared with the type of their resource in its storage version
 * (`StoredKinds`), so a misspelled field, or a row under the wrong key, does not compile. `Row` is the same for any object.
 */
export function findRow<Row>(table: object, group: string, resource: string): Row | undefined {
  const rows = table as Readonly<Record<string, Row | undefined>>;
  return rows[resourceKey(group, resource)];
}
