import {
  deepCloning,
  exceedingMembers,
  newTooManyMembers,
  newUnknownError,
  type KubeObject,
  type Work,
} from '@apichain/meta';
import { unsupportedBody } from '@apichain/request';
import { DecodeError, unstructuredError } from '@apichain/scheme';
import { decodingBy } from '../../registry/object-codec.ts';
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

  createNewObject(): Work<KubeObject> {
    return this.#applying(undefined);
  }

  applyPatchToCurrentObject(current: KubeObject): Work<KubeObject> {
    return this.#applying(current);
  }

  *#applying(current: KubeObject | undefined): Work<KubeObject> {
    const { ctx, scope, options, formats } = this.#request;
    const { fieldManager } = scope.storage;
    if (fieldManager === undefined) throw unsupportedBody(patchMediaTypes(scope.codec.custom, formats));
    yield;
    const applied = this.#body.configuration();
    yield;
    const merged = yield* fieldManager.applying(current, applied, options.fieldManager, options.force);
    if (yield* exceedingMembers(merged, current)) throw newTooManyMembers();
    yield;
    this.#body.reportProblems(ctx, options.fieldValidation);
    // Only managedFields changed. The object is otherwise the live object and needs no decoding.
    if (current !== undefined && isLive(merged, current)) return yield* deepCloning(merged);
    yield;
    return yield* this.#decoding(merged, applied);
  }

  /** Decodes the merged fields as an object of the kind, with defaults. Throws a 500 if they match the type but cannot be decoded. */
  *#decoding(merged: KubeObject, applied: KubeObject): Work<KubeObject> {
    const { codec, storage } = this.#request.scope;
    const value = (yield* deepCloning(merged)) as Parameters<typeof codec.decode>[0];
    yield;
    try {
      return (yield* decodingBy(codec, value, { applied: true, unstructured: true })).object;
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
