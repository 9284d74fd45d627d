import {
  deepClone,
  isJsonObject,
  newBadRequest,
  newUnknownError,
  StatusError,
  type JsonObject,
  type JsonValue,
  pause,
  type KubeObject,
} from '@apichain/meta';
import { goFormat } from '@apichain/go-text';
import type { ParsedBody } from '@apichain/request';
import { applyStrategicMergePatch, StrategicMergePatchError, unstructuredError } from '@apichain/scheme';
import { unknownField } from '../../negotiation/decode-object.ts';
import type { DecodedObject } from '../../registry/object-codec.ts';
import type { EndpointScope } from '../scope.ts';
import {
  invalidPatch,
  patchedObject,
  patchRefused,
  type DocumentPatch,
  type PatchedDocument,
  type ReportProblems,
} from './document-patch.ts';
import { notAMap, readPatchBody, type PatchRequest } from './patch-mechanism.ts';
import { shownDocument } from './printed-patch.ts';

/**
 * Reads a strategic merge patch, which only built-in kinds accept. Null is a patch without operations. Throws BadRequest.
 * Source: smpPatcher in endpoints/handlers/patch.go of k8s.io/apiserver.
 */
export function readStrategicMergePatch(request: PatchRequest): DocumentPatch {
  const parsed = readPatchBody(request, { syntax: (problem) => problem, number: (problem) => problem });
  const { value } = parsed;
  if (!isJsonObject(value) && value !== null) throw newBadRequest(notAMap(value));
  return new StrategicMergePatch(request.scope, parsed);
}

class StrategicMergePatch implements DocumentPatch {
  readonly problems: readonly string[];
  readonly #scope: EndpointScope;
  readonly #patch: JsonValue;

  constructor(scope: EndpointScope, { value, duplicates }: ParsedBody) {
    this.problems = duplicates;
    this.#scope = scope;
    this.#patch = value;
  }

  /** Merging removes directives from the patch, so each attempt uses a copy. Errors print what is left of that copy. */
  async apply(document: JsonObject): Promise<PatchedDocument> {
    const left = isJsonObject(this.#patch) ? deepClone(this.#patch) : {};
    await pause();
    const merged = this.#merged(document, left);
    return { document: merged, shown: () => shownDocument(merged, left, () => goFormat(left)) };
  }

  #merged(document: JsonObject, patch: JsonObject): JsonValue {
    try {
      return applyStrategicMergePatch(document, patch, this.#scope.storage.type) as JsonValue;
    } catch (error) {
      if (!(error instanceof StrategicMergePatchError)) throw error;
      if (error.code === 400) throw newBadRequest(error.message);
      if (error.code === 422) throw patchRefused();
      throw newUnknownError(error.message);
    }
  }

  /** The converter uses the type of the endpoint and ignores the kind that the document states. */
  async decode(patched: PatchedDocument, report: ReportProblems): Promise<KubeObject> {
    patchedObject(patched);
    const { object, unknownFields } = this.#fromUnstructured(patched);
    await pause();
    report(unknownFields.map(unknownField).sort());
    return object;
  }

  #fromUnstructured(patched: PatchedDocument): DecodedObject {
    const { codec, storage } = this.#scope;
    try {
      return codec.decode(patched.document, { unstructured: true });
    } catch (error) {
      if (!(error instanceof Error) || error instanceof StatusError) throw error;
      throw invalidPatch(patched, unstructuredError(patched.document, storage.type) ?? error.message);
    }
  }
}
