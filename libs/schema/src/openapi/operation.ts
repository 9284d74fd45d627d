import type { GroupVersionKind } from '@apichain/meta';
import type { OpenApiResource } from './openapi-types.ts';
import type { OpenApiParameter } from './parameters.ts';

/** The content of a body or response: a built-in type by its full name, the resource itself, its list, or plain text. */
export type Payload =
  | { readonly builtin: string }
  | { readonly kind: GroupVersionKind }
  | { readonly list: OpenApiResource }
  | 'string';

/** One operation, independent of the document version. */
export interface OpenApiOperation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  /** x-kubernetes-action; absent for operations that do not belong to a resource. */
  readonly action?: string;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  /**
   * `kind` is the kind of the request and response. `about` is x-kubernetes-group-version-kind, which is always the resource's own kind for
   * custom resources.
   */
  readonly kind?: GroupVersionKind;
  readonly about?: GroupVersionKind;
  readonly pathParameters: readonly OpenApiParameter[];
  readonly parameters: readonly OpenApiParameter[];
  readonly body?: Payload;
  readonly bodyRequired: boolean;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly responses: readonly { readonly code: number; readonly payload: Payload }[];
}

export const serialized = ['application/json', 'application/yaml'];
export const protobuf = 'application/vnd.kubernetes.protobuf';
export const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

const inPath = (name: string, description: string): OpenApiParameter => ({
  name,
  in: 'path',
  type: 'string',
  description,
  required: true,
});
const namespaceParameter = inPath('namespace', 'object name and auth scope, such as for teams and projects');

/** The path of a resource's objects; for a namespaced resource, in a namespace. */
export const scopePath = (root: string, resource: OpenApiResource): string =>
  resource.namespaced ? `${root}/namespaces/{namespace}/${resource.plural}` : `${root}/${resource.plural}`;

/** The parameters in a path. */
export const pathParameters = (path: string, kind: string): OpenApiParameter[] => [
  ...(path.includes('{name}') ? [inPath('name', `name of the ${kind}`)] : []),
  ...(path.includes('{namespace}') ? [namespaceParameter] : []),
  ...(path.includes('{path}') ? [inPath('path', 'path to the resource')] : []),
];
