import { serverVersion } from '@apichain/request';
import { verbsOf, type ApiGroupInfo, type OpenApiSource, type ResourceStorage } from '@apichain/apiserver';
import { createHash } from 'node:crypto';
import {
  encodeOpenApiV2,
  encodeOpenApiV3,
  groupOperation,
  openApiV2,
  openApiV3,
  openApiV3Of,
  serverOperations,
  type OpenApiGroupVersion,
  type OpenApiInfo,
  type OpenApiResource,
  type OpenApiOperation,
  type OpenApiOptions,
  type OpenApiSubresource,
} from '@apichain/schema';
import { lazy, type GroupVersion } from '@apichain/meta';
import { builtinDocumentation } from '@apichain/kinds';
import { behaviourOf } from './strategies/table.ts';
import { builtinTypes, typesDigest } from '@apichain/kinds';

const info: OpenApiInfo = {
  title: 'Kubernetes',
  version: `${serverVersion.emulationMajor}.${serverVersion.emulationMinor}`,
  security: true,
};

/** pods/log is documented as a read of the pod with its own options; streams and proxies have the kind of their options. */
function connectOf(storage: ResourceStorage, kind: string): { connect?: OpenApiOptions } {
  if (!('connectMethods' in storage) || !Array.isArray(storage.connectMethods)) return {};
  const methods = storage.connectMethods.map(String);
  const isText = 'readsOnly' in storage && storage.readsOnly === true;
  const name = isText ? `core.v1.${kind}LogOptions` : `core.v1.${storage.info.kind.kind}`;
  return { connect: { methods, options: builtinTypes.type(name), isText } };
}

function subresourcesOf(plural: string, kind: string, storages: readonly ResourceStorage[]): OpenApiSubresource[] {
  return storages
    .filter((storage) => storage.path.startsWith(`${plural}/`))
    .map((storage) => ({
      name: storage.path.slice(plural.length + 1),
      kind: storage.info.kind,
      type: storage.type,
      verbs: verbsOf(storage),
      ...connectOf(storage, kind),
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
      subresources: subresourcesOf(storage.path, storage.info.kind.kind, storages),
      custom: false,
      // kube-apiserver documents that a delete of a namespace returns a Status.
      returnsDeleted:
        storage.path !== 'namespaces' &&
        behaviourOf(storage.info.kind.group, storage.path).returnDeletedObject === true,
    }))
    .toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
}

/** The path of a group-version's v3 document: `api/v1`, `apis/apps/v1`. */
const documentPath = ({ group, version }: GroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** The OpenAPI documents of the built-in groups, generated on demand: https://kubernetes.io/docs/concepts/overview/kubernetes-api/ */
export function builtinOpenApi(groups: readonly ApiGroupInfo[]): OpenApiSource {
  const versions = new Map<string, OpenApiGroupVersion>();
  for (const { group, versions: names, storages } of groups) {
    for (const version of names) {
      const gv = { group, version, resources: resourcesOf(storages.get(version) ?? []) };
      versions.set(documentPath(gv), gv);
    }
  }
  const named = groups.filter(({ group, versions: names }) => group !== '' && names.length > 0);
  const plain = new Map<string, OpenApiOperation>();
  for (const operation of [...serverOperations, ...named.map(({ group }) => groupOperation(group))])
    plain.set(operation.path.slice(1, -1), operation);
  // The documents depend only on the types and on the enabled resources. kubectl keeps a document for a year, by its revision.
  const served = [...versions].map(([path, gv]) => `${path} ${gv.resources.map((r) => r.plural).join(' ')}`);
  const revision = lazy(() =>
    createHash('sha512')
      .update([info.version, typesDigest(), ...served].join('\n'))
      .digest('hex')
      .toUpperCase(),
  );
  const types = (name: string) => builtinTypes.type(name);
  return {
    get revision() {
      return revision();
    },
    v2: () => openApiV2([...versions.values()], types, info, builtinDocumentation, [...plain.values()]),
    v3Paths: () => new Map([...versions.keys(), ...plain.keys()].map((path) => [path, revision()])),
    v3: async (path) => {
      const operation = plain.get(path);
      if (operation !== undefined) return openApiV3Of([operation], types, info, builtinDocumentation);
      const gv = versions.get(path);
      if (gv === undefined) throw new Error(`no OpenAPI document ${path}`);
      return openApiV3(gv, types, info, builtinDocumentation);
    },
  };
}

/** The protobuf encodings of the documents, which kubectl requests. */
export const openApiEncoders = { encodeV2: encodeOpenApiV2, encodeV3: encodeOpenApiV3 } as const;
