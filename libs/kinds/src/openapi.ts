import {
  serverVersion,
  verbsOf,
  type ApiGroupInfo,
  type OpenApiSource,
  type ResourceStorage,
} from '@apichain/apiserver';
import { createHash } from 'node:crypto';
import {
  encodeOpenApiV2,
  encodeOpenApiV3,
  openApiV2,
  openApiV3,
  type OpenApiGroupVersion,
  type OpenApiInfo,
  type OpenApiResource,
  type OpenApiSubresource,
} from '@apichain/schema';
import type { GroupVersion } from '@apichain/meta';
import { builtinDocumentation } from './documentation.ts';
import { behaviourOf } from './strategies/table.ts';
import { builtinTypes } from './types.ts';

const info: OpenApiInfo = {
  title: 'Kubernetes',
  version: `${serverVersion.emulationMajor}.${serverVersion.emulationMinor}`,
  security: true,
};

const isConnect = (storage: ResourceStorage): boolean => 'connectMethods' in storage;

function subresourcesOf(plural: string, storages: readonly ResourceStorage[]): OpenApiSubresource[] {
  return storages
    .filter((storage) => storage.path.startsWith(`${plural}/`))
    .map((storage) => ({
      name: storage.path.slice(plural.length + 1),
      kind: storage.info.kind,
      type: storage.type,
      verbs: verbsOf(storage),
      ...(isConnect(storage) ? { connect: true } : {}),
    }));
}

function resourcesOf(storages: readonly ResourceStorage[]): OpenApiResource[] {
  return storages
    .filter((storage) => !storage.path.includes('/'))
    .map((storage) => ({
      kind: storage.info.kind,
      listKind: storage.info.listKind,
      plural: storage.path,
      namespaced: storage.info.namespaced,
      type: storage.type,
      verbs: verbsOf(storage),
      subresources: subresourcesOf(storage.path, storages),
      custom: false,
      returnsDeleted: behaviourOf(storage.info.kind.group, storage.path).returnDeletedObject === true,
    }))
    .toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
}

/** Where a group-version's v3 document is found: `api/v1`, `apis/apps/v1`. */
const documentPath = ({ group, version }: GroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** The OpenAPI documents of built-in groups, written when they are asked for: https://kubernetes.io/docs/concepts/overview/kubernetes-api/ */
export function builtinOpenApi(groups: readonly ApiGroupInfo[]): OpenApiSource {
  const versions = new Map<string, OpenApiGroupVersion>();
  for (const { group, versions: names, storages } of groups) {
    for (const version of names) {
      const gv = { group, version, resources: resourcesOf(storages.get(version) ?? []) };
      versions.set(documentPath(gv), gv);
    }
  }
  // The documents follow from the release and from what is enabled, nothing else.
  const served = [...versions].map(([path, gv]) => `${path} ${gv.resources.map((r) => r.plural).join(' ')}`);
  const revision = createHash('sha512')
    .update([info.version, ...served].join('\n'))
    .digest('hex')
    .toUpperCase();
  const types = (name: string) => builtinTypes.type(name);
  return {
    revision,
    v2: () => openApiV2([...versions.values()], types, info, builtinDocumentation),
    v3Paths: () => new Map([...versions.keys()].map((path) => [path, revision])),
    v3: (path) => {
      const gv = versions.get(path);
      if (gv === undefined) throw new Error(`no OpenAPI document ${path}`);
      return openApiV3(gv, types, info, builtinDocumentation);
    },
  };
}

/** Their protobuf forms, which kubectl asks for. */
export const openApiEncoders = { encodeV2: encodeOpenApiV2, encodeV3: encodeOpenApiV3 } as const;
