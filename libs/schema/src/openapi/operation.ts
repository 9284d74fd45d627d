import type { GroupVersionKind } from '@apichain/meta';
import type { OpenApiResource } from './openapi-types.ts';
import type { OpenApiParameter } from './parameters.ts';

/** The content of a body or response: a built-in type by its full name, the resource itself, its list, or plain text. */
export type Payload =
  { readonly builtin: string } | { readonly kind: GroupVersionKind } | { readonly list: OpenApiResource } | 'string';

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
