import type { EtcdStorage } from '@apichain/apiserver';
import type { GroupResource } from '@apichain/meta';
import { jsonCodec, type ResourceStore, type ResourceStores, type Storage } from '@apichain/storage';
import { builtinMapper } from './builtin-mapper.ts';
import { storageVersion } from './conversions/hub.ts';
import { foreignReader } from './protobuf.ts';
import { builtinGroupVersions } from './resources.ts';
import { storagePath } from './storage-paths.ts';

/**
 * The stores of built-in resources, for a server that reads objects of the core server (namespaces, services, webhook configurations, ...).
 * Each store is opened on first use; undefined = there is no such resource.
 */
export function builtinStores(etcd: EtcdStorage): ResourceStores<Storage> {
  const opened = new Map<string, ResourceStore<Storage>>();
  return ({ group, resource }) => {
    const key = `${resource}.${group}`;
    const present = opened.get(key);
    if (present !== undefined) return present;
    const [mapping] = builtinMapper.everyVersionOf({ group, resource });
    if (mapping === undefined) return undefined;
    const hub = { ...storageVersion(group, resource), kind: mapping.kind };
    const prefix = storagePath(resource);
    const codec = jsonCodec({ fromForeign: foreignReader(hub) });
    const made = { storage: etcd.open({ prefix, codec, kind: hub, resource: { group: hub.group, resource } }), prefix };
    opened.set(key, made);
    return made;
  };
}

/** The directory of a built-in resource's objects; undefined = the resource is not built in. */
export const builtinPrefix = (resource: GroupResource): string | undefined =>
  builtinMapper.versionsOf(resource).length === 0 ? undefined : storagePath(resource.resource);

/** Whether the core server has the group. */
export const isBuiltinGroup = (group: string): boolean => builtinGroupVersions.some((gv) => gv.group === group);
