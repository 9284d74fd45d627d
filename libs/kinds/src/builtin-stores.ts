import type { EtcdStorage } from '@apichain/apiserver';
import { parseGroupVersion, type GroupResource } from '@apichain/meta';
import { jsonCodec, type ResourceStore, type ResourceStores } from '@apichain/storage';
import { storageVersion } from './conversions/hub.ts';
import { foreignReader } from './protobuf.ts';
import { builtinGroupVersions } from './resources.ts';
import { storagePath } from './storage-paths.ts';

/**
 * The stores of built-in resources, for a server that reads what the core server serves (namespaces, services, webhook configurations, ...).
 * Each is opened when it is first asked for; undefined = there is no such resource.
 */
export function builtinStores(etcd: EtcdStorage): ResourceStores {
  const opened = new Map<string, ResourceStore>();
  return ({ group, resource }) => {
    const key = `${resource}.${group}`;
    const present = opened.get(key);
    if (present !== undefined) return present;
    const kind = kindOf(group, resource);
    if (kind === undefined) return undefined;
    const hub = { ...storageVersion(group, resource), kind };
    const prefix = storagePath(resource);
    const codec = jsonCodec({ fromForeign: foreignReader(hub) });
    const made = { storage: etcd.open({ prefix, codec, resource: { group: hub.group, resource } }), prefix };
    opened.set(key, made);
    return made;
  };
}

/** Where a built-in resource's objects lie; undefined = it is not built in. */
export const builtinPrefix = ({ group, resource }: GroupResource): string | undefined =>
  kindOf(group, resource) === undefined ? undefined : storagePath(resource);

/** Whether the group is one that the core server has. */
export const isBuiltinGroup = (group: string): boolean => builtinGroupVersions.some((gv) => gv.group === group);

const kindOf = (group: string, plural: string): string | undefined =>
  builtinGroupVersions
    .filter((gv) => gv.group === group)
    .flatMap((gv) => gv.resources)
    .find((resource) => resource.info.plural === plural)?.info.kind.kind;

/** The resource of a built-in kind; undefined = the kind is not built in. */
export function builtinResourceOf(
  apiVersion: string,
  kind: string,
): { readonly resource: GroupResource; readonly namespaced: boolean } | undefined {
  const { group, version } = parseGroupVersion(apiVersion);
  const found = builtinGroupVersions
    .find((gv) => gv.group === group && gv.version === version)
    ?.resources.find(({ info }) => info.kind.kind === kind);
  return found === undefined
    ? undefined
    : { resource: { group, resource: found.info.plural }, namespaced: found.info.namespaced };
}
