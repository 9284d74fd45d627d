import type { GroupVersionKind, JsonObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/** A subresource that is no object. */
export interface OpenApiOptions {
  /** As HTTP spells them: `GET`. */
  readonly methods: readonly string[];
  /** What a query may say, e.g. PodExecOptions. */
  readonly options: Type;
  /** Answers a GET with a text, like a log; else a stream or a proxy. */
  readonly isText: boolean;
}

/** A subresource as OpenAPI shows it. */
export interface OpenApiSubresource {
  /** `status`, `scale`, `binding`, ... */
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly type?: Type;
  readonly verbs: readonly string[];
  readonly connect?: OpenApiOptions;
}

/** A resource in one version, as the documents describe it. */
export interface OpenApiResource {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly type: Type;
  /** As discovery lists them: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  readonly subresources: readonly OpenApiSubresource[];
  /** Comes from a CRD: no strategic merge patch, no protobuf, its own definition name. */
  readonly custom: boolean;
  /** A deletion is answered with the object. */
  readonly returnsDeleted?: boolean;
  /** JSONPaths of selectable fields. */
  readonly selectableFields?: readonly string[];
}

/** A group-version as its OpenAPI document shows it. */
export interface OpenApiGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly OpenApiResource[];
}

export const isOfCrds = ({ resources }: OpenApiGroupVersion): boolean => resources.some(({ custom }) => custom);

/** Built-in types by facts name, e.g. `meta.v1.Status`. Throws Error for an unknown name. */
export type TypeLookup = (name: string) => Type;

/** What is written about built-in types, by facts name, and their fields; '' where nothing is. */
export interface Documentation {
  type(name: string): string;
  field(typeName: string, field: string): string;
}

export type OpenApiVersion = 2 | 3;
export type OpenApiDocument = JsonObject;
