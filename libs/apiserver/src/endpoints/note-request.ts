import { stringifyJson, type KubeObject } from '@apichain/meta';
import { canonicalize } from '@apichain/scheme';
import type { EndpointRequest, EndpointScope } from './scope.ts';

/** Records the object of a request, including defaults, for audit events. */
export function noteRequestObject(
  { codec, storage }: EndpointScope,
  { ctx }: EndpointRequest,
  object: KubeObject,
): void {
  ctx.audit?.logRequestObject(object.metadata, () =>
    stringifyJson(codec.custom ? object : canonicalize(object, storage.type)),
  );
}
