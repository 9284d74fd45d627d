import { traceEvent } from '@apichain/client';
import { negotiateOutput, wireFormatsOf } from '@apichain/request';
import { readBody } from '@apichain/request';
import { readListOptions } from '../negotiation/request-options.ts';
import { listDocument, resultDocument } from '../negotiation/result-document.ts';
import { writeDocument } from '@apichain/request';
import type { CollectionDeleter, GracefulDeleter } from '../registry/rest.ts';
import type { GracefulDeleteOptions } from '../registry/strategy.ts';
import { deleteValidation } from './admission.ts';
import { deleteOptionsOf } from './delete-options-body.ts';
import { withinBound } from './write.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';

/** DELETE of one object. */
export async function deleteResource(
  scope: EndpointScope,
  storage: GracefulDeleter,
  call: EndpointRequest,
): Promise<void> {
  const { ctx, request, response, query } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions, wireFormatsOf(request));
  const body = await readBody(request);
  const options = await deleteOptionsOf(body, request, query, scope.services.protobuf);
  if (body.length > 0) noteOptions(call, options);
  const { orphanDependents } = options;
  const dryRun = (options.dryRun?.length ?? 0) > 0;
  const validate = deleteValidation(scope, call, options, dryRun);
  traceEvent('About to delete object from database');
  const { result, deleted } = await withinBound(call, () => storage.delete(ctx, call.name, options, validate));
  traceEvent('Object deleted from database');
  // A pending delete with orphanDependents=false gets 202.
  const code = !deleted && orphanDependents === false ? 202 : 200;
  await writeDocument(request, response, code, await resultDocument(scope, result, output, query), output, query);
}

/** DELETE of a collection: deletes the objects that a list with the same parameters returns. */
export async function deleteCollectionOf(
  scope: EndpointScope,
  storage: CollectionDeleter,
  call: EndpointRequest,
): Promise<void> {
  const { ctx, request, response, query } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions, wireFormatsOf(request));
  const list = readListOptions(query).options;
  const body = await readBody(request);
  const options = await deleteOptionsOf(body, request, query, scope.services.protobuf);
  const dryRun = (options.dryRun?.length ?? 0) > 0;
  const validate = deleteValidation(scope, call, options, dryRun);
  if (body.length > 0) noteOptions(call, options);
  const deleted = await storage.deleteCollection(ctx, options, list, validate);
  await writeDocument(request, response, 200, listDocument(scope, deleted, output, query), output, query);
}

function noteOptions({ ctx }: EndpointRequest, options: GracefulDeleteOptions): void {
  ctx.audit?.logRequestDocument({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...options });
}
