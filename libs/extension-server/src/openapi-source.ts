import { createHash } from 'node:crypto';
import {
  apiResources,
  verbsOf,
  type ApiGroupInfo,
  type OpenApiSource,
  type ResourceStorage,
} from '@apichain/apiserver';
import { builtinDocumentation, builtinTypes } from '@apichain/kinds/model';
import { formatGroupVersion, type GroupVersion, type JsonObject } from '@apichain/meta';
import {
  groupOperation,
  openApiV2,
  openApiV3,
  openApiV3Of,
  type OpenApiGroupVersion,
  type OpenApiInfo,
  type OpenApiResource,
} from '@apichain/schema';
import type { ResourceDefinition } from './resource/definition.ts';

const lookup = (name: string) => builtinTypes.type(name);
const isConnecter = (storage: ResourceStorage): boolean => 'connectMethods' in storage;

/** The OpenAPI documents of a server's resources. `kubectl explain` and apply read them. They do not change while the server runs. */
export class DefinitionOpenApi implements OpenApiSource {
  readonly revision: string;
  readonly #info: OpenApiInfo;
  readonly #groups: readonly string[];
  readonly #groupVersions: ReadonlyMap<string, OpenApiGroupVersion>;

  /** `title`: the name of the server. */
  constructor(title: string, definitions: readonly ResourceDefinition[], groups: readonly ApiGroupInfo[]) {
    this.#info = { title, version: 'v1', security: true };
    this.#groups = groups.map(({ group }) => group);
    this.#groupVersions = new Map(
      groups.flatMap(({ group, versions, storages }) =>
        versions.map((version) => [
          pathOf({ group, version }),
          { group, version, resources: resourcesOf(storages.get(version) ?? []) },
        ]),
      ),
    );
    this.revision = resourcesRevision(definitions, groups);
  }

  v2(): Promise<JsonObject> {
    const operations = this.#groups.map((group) => groupOperation(group));
    const groupVersions = [...this.#groupVersions.values()];
    return openApiV2(groupVersions, lookup, this.#info, builtinDocumentation, operations);
  }

  v3Paths(): ReadonlyMap<string, string> {
    const paths = [...this.#groups.map((group) => `apis/${group}`), ...this.#groupVersions.keys()];
    return new Map(paths.map((path) => [path, this.revision]));
  }

  async v3(path: string): Promise<JsonObject> {
    const groupVersion = this.#groupVersions.get(path);
    if (groupVersion !== undefined) return openApiV3(groupVersion, lookup, this.#info, builtinDocumentation);
    const group = path.slice('apis/'.length);
    if (!this.#groups.includes(group)) throw new Error(`no resources at ${path}`);
    return openApiV3Of([groupOperation(group)], lookup, this.#info, builtinDocumentation);
  }
}

/** A hash of the resources that a server shows to clients: names, verbs, schemas and columns. */
export function resourcesRevision(definitions: readonly ResourceDefinition[], groups: readonly ApiGroupInfo[]): string {
  const lists = groups.map(({ group, versions, storages }) =>
    versions.map((version) => apiResources({ group, version }, storages.get(version) ?? [])),
  );
  const content = JSON.stringify([definitions.map(({ crd }) => crd), lists]);
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

const pathOf = (groupVersion: GroupVersion): string => `apis/${formatGroupVersion(groupVersion)}`;

/** Subresources that take over the connection have no objects and are left out. */
function resourcesOf(storages: readonly ResourceStorage[]): OpenApiResource[] {
  return storages
    .filter((storage) => !storage.path.includes('/') && !isConnecter(storage))
    .map((storage) => ({
      kind: storage.info.kind,
      listKind: storage.info.listKind,
      plural: storage.path,
      namespaced: storage.info.namespaced,
      type: storage.type,
      verbs: verbsOf(storage),
      custom: true,
      subresources: storages
        .filter((other) => other.path.startsWith(`${storage.path}/`) && !isConnecter(other))
        .map((other) => ({
          name: other.path.slice(storage.path.length + 1),
          kind: other.info.kind,
          type: other.type,
          verbs: verbsOf(other),
        })),
    }));
}
