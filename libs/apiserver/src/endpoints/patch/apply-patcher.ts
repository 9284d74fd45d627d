import { deepClone, exceedsMembers, newTooManyMembers, newUnknownError, pause, type KubeObject } from '@apichain/meta';
import { isLiveBesidesManagers } from '@apichain/managed-fields';
import { unsupportedBody } from '@apichain/request';
import { DecodeError, unstructuredError } from '@apichain/scheme';
import { applyManagedFields, type LiveObject } from '../managed-fields.ts';
import { ApplyBody } from './apply-configuration.ts';
import type { PatchMechanism, PatchRequest } from './patch-mechanism.ts';
import { patchMediaTypes } from './patch-media-types.ts';

/** Server-side apply. Source: applyPatcher in endpoints/handlers/patch.go of k8s.io/apiserver. */
export class ApplyPatcher implements PatchMechanism {
  readonly #request: PatchRequest;
  readonly #body: ApplyBody;

  constructor(request: PatchRequest) {
    this.#request = request;
    this.#body = new ApplyBody(request.body, request.ahead);
  }

  createNewObject(): Promise<KubeObject> {
    return this.#apply(undefined);
  }

  applyPatchToCurrentObject(current: LiveObject): Promise<KubeObject> {
    return this.#apply(current);
  }

  async #apply(live: LiveObject | undefined): Promise<KubeObject> {
    const { ctx, scope, options, formats } = this.#request;
    const { fieldManager } = scope.storage;
    if (fieldManager === undefined) throw unsupportedBody(patchMediaTypes(scope.codec.custom, formats));
    await pause();
    const applied = this.#body.configuration();
    await pause();
    const merged = await applyManagedFields(fieldManager, live, applied, options);
    const current = live?.object;
    if (exceedsMembers(merged, current)) throw newTooManyMembers();
    await pause();
    this.#body.reportProblems(ctx, options.fieldValidation);
    // Only managedFields changed. The object is otherwise the live object and needs no decoding.
    if (current !== undefined && isLiveBesidesManagers(merged, current)) return deepClone(merged);
    await pause();
    return this.#decode(merged, applied);
  }

  /** Decodes the merged fields as an object of the kind, with defaults. Throws a 500 if they match the type but cannot be decoded. */
  async #decode(merged: KubeObject, applied: KubeObject): Promise<KubeObject> {
    const { codec, storage } = this.#request.scope;
    const value = deepClone(merged) as Parameters<typeof codec.decode>[0];
    await pause();
    try {
      return codec.decode(value, { applied: true, unstructured: true }).object;
    } catch (error) {
      if (codec.custom || !(error instanceof DecodeError)) throw error;
      const { group, version, kind } = codec.kind;
      const problem = unstructuredError(merged, storage.type) ?? error.message;
      const { namespace = '', name = '' } = applied.metadata;
      const target = `${group}/${version}, Kind=${kind}`;
      throw newUnknownError(
        `failed to convert new object (${namespace}/${name}; ${target}) to proper version: unable to convert unstructured object to ${target}: ${problem}`,
      );
    }
  }
}
