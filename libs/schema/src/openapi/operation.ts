import type { GroupVersionKind } from '@apichain/meta';
import type { OpenApiResource } from './openapi-types.ts';
import type { OpenApiParameter } from './parameters.ts';

/** What a body or answer is: a built-in type by its facts name, the resource itself, its list, or plain text. */
export type Payload =
  { readonly builtin: string } | { readonly kind: GroupVersionKind } | { readonly list: OpenApiResource } | 'string';

/** One operation, in neither version's spelling. */
export interface OpenApiOperation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  /** x-kubernetes-action; what is no resource has none. */
  readonly action?: string;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  /** What is sent and answered; `about` is what x-kubernetes-group-version-kind says, for custom resources always their own kind. */
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
