import {
  deepClone,
  exceedsMembers,
  newNotFound,
  newTooManyMembers,
  pause,
  type JsonObject,
  type KubeObject,
} from '@apichain/meta';
import { strictDecodingError, warnOfProblems } from '../../negotiation/decode-object.ts';
import { fieldManagerName, updateManagedFields, type LiveObject } from '../managed-fields.ts';
import { invalidPatch, type DocumentPatch, type PatchedDocument } from './document-patch.ts';
import type { PatchMechanism, PatchRequest } from './patch-mechanism.ts';

/** A decoded object consists of JSON values only. */
const asJson = (object: KubeObject): JsonObject => object as JsonObject;

/** The mechanism of every patch type but apply: patches the stored object as a JSON document and decodes the result. */
export class DocumentPatcher implements PatchMechanism {
  readonly #request: PatchRequest;
  readonly #read: (request: PatchRequest) => DocumentPatch;
  #patch: DocumentPatch | undefined;

  /** `read` parses the body as a patch of its type. */
  constructor(request: PatchRequest, read: (request: PatchRequest) => DocumentPatch) {
    this.#request = request;
    this.#read = read;
  }

  createNewObject(): Promise<KubeObject> {
    const { scope, name } = this.#request;
    const { group, resource } = scope.resource;
    throw newNotFound({ group, resource }, name);
  }

  async applyPatchToCurrentObject(current: LiveObject): Promise<KubeObject> {
    const { ctx, scope, options } = this.#request;
    // The patch is parsed only when there is an object to patch: NotFound takes precedence over errors of the patch.
    await pause();
    const patch = (this.#patch ??= this.#read(this.#request));
    await pause();
    const object = await this.#patched(patch, current.object);
    const { fieldManager } = scope.storage;
    if (fieldManager === undefined) return object;
    await pause();
    const manager = fieldManagerName(options.fieldManager, ctx.userAgent);
    return updateManagedFields(fieldManager, current, object, manager);
  }

  async #patched(patch: DocumentPatch, current: KubeObject): Promise<KubeObject> {
    // What a patch leaves as it is becomes part of the new object.
    const document = deepClone(asJson(current));
    await pause();
    const patched = await patch.apply(document);
    if (exceedsMembers(patched.document, current)) throw newTooManyMembers();
    await pause();
    return patch.decode(patched, (problems) => this.#report(patched, [...patch.problems, ...problems]));
  }

  #report(patched: PatchedDocument, problems: readonly string[]): void {
    const { ctx, options } = this.#request;
    if (problems.length === 0 || options.fieldValidation === 'Ignore') return;
    if (options.fieldValidation === 'Strict') throw invalidPatch(patched, strictDecodingError(problems));
    warnOfProblems(ctx, problems);
  }
}
