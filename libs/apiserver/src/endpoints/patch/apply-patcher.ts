import {
  deepClone,
  exceedsMembers,
  inTurns,
  newTooManyMembers,
  newUnknownError,
  pause,
  type KubeObject,
} from '@apichain/meta';
import { unsupportedBody } from '@apichain/request';
import { DecodeError, unstructuredError } from '@apichain/scheme';
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

  applyPatchToCurrentObject(current: KubeObject): Promise<KubeObject> {
    return this.#apply(current);
  }

  async #apply(current: KubeObject | undefined): Promise<KubeObject> {
    const { ctx, scope, options, formats } = this.#request;
    const { fieldManager } = scope.storage;
    if (fieldManager === undefined) throw unsupportedBody(patchMediaTypes(scope.codec.custom, formats));
    await pause();
    const applied = this.#body.configuration();
    await pause();
    const merged = await inTurns(fieldManager.applying(current, applied, options.fieldManager, options.force));
    if (exceedsMembers(merged, current)) throw newTooManyMembers();
    await pause();
    this.#body.reportProblems(ctx, options.fieldValidation);
    // Only managedFields changed. The object is otherwise the live object and needs no decoding.
    if (current !== undefined && isLive(merged, current)) return deepClone(merged);
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

/** Whether an object has the identical members of the live object, except managedFields. */
function isLive(object: KubeObject, live: KubeObject): boolean {
  if (object === live) return true;
  const { metadata, ...members } = object;
  const { managedFields: _, ...kept } = metadata;
  const same = (value: object, of: object): boolean =>
    Object.entries(value).every(([name, m]) => Reflect.get(of, name) === m);
  const count = (value: object, without: string): number =>
    Object.keys(value).filter((name) => name !== without).length;
  if (count(live, 'metadata') !== count(members, '') || !same(members, live)) return false;
  return count(live.metadata, 'managedFields') === count(kept, '') && same(kept, live.metadata);
}
