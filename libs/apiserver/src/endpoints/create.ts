import { traceEvent } from '@apichain/client';
import { pause, type KubeObject } from '@apichain/meta';
import { negotiateOutput, wireFormatsOf } from '@apichain/request';
import { decodeObjectBody, readObjectAhead } from '../negotiation/decode-object.ts';
import { negotiateInput } from '@apichain/request';
import { readBody } from '@apichain/request';
import { readWriteOptions } from '../negotiation/request-options.ts';
import { resultDocument } from '../negotiation/result-document.ts';
import { writeDocument } from '@apichain/request';
import type { Creater, Result, WriteOptions } from '../registry/rest.ts';
import { dedupOwnerReferences, ensureNamespace, wipeSystemFields } from '../registry/system-metadata.ts';
import { admitObject, createValidation, optionsObject } from './admission.ts';
import { fieldManagerName, updateManagedFields } from './managed-fields.ts';
import { noteRequestObject, retriedWithoutManagedFields, withinBound } from './write.ts';
import { objectDecoder, type EndpointRequest, type EndpointScope } from './scope.ts';

/** Sets the code of a Success Status to that of the response. */
function withCode(result: Result): Result {
  const succeeded = 'kind' in result && result.kind === 'Status' && 'status' in result && result.status === 'Success';
  return succeeded ? { ...result, code: 201 } : result;
}

/** POST: creates an object, or runs the action of a virtual resource. */
export async function createResource(scope: EndpointScope, storage: Creater, call: EndpointRequest): Promise<void> {
  const { ctx, request, response, query } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions, wireFormatsOf(request));
  const bytes = await readBody(request);
  traceEvent('limitedReadBody succeeded', bytes.length);
  const options = readWriteOptions(query, 'CreateOptions');
  const format = negotiateInput(request.headers['content-type'], wireFormatsOf(request));
  const { fieldValidation } = options;
  const decoder = objectDecoder(scope);
  const ahead = await readObjectAhead(bytes, format, decoder);
  await pause();
  const object = await decodeObjectBody(ctx, { bytes, format, fieldValidation, ahead }, decoder);
  noteRequestObject(scope, call, object);
  await pause();
  traceEvent('About to store object in database');
  const result = await withinBound(call, () => createObject(scope, storage, call, object, options));
  traceEvent('Write to database call succeeded', bytes.length);
  await pause();
  await writeDocument(
    request,
    response,
    201,
    await resultDocument(scope, withCode(result), output, query),
    output,
    query,
  );
}

async function createObject(
  scope: EndpointScope,
  storage: Creater,
  call: EndpointRequest,
  object: KubeObject,
  options: WriteOptions,
): Promise<Result> {
  const { ctx } = call;
  const { fieldManager } = scope.storage;
  if (storage.keepsSystemFields !== true) wipeSystemFields(object.metadata);
  ensureNamespace(object, scope.storage.info.namespaced, call.namespace);
  warn(call, dedupOwnerReferences(object, false));
  const manager = fieldManagerName(options.fieldManager, ctx.userAgent);
  const created =
    fieldManager === undefined ? object : await updateManagedFields(fieldManager, undefined, object, manager);
  await pause();
  const { dryRun } = options;
  const given = optionsObject('CreateOptions', options);
  await admitObject(scope, call, 'CREATE', { object: created, options: given, dryRun });
  warn(call, dedupOwnerReferences(created, true));
  const validateCreate = createValidation(scope, call, given, dryRun);
  const request = { ...options, validateCreate };
  return retriedWithoutManagedFields(created, (candidate) => storage.create(ctx, call.name, candidate, request));
}

function warn(call: EndpointRequest, text: string | undefined): void {
  if (text !== undefined) call.ctx.warn(text);
}
