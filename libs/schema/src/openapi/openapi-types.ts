import type { GroupVersion, GroupVersionKind, JsonObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/** The options of a subresource that is not an object. */
export interface OpenApiOptions {
  /** HTTP methods in capitals: `GET`. */
  readonly methods: readonly string[];
  /** The type of the query parameters, e.g. PodExecOptions. */
  readonly options: Type;
  /** Whether a GET returns a text, such as a log. Otherwise the subresource is a stream or a proxy. */
  readonly isText: boolean;
}

/** A subresource in OpenAPI documents. */
export interface OpenApiSubresource {
  /** `status`, `scale`, `binding`, ... */
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly type?: Type;
  readonly verbs: readonly string[];
  readonly connect?: OpenApiOptions;
}

/** A resource in one version, in OpenAPI documents. */
export interface OpenApiResource {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly type: Type;
  /** The verbs of discovery: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  readonly subresources: readonly OpenApiSubresource[];
  /** Whether it comes from a CRD: then it has no strategic merge patch, no protobuf, and its own definition name. */
  readonly custom: boolean;
  /** Whether a delete returns the object. */
  readonly returnsDeleted?: boolean;
  /** JSONPaths of selectable fields. */
  readonly selectableFields?: readonly string[];
}

/** A group-version in OpenAPI documents. */
export interface OpenApiGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly OpenApiResource[];
}

export const servesCustomResources = ({ resources }: OpenApiGroupVersion): boolean =>
  resources.some(({ custom }) => custom);

/** Built-in types by full name, e.g. `meta.v1.Status`. Throws Error for an unknown name. */
export type TypeLookup = (name: string) => Type;

/** What documents say of built-in types: descriptions of them, by full name, and of their fields; '' if there is none. */
export interface Documentation {
  type(name: string): string;
  field(typeName: string, field: string): string;
  /** The group-versions of the scheme, sorted. Each contains the kinds of every group, such as DeleteOptions. */
  groupVersions(): readonly GroupVersion[];
}

export type OpenApiVersion = 2 | 3;
export type OpenApiDocument = JsonObject;
