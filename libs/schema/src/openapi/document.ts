import { pause, type GroupVersionKind, type JsonObject, type JsonValue } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { customDefinitionName, definitionName } from './definition-names.ts';
import type { OpenApiOperation, Payload } from './operation.ts';
import { groupVersionOperations } from './operations.ts';
import {
  servesCustomResources,
  type Documentation,
  type OpenApiDocument,
  type OpenApiGroupVersion,
  type OpenApiResource,
  type OpenApiVersion,
  type TypeLookup,
} from './openapi-types.ts';
import { shareParameters, type OpenApiParameter } from './parameters.ts';
import { compact, customItems, isNamed, listMetadata, objectMetadata, SchemaWriter, schemaRef } from './type-schema.ts';

/** `info` of an OpenAPI document. */
export interface OpenApiInfo {
  readonly title: string;
  /** E.g. `v1.36.2`. */
  readonly version: string;
  /** Whether the document describes how clients authenticate. */
  readonly security?: boolean;
}

const undocumented: Documentation = {
  type: () => '',
  field: () => '',
  groupVersions: () => [{ group: '', version: 'v1' }],
};

/** The groups that the scheme has beside those of its first registration. Documents of CRDs do not list them. */
const laterGroups = ['admission.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'imagepolicy.k8s.io'];

/** The OpenAPI v3 document of one group-version. */
export async function openApiV3(
  gv: OpenApiGroupVersion,
  types: TypeLookup,
  info: OpenApiInfo,
  documentation = undocumented,
): Promise<OpenApiDocument> {
  const document = new DocumentBuilder(3, types, documentation);
  return v3Document(await document.addGroupVersion(gv), await document.definitions(), info);
}

/** The OpenAPI v3 document of operations that do not belong to resources. */
export async function openApiV3Of(
  operations: readonly OpenApiOperation[],
  types: TypeLookup,
  info: OpenApiInfo,
  documentation = undocumented,
): Promise<OpenApiDocument> {
  const document = new DocumentBuilder(3, types, documentation);
  return v3Document(await document.addOperations(operations), await document.definitions(), info);
}

function v3Document(paths: JsonObject, schemas: JsonObject, info: OpenApiInfo): OpenApiDocument {
  return {
    openapi: '3.0.0',
    info: { title: info.title, version: info.version },
    paths,
    components: {
      ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
      ...(info.security ? { securitySchemes: { ...bearerToken } } : {}),
    },
  };
}

/** The OpenAPI v2 document of any number of group-versions, and of operations that do not belong to resources. */
export async function openApiV2(
  groupVersions: readonly OpenApiGroupVersion[],
  types: TypeLookup,
  info: OpenApiInfo,
  documentation = undocumented,
  operations: readonly OpenApiOperation[] = [],
): Promise<OpenApiDocument> {
  const document = new DocumentBuilder(2, types, documentation);
  const paths = await document.addOperations(operations);
  for (const gv of groupVersions) Object.assign(paths, await document.addGroupVersion(gv));
  return {
    swagger: '2.0',
    info: { title: info.title, version: info.version },
    paths,
    definitions: await document.definitions(),
    ...(info.security ? { securityDefinitions: { ...bearerToken }, security: [{ BearerToken: [] }] } : {}),
  };
}

/** Between two operations, and between two definitions, other requests are served. */
class DocumentBuilder {
  readonly #version: OpenApiVersion;
  readonly #types: TypeLookup;
  readonly #documentation: Documentation;
  readonly #writer: SchemaWriter;
  readonly #definitions = new Map<string, JsonObject>();
  readonly #pending: (Type & { readonly name: string })[] = [];
  readonly #seen = new Set<string>();
  /** Kinds by the name of their type, for x-kubernetes-group-version-kind of definitions. */
  readonly #kinds = new Map<string, GroupVersionKind[]>();

  constructor(version: OpenApiVersion, types: TypeLookup, documentation: Documentation) {
    this.#version = version;
    this.#types = types;
    this.#documentation = documentation;
    this.#writer = new SchemaWriter(version, types, documentation, (type) => {
      if (this.#seen.has(type.name)) return;
      this.#seen.add(type.name);
      // The definition uses the type itself, because the type of a field may have another merge behaviour.
      const own = types(type.name);
      this.#pending.push(isNamed(own) ? own : type);
    });
    this.#kinds.set('meta.v1.Status', [{ group: '', version: 'v1', kind: 'Status' }]);
    for (const kind of ['APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList'])
      this.#kinds.set(`meta.v1.${kind}`, [{ group: '', version: 'v1', kind }]);
  }

  /** The paths of a group-version. The definitions that they use are collected. */
  async addGroupVersion(gv: OpenApiGroupVersion): Promise<JsonObject> {
    this.#addKindsOfEveryGroup(gv);
    for (const resource of gv.resources) {
      await pause();
      this.#addKinds(resource);
    }
    const byKind = new Map(gv.resources.map((r) => [kindKey(r.kind), r]));
    for (const resource of gv.resources)
      for (const sub of resource.subresources)
        if (sub.type !== undefined && sub.connect === undefined && !byKind.has(kindKey(sub.kind)))
          this.#nameKind(sub.type, sub.kind);
    return this.#paths(groupVersionOperations(gv), byKind, gv.resources);
  }

  /** The paths of operations that do not belong to resources. */
  addOperations(operations: readonly OpenApiOperation[]): Promise<JsonObject> {
    return this.#paths(operations, new Map(), []);
  }

  async #paths(
    operations: readonly OpenApiOperation[],
    byKind: ReadonlyMap<string, OpenApiResource>,
    resources: readonly OpenApiResource[],
  ): Promise<JsonObject> {
    const paths: JsonObject = {};
    for (const operation of operations) {
      await pause();
      const item = (paths[operation.path] ??= this.#pathItem(operation)) as JsonObject;
      item[operation.method] = this.#operation(operation, byKind, resources);
    }
    for (const item of Object.values(paths)) shareParameters(item as JsonObject);
    return paths;
  }

  /**
   * Adds the kinds that every group has. In version 3 only those of the document's own group-version are listed. Documents of CRDs are the
   * exception, because they use the definitions of the whole server.
   */
  #addKindsOfEveryGroup(gv: OpenApiGroupVersion): void {
    for (const kind of ['DeleteOptions', 'WatchEvent']) {
      const core = { group: '', version: 'v1', kind };
      const own = gv.group === '' ? [core] : [core, { group: gv.group, version: gv.version, kind }];
      const ofCrds = servesCustomResources(gv) && this.#version === 3;
      const everywhere = this.#documentation
        .groupVersions()
        .filter(({ group }) => !ofCrds || !laterGroups.includes(group))
        .map(({ group, version }) => ({ group, version, kind }));
      this.#kinds.set(`meta.v1.${kind}`, this.#version === 3 && !ofCrds ? own : everywhere);
    }
  }

  /** The definitions that the paths use. */
  async definitions(): Promise<JsonObject> {
    for (let type = this.#pending.pop(); type !== undefined; type = this.#pending.pop()) {
      await pause();
      const schema = this.#writer.define(type);
      const kinds = this.#kinds.get(type.name) ?? ownKind(type);
      if (kinds !== undefined) schema['x-kubernetes-group-version-kind'] = kinds.map((k) => ({ ...k }));
      this.#definitions.set(definitionName(type.name), schema);
    }
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #nameKind(type: Type, kind: GroupVersionKind): void {
    if (type.name === undefined) return;
    const kinds = this.#kinds.get(type.name) ?? [];
    if (!kinds.some((k) => kindKey(k) === kindKey(kind))) this.#kinds.set(type.name, [...kinds, kind]);
  }

  #addKinds(resource: OpenApiResource): void {
    this.#nameKind(resource.type, resource.kind);
    const listed = resource.listKind !== '' && resource.verbs.includes('list');
    if (resource.type.name === undefined) {
      this.#definitions.set(this.#nameOf(resource), this.#customSchema(resource));
      if (listed) this.#definitions.set(this.#listName(resource), this.#customListSchema(resource));
    } else if (listed) {
      const list = this.#types(resource.type.name.replace(/[^.]*$/, resource.listKind));
      this.#nameKind(list, { ...resource.kind, kind: resource.listKind });
      this.#writer.use(list);
    }
  }

  #nameOf(resource: OpenApiResource): string {
    return resource.type.name === undefined ? customDefinitionName(resource.kind) : definitionName(resource.type.name);
  }
  #listName(resource: OpenApiResource): string {
    return this.#nameOf(resource).replace(/[^.]*$/, resource.listKind);
  }

  #customSchema(resource: OpenApiResource): JsonObject {
    const opaque = this.#version === 2 && resource.type.preserveUnknownFields === true;
    const schema: JsonObject = opaque ? { type: 'object' } : this.#writer.define(resource.type);
    const properties = schema['properties'] as JsonObject | undefined;
    if (properties !== undefined)
      Object.assign(properties, this.#typeMeta(), { metadata: this.#metadata('ObjectMeta') });
    schema['x-kubernetes-group-version-kind'] = [{ ...resource.kind }];
    return Object.assign(schema, selectable(resource));
  }

  #customListSchema(resource: OpenApiResource): JsonObject {
    const { group, version, kind } = resource.kind;
    const item = schemaRef(this.#nameOf(resource), this.#version);
    return {
      description: `${resource.listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        ...this.#typeMeta(),
        items: { description: customItems(resource.plural), type: 'array', items: item },
        metadata: this.#metadata('ListMeta'),
      },
      'x-kubernetes-group-version-kind': [{ group, kind: resource.listKind, version }],
      ...selectable(resource),
    };
  }

  #typeMeta(): JsonObject {
    const field = (name: string) =>
      compact({ description: this.#documentation.field('meta.v1.TypeMeta', name) || undefined, type: 'string' });
    return { apiVersion: field('apiVersion'), kind: field('kind') };
  }

  /** The metadata of a custom object or list, with the description that pods and their lists have. */
  #metadata(type: 'ObjectMeta' | 'ListMeta'): JsonObject {
    const reference = this.#writer.use(this.#types(`meta.v1.${type}`));
    const [owner, field] = type === 'ObjectMeta' ? objectMetadata : listMetadata;
    const text = this.#documentation.field(owner, field);
    if (text === '') return reference;
    return this.#version === 3 ? { allOf: [reference], description: text } : { ...reference, description: text };
  }

  #pathItem(operation: OpenApiOperation): JsonObject {
    const parameters = operation.pathParameters.map((p) => this.#parameter(p));
    return parameters.length > 0 ? { parameters } : {};
  }

  #operation(
    operation: OpenApiOperation,
    byKind: ReadonlyMap<string, OpenApiResource>,
    resources: readonly OpenApiResource[],
  ): JsonObject {
    const schema = (payload: Payload) => this.#payload(payload, byKind, resources);
    const common: JsonObject = {
      description: operation.description,
      operationId: operation.operationId,
      tags: [operation.tag],
      ...(operation.action === undefined ? {} : { 'x-kubernetes-action': operation.action }),
      ...(operation.about === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...operation.about } }),
    };
    const responses: JsonObject = { 401: { description: 'Unauthorized' } };
    const parameters: JsonValue[] = operation.parameters.map((p) => this.#parameter(p));
    if (this.#version === 2) {
      for (const r of operation.responses)
        responses[r.code] = { description: responseText(r.code), schema: schema(r.payload) };
      if (operation.body !== undefined)
        parameters.unshift({
          name: 'body',
          in: 'body',
          ...(operation.bodyRequired ? { required: true } : {}),
          schema: schema(operation.body),
        });
      return {
        ...common,
        schemes: ['https'],
        ...(operation.consumes.length === 0 ? {} : { consumes: [...operation.consumes] }),
        produces: [...operation.produces],
        parameters,
        responses,
      };
    }
    for (const r of operation.responses)
      responses[r.code] = { description: responseText(r.code), content: media(operation.produces, schema(r.payload)) };
    return {
      ...common,
      parameters,
      ...(operation.body === undefined
        ? {}
        : {
            requestBody: {
              ...(operation.bodyRequired ? { required: true } : {}),
              content: media(operation.consumes, schema(operation.body)),
            },
          }),
      responses,
    };
  }

  #payload(
    payload: Payload,
    byKind: ReadonlyMap<string, OpenApiResource>,
    resources: readonly OpenApiResource[],
  ): JsonObject {
    if (payload === 'string') return { type: 'string' };
    if ('builtin' in payload) return this.#writer.use(this.#types(payload.builtin));
    if ('list' in payload) return schemaRef(this.#listName(payload.list), this.#version);
    const resource = byKind.get(kindKey(payload.kind));
    if (resource !== undefined) {
      if (resource.type.name !== undefined) return this.#writer.use(resource.type);
      return schemaRef(this.#nameOf(resource), this.#version);
    }
    const sub = resources.flatMap((r) => r.subresources).find((s) => kindKey(s.kind) === kindKey(payload.kind));
    return sub?.type === undefined ? { type: 'object' } : this.#writer.use(sub.type);
  }

  #parameter(p: OpenApiParameter): JsonObject {
    // DeleteOptions is a type, so its fields have descriptions.
    const documented = p.in === 'query' ? this.#documentation.field(p.field ?? 'meta.v1.DeleteOptions', p.name) : '';
    const place = compact({ name: p.name, in: p.in, description: documented || p.description, required: p.required });
    return this.#version === 2
      ? { ...place, type: p.type, uniqueItems: true }
      : { ...place, schema: { type: p.type, uniqueItems: true } };
  }
}

/** How clients may authenticate. */
const bearerToken: JsonObject = {
  BearerToken: { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' },
};

const selectable = ({ selectableFields = [] }: OpenApiResource): JsonObject =>
  selectableFields.length === 0
    ? {}
    : { 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) };

/** The kind of an object that is part of another, such as the volume claims of a StatefulSet. */
function ownKind(type: Type & { readonly name: string }): GroupVersionKind[] | undefined {
  if (!['apiVersion', 'kind', 'metadata'].every((name) => type.fields?.some((field) => field.name === name))) return;
  const parts = /^(.*)\.([^.]+)\.([^.]+)$/.exec(type.name);
  if (parts === null) return undefined;
  const [, group = '', version = '', kind = ''] = parts;
  return [{ group: group === 'core' ? '' : group, version, kind }];
}

const kindKey = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

const responseText = (code: number): string => (code === 201 ? 'Created' : code === 202 ? 'Accepted' : 'OK');

/** In the order of Go's maps, which the original makes of them. */
const media = (types: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries([...types].sort().map((type) => [type, { schema }]));
