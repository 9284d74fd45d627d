import { traceEvent } from '@apichain/client';
import { newConflict, parseJson, parseYaml, pause, type KubeObject } from '@apichain/meta';
import {
  negotiateOutput,
  readAhead,
  readBody,
  wireFormatsOf,
  writeDocument,
  type RequestAudit,
} from '@apichain/request';
import { readPatchOptions } from '../negotiation/request-options.ts';
import { resultDocument } from '../negotiation/result-document.ts';
import type { Updater, WriteOptions } from '../registry/rest.ts';
import { checkName, ensureNamespace } from '../registry/system-metadata.ts';
import type { LiveObject } from './managed-fields.ts';
import { withinBound, updatedWithinSize } from './write.ts';
import { cborPatchAsJson } from './patch/apply-configuration.ts';
import { ApplyPatcher } from './patch/apply-patcher.ts';
import { DocumentPatcher } from './patch/document-patcher.ts';
import { readJsonPatch } from './patch/json-patch.ts';
import { readMergePatch } from './patch/merge-patch.ts';
import type { PatchMechanism, PatchRequest } from './patch/patch-mechanism.ts';
import { patchFormat, type PatchType } from './patch/patch-media-types.ts';
import { readStrategicMergePatch } from './patch/strategic-merge-patch.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';
import { admitReplacement, writeHooks } from './update.ts';

/** The mechanism of each patch type. */
const mechanisms: Readonly<Record<PatchType, (request: PatchRequest) => PatchMechanism>> = {
  json: (request) => new DocumentPatcher(request, readJsonPatch),
  merge: (request) => new DocumentPatcher(request, readMergePatch),
  strategic: (request) => new DocumentPatcher(request, readStrategicMergePatch),
  apply: (request) => new ApplyPatcher(request),
};

/** PATCH: JSON patch, merge patch, strategic merge patch and server-side apply. */
export async function patchResource(scope: EndpointScope, storage: Updater, call: EndpointRequest): Promise<void> {
  const { ctx, request, response, query, name } = call;
  const formats = wireFormatsOf(request);
  const { type, cbor } = patchFormat(request.headers['content-type'], scope.codec.custom, formats);
  const output = negotiateOutput(request.headers.accept, scope.restrictions, formats);
  const bytes = await readBody(request);
  traceEvent('limitedReadBody succeeded', bytes.length);
  const options = readPatchOptions(query, type === 'apply');
  const body = cbor ? cborPatchAsJson(bytes) : bytes;
  const ahead = await readAhead(body, type === 'apply' ? 'yaml' : 'json');
  if (ctx.audit?.wantsRequest === true) notePatch(ctx.audit, type, body);
  const mechanism = mechanisms[type]({ scope, ctx, name, options, body, ahead, formats });
  const given = { ...options, ...writeHooks(scope, call, options), forceAllowCreate: type === 'apply' };
  const update = (withManagedFields: boolean) =>
    storage.update(
      ctx,
      name,
      async (current, json) => {
        const live = current && { object: current, json };
        const object = await applyPatch(scope, call, options, mechanism, live);
        if (!withManagedFields) delete object.metadata.managedFields;
        return object;
      },
      given,
    );
  // An apply is nothing without its managers.
  const { result, created } = await withinBound(call, () =>
    type === 'apply' ? update(true) : updatedWithinSize(update),
  );
  await pause();
  const document = await resultDocument(scope, result, output, query);
  traceEvent('Object stored in database');
  await writeDocument(request, response, created ? 201 : 200, document, output, query);
}

/** Records the patch for audit. A patch that cannot be parsed is not recorded; its error is reported later. */
function notePatch(audit: RequestAudit, type: PatchType, patch: Buffer): void {
  try {
    audit.logRequestDocument(type === 'apply' ? parseYaml(patch) : parseJson(patch));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** Computes the patched object and runs mutating admission. Runs once per attempt, with the object stored at that time. */
async function applyPatch(
  scope: EndpointScope,
  call: EndpointRequest,
  options: WriteOptions,
  mechanism: PatchMechanism,
  live: LiveObject | undefined,
): Promise<KubeObject> {
  const object = await (live === undefined ? mechanism.createNewObject() : mechanism.applyPatchToCurrentObject(live));
  const { uid = '' } = object.metadata;
  if (live === undefined && uid !== '') {
    const { group, resource } = scope.resource;
    throw newConflict(
      { group, resource },
      call.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  ensureNamespace(object, scope.storage.info.namespaced, call.namespace);
  checkName(object, call.name, call.namespace);
  await pause();
  await admitReplacement(scope, call, options, object, live?.object);
  return object;
}
