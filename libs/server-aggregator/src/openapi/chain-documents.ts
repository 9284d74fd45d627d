import { mergeOpenApiV2, type OpenApiSource } from '@apichain/apiserver';
import { serverVersion } from '@apichain/request';
import { builtinDocumentation, builtinType, builtinTypes } from '@apichain/kinds/model';
import { type JsonObject } from '@apichain/meta';
import {
  groupOperation,
  openApiV2,
  openApiV3,
  openApiV3Of,
  type OpenApiGroupVersion,
  type OpenApiInfo,
} from '@apichain/schema';
import { apiServices } from '../apiservice/api-service.ts';
import type { RemoteOpenApi } from './remote-documents.ts';

const { emulationMajor, emulationMinor } = serverVersion;
const info: OpenApiInfo = { title: 'Kubernetes', version: `${emulationMajor}.${emulationMinor}`, security: true };
const lookup = (name: string) => builtinTypes.type(name);
const group = groupOperation(apiServices.group);
const groupPath = `apis/${apiServices.group}`;
const versionPath = `${groupPath}/${apiServices.version}`;

/**
 * The documents of APIServices themselves, and those of extension API servers. The chain describes everything else itself. Its documents take
 * precedence for paths and definitions that both have.
 */
export class AggregatorOpenApi implements OpenApiSource {
  readonly isBehind = true;
  readonly #remote: RemoteOpenApi;

  constructor(remote: RemoteOpenApi) {
    this.#remote = remote;
  }

  get revision(): string {
    return this.#remote.revision;
  }

  async v2(): Promise<JsonObject> {
    const own = await openApiV2([apiServiceDocument()], lookup, info, builtinDocumentation, [group]);
    return mergeOpenApiV2([own, await this.#remote.v2()]);
  }

  v3Paths(): ReadonlyMap<string, string> {
    return new Map([[groupPath, 'builtin'], [versionPath, 'builtin'], ...this.#remote.v3Paths()]);
  }

  async v3(path: string): Promise<JsonObject> {
    if (path === groupPath) return openApiV3Of([group], lookup, info, builtinDocumentation);
    if (path === versionPath) return openApiV3(apiServiceDocument(), lookup, info, builtinDocumentation);
    return this.#remote.v3(path);
  }
}

function apiServiceDocument(): OpenApiGroupVersion {
  const { group: name, version } = apiServices;
  const kind = { group: name, version, kind: 'APIService' };
  const type = builtinType(kind);
  if (type === undefined) throw new Error('the table of types has no APIService');
  return {
    group: name,
    version,
    resources: [
      {
        kind,
        listKind: 'APIServiceList',
        plural: apiServices.resource,
        namespaced: false,
        type,
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        subresources: [{ name: 'status', kind, type, verbs: ['get', 'patch', 'update'] }],
        custom: false,
      },
    ],
  };
}
