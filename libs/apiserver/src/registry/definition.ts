import { createHash } from 'node:crypto';
import {
  deepClone,
  formatGroupVersion,
  type GroupVersion,
  type GroupVersionKind,
  type KubeObject,
} from '@apichain/meta';
import { FieldManager } from '@apichain/managed-fields';
import type { Type } from '@apichain/scheme';
import { jsonCodec, metadataAttributes, type Storage, type StorageCodec, type StoredForm } from '@apichain/storage';
import type { ObjectCodec } from './object-codec.ts';
import { metadataFieldLabels, type FieldLabelConverter } from './predicate.ts';
import { StoredResource, SubresourceStorage, type StorageView } from './resource-storage.ts';
import type { ObjectFieldManager, ResourceStorage, TableConvertor } from './rest.ts';
import { scaleKind, ScaleStorage, type ScalePaths } from './scale-storage.ts';
import { defaultStatusStrategy, type ResourceInfo, type Strategy } from './strategy.ts';
import { RegistryStore } from './store.ts';

/** The fields that field selectors of a kind may use. */
export interface SelectableFields {
  /** The value of each field, by label; computed once per write. */
  readonly values: (object: KubeObject) => Record<string, string>;
  /** The accepted labels. `metadata.name` and `metadata.namespace` must be listed too if they are accepted. */
  readonly labels: readonly string[];
  /** Other names of a label, e.g. `spec.host` for `spec.nodeName`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The error message for any other label; default: `field label not supported: X`. */
  readonly unsupported?: (label: string) => string;
}

/** One served version of a resource. */
export interface ResourceVersion {
  /** Kind, names and scope in this version. */
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly codec: ObjectCodec;
  readonly table?: TableConvertor;
  readonly selectable?: SelectableFields;
  readonly deprecationWarning?: string;
  /** Replaces the definition's strategy, e.g. for a version in another group. */
  readonly strategy?: Strategy;
  /** Replaces the hash of the stored kind in discovery. */
  readonly storageVersionHash?: string;
}

export interface ScaleDefinition extends ScalePaths {
  /** autoscaling.v1.Scale of the type table, and its codec. */
  readonly type: Type;
  readonly codec: ObjectCodec;
  readonly table?: TableConvertor;
}

/** A resource stored in etcd: its served versions, strategy and key prefix. `defineResource` builds its storages. */
export interface ResourceDefinition {
  /** Served versions; all of them share one storage and one storage version. */
  readonly versions: readonly ResourceVersion[];
  readonly strategy: Strategy;
  /** The key prefix without a trailing slash, e.g. `/pods` or `/apiregistration.k8s.io/apiservices`. */
  readonly prefix: string;
  /** Opens the store of the resource; called once. */
  readonly openStorage: (options: {
    prefix: string;
    codec: StorageCodec;
    resource: string;
    kind: GroupVersionKind;
  }) => Storage;
  /** Update subresources by name: `true` = a plain status. */
  readonly subresources?: Readonly<Record<string, Strategy | true>>;
  readonly scale?: ScaleDefinition;
  /** Decodes a stored value that is not in this project's JSON layout (protobuf, another version). */
  readonly fromForeign?: (value: Buffer) => KubeObject | undefined;
  /** Whether stored values of other versions may have the layout of this project's JSON. */
  readonly foreignLooksOwn?: boolean;
  /** The stored form, if it is not this project's JSON; `fromForeign` decodes it. */
  readonly storedForm?: StoredForm;
  /** Whether stored objects may have been encoded with older types than those of the versions. */
  readonly typesHaveChanged?: boolean;
  /** Additional storages of a version (`pods/binding`, `serviceaccounts/token`), which use its store. */
  readonly more?: (store: RegistryStore, version: ResourceVersion) => readonly ResourceStorage[];
}

/** A resource ready to be installed: its store, and a storage for each endpoint. */
export interface DefinedResource {
  readonly storage: Storage;
  /** The store of each group that serves the resource; `store` is the first version's. */
  readonly store: RegistryStore;
  /** The storages to install in a group-version. */
  storagesOf(groupVersion: GroupVersion): readonly ResourceStorage[];
  /** All storages, by `group/version`. */
  readonly storages: ReadonlyMap<string, readonly ResourceStorage[]>;
}

/** storageVersionHash of discovery: eight bytes of a hash of the stored kind. */
export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

function fieldLabelConverter(selectable: SelectableFields | undefined): FieldLabelConverter {
  if (selectable === undefined) return metadataFieldLabels;
  const labels = new Set(selectable.labels);
  const aliases = new Map(Object.entries(selectable.aliases ?? {}));
  const unsupported = selectable.unsupported ?? ((label: string) => `field label not supported: ${label}`);
  return (label, value) => {
    const field = aliases.get(label) ?? (labels.has(label) ? label : undefined);
    if (field === undefined) throw new Error(unsupported(label));
    return { field, value };
  };
}

function storageCodec(definition: ResourceDefinition): StorageCodec {
  const { versions, fromForeign, foreignLooksOwn, storedForm, strategy } = definition;
  const codec = versions[0]?.codec;
  // The selectable fields of every version are stored: versions may use different names for the same field.
  const selectable = versions.map((version) => version.selectable?.values).filter((values) => values !== undefined);
  return jsonCodec({
    ...(codec?.encode === undefined ? {} : { encode: codec.encode }),
    fromForeign,
    foreignLooksOwn,
    storedForm,
    readDefaults: strategy.readDefaults,
    attributes: (object) => {
      const attributes = metadataAttributes(object);
      if (selectable.length === 0) return attributes;
      const fields: Record<string, string> = {};
      for (const values of selectable) Object.assign(fields, values(object));
      return { ...attributes, fields: Object.assign(fields, attributes.fields) };
    },
  });
}

/**
 * A resource in the store, with the storages to install for each of its versions. Built-in kinds, CRDs, APIServices and custom
 * resources are all defined with this function; they differ only in data and in their ObjectCodec.
 */
export function defineResource(definition: ResourceDefinition): DefinedResource {
  const [first] = definition.versions;
  if (first === undefined) throw new Error(`resource ${definition.prefix} has no versions`);
  const storage = definition.openStorage({
    prefix: definition.prefix,
    codec: storageCodec(definition),
    resource: first.info.plural,
    kind: first.codec.storageKind,
  });
  const stores = new Map<string, RegistryStore>();
  const storeOf = (version: ResourceVersion): RegistryStore => {
    const { group } = version.info.kind;
    const made = stores.get(group);
    if (made !== undefined) return made;
    const store = new RegistryStore({
      resource: { group, resource: version.info.plural },
      kind: version.codec.storageKind,
      custom: version.codec.custom,
      strategy: version.strategy ?? definition.strategy,
      layout: { prefix: definition.prefix, namespaced: version.info.namespaced },
      storage,
    });
    stores.set(group, store);
    return store;
  };
  const storages = new Map<string, ResourceStorage[]>();
  for (const version of definition.versions) {
    const key = formatGroupVersion(version.info.kind);
    storages.set(key, [...(storages.get(key) ?? []), ...storagesOfVersion(definition, version, storeOf(version))]);
  }
  return {
    storage,
    store: storeOf(first),
    storages,
    storagesOf: (groupVersion) => storages.get(formatGroupVersion(groupVersion)) ?? [],
  };
}

function storagesOfVersion(
  definition: ResourceDefinition,
  version: ResourceVersion,
  store: RegistryStore,
): ResourceStorage[] {
  const { info, type, codec, table, deprecationWarning } = version;
  const view = (subresource: string, strategy: Strategy): StorageView => ({
    path: subresource === '' ? info.plural : `${info.plural}/${subresource}`,
    info,
    type,
    codec,
    store,
    strategy,
    // Several storages share the store, and each is destroyed. Only one of them may close the store.
    ownsStore: subresource === '' && version === definition.versions[0],
    fieldManager: fieldManagerOf(definition, version, subresource, strategy),
    convertFieldLabel: fieldLabelConverter(version.selectable),
    ...(version.selectable === undefined ? {} : { fieldsOf: version.selectable.values }),
    equivalents: definition.versions.map((other) => ({
      resource: { group: other.info.kind.group, version: other.info.kind.version, resource: other.info.plural },
      kind: other.info.kind,
      codec: other.codec,
    })),
    table,
    deprecationWarning,
    ...(subresource === ''
      ? { storageVersionHash: version.storageVersionHash ?? storageVersionHash(codec.storageKind) }
      : {}),
  });
  const strategy = version.strategy ?? definition.strategy;
  const storages: ResourceStorage[] = [new StoredResource(view('', strategy))];
  for (const [name, given] of Object.entries(definition.subresources ?? {})) {
    storages.push(new SubresourceStorage(view(name, given === true ? defaultStatusStrategy(strategy) : given)));
  }
  if (definition.scale !== undefined) storages.push(scaleStorage(definition.scale, version, store));
  storages.push(...(definition.more?.(store, version) ?? []));
  return storages;
}

function fieldManagerOf(
  definition: ResourceDefinition,
  version: ResourceVersion,
  subresource: string,
  strategy: Strategy,
): ObjectFieldManager {
  // kube-apiserver installs the core group separately, with a type converter for the core kinds only. So the core group does not know
  // a manager that wrote an Event through the other group, and vice versa. Source: k8s.io/apiserver/pkg/server/genericapiserver.go
  // (InstallAPIGroups).
  const isCore = (of: ResourceVersion): boolean => of.info.kind.group === '';
  const known = definition.versions.filter((other) => isCore(other) === isCore(version));
  const versions = new Map(known.map(({ info, type }) => [formatGroupVersion(info.kind), type]));
  return new FieldManager({
    type: version.type,
    groupVersionKind: version.info.kind,
    subresource,
    resetFields: strategy.resetFields,
    versions,
    convert: (object, apiVersion) => version.codec.convert(deepClone(object), apiVersion),
    onlyRenames: version.codec.custom && version.codec.convertAll === undefined,
    hub: version.codec.storageKind,
    ...(definition.typesHaveChanged === true ? { typeHasChanged: true } : {}),
  });
}

function scaleStorage(scale: ScaleDefinition, version: ResourceVersion, store: RegistryStore): ScaleStorage {
  const { info, codec } = version;
  return new ScaleStorage({
    path: `${info.plural}/scale`,
    info: { ...info, kind: scaleKind, listKind: '' },
    type: scale.type,
    codec: scale.codec,
    table: scale.table,
    parent: codec,
    store,
    paths: scale,
    fieldManager: new FieldManager({
      type: scale.type,
      groupVersionKind: scaleKind,
      subresource: 'scale',
      resetFields: ['status'],
    }),
  });
}
