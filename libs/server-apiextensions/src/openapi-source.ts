import { serverVersion } from '@apichain/request';
import { type OpenApiSource } from '@apichain/apiserver';
import { builtinDocumentation, builtinTypes } from '@apichain/kinds/model';
import { type JsonObject } from '@apichain/meta';
import {
  groupOperation,
  openApiV2,
  openApiV3,
  openApiV3Of,
  type OpenApiGroupVersion,
  type OpenApiInfo,
} from '@apichain/schema';
import { builtinType } from '@apichain/kinds/model';
import { crdGroupVersion, crdKind } from './crd/crd-resource.ts';
import type { CustomResources } from './custom-resources/custom-resources.ts';

const { emulationMajor, emulationMinor } = serverVersion;
const info: OpenApiInfo = { title: 'Kubernetes', version: `${emulationMajor}.${emulationMinor}`, security: true };
/** The title and version of the documents that kube-apiserver generates from CRDs. */
const customInfo: OpenApiInfo = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };
const lookup = (name: string) => builtinTypes.type(name);

/** The documents of CustomResourceDefinitions themselves and of every custom resource that is served. */
export class CustomOpenApiSource implements OpenApiSource {
  readonly #resources: CustomResources;

  constructor(resources: CustomResources) {
    this.#resources = resources;
  }

  get revision(): string {
    return String(this.#resources.revision);
  }

  async v2(): Promise<JsonObject> {
    await this.#prepare();
    const groupVersions = [crdDocument(), ...this.#groupVersions().values()];
    return openApiV2(groupVersions, lookup, info, builtinDocumentation, [crdGroup]);
  }

  v3Paths(): ReadonlyMap<string, string> {
    const paths = new Map([
      [crdGroupPath, 'builtin'],
      [pathOf(crdGroupVersion), 'builtin'],
    ]);
    for (const resource of this.#resources.served)
      for (const { name } of resource.servedVersions) {
        const path = pathOf({ group: resource.crd.spec.group, version: name });
        const { uid = '', generation = 0 } = resource.crd.metadata;
        paths.set(path, `${paths.get(path) ?? ''}${uid}/${generation};`);
      }
    return paths;
  }

  async v3(path: string): Promise<JsonObject> {
    if (path === crdGroupPath) return openApiV3Of([crdGroup], lookup, info, builtinDocumentation);
    if (path === pathOf(crdGroupVersion)) return openApiV3(crdDocument(), lookup, info, builtinDocumentation);
    await this.#prepare();
    const groupVersion = this.#groupVersions().get(path);
    if (groupVersion === undefined) throw new Error(`no custom resources at ${path}`);
    return openApiV3(groupVersion, lookup, customInfo, builtinDocumentation);
  }

  async #prepare(): Promise<void> {
    for (const resource of this.#resources.served) await resource.prepare();
  }

  #groupVersions(): Map<string, OpenApiGroupVersion> {
    const scale = lookup('autoscaling.v1.Scale');
    const byPath = new Map<string, OpenApiGroupVersion>();
    for (const resource of this.#resources.served)
      for (const version of resource.servedVersions) {
        const { group } = resource.crd.spec;
        const path = pathOf({ group, version: version.name });
        const known = byPath.get(path)?.resources ?? [];
        byPath.set(path, {
          group,
          version: version.name,
          resources: [...known, resource.openApi(version, scale)],
        });
      }
    return byPath;
  }
}

const crdGroup = groupOperation(crdGroupVersion.group);
const crdGroupPath = `apis/${crdGroupVersion.group}`;
const pathOf = ({ group, version }: { group: string; version: string }) => `apis/${group}/${version}`;

function crdDocument(): OpenApiGroupVersion {
  const type = builtinType(crdKind);
  if (type === undefined) throw new Error('the table of types has no CustomResourceDefinition');
  return {
    ...crdGroupVersion,
    resources: [
      {
        kind: crdKind,
        listKind: 'CustomResourceDefinitionList',
        plural: 'customresourcedefinitions',
        namespaced: false,
        type,
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        subresources: [{ name: 'status', kind: crdKind, type, verbs: ['get', 'patch', 'update'] }],
        custom: false,
      },
    ],
  };
}
