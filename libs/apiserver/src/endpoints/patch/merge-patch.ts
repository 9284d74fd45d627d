import {
  applyMergePatch,
  factsOfLiterals,
  isJsonObject,
  newBadRequest,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import type { ParsedBody } from '@apichain/request';
import { inOrder } from '@apichain/scheme';
import { isUntyped } from '../../negotiation/check-kind.ts';
import type { EndpointScope } from '../scope.ts';
import { decodePatched } from './decode-patched.ts';
import type { DocumentPatch, PatchedDocument, ReportProblems } from './document-patch.ts';
import { errorDecodingPatch, isStrict, notAMap, readPatchBody, type PatchRequest } from './patch-mechanism.ts';
import {
  encodedOrder,
  markLiterals,
  numberLiteralsOf,
  printedMerge,
  shownDocument,
  withLiterals,
} from './printed-patch.ts';

/** The message of a lenient reader for a patch that is neither an object nor a list. */
const badJsonPatch = 'Invalid JSON Patch';

/** Reads a merge patch (RFC 7386). Throws BadRequest. Source: jsonPatcher in endpoints/handlers/patch.go of k8s.io/apiserver. */
export function readMergePatch(request: PatchRequest): DocumentPatch {
  const strict = isStrict(request);
  const parsed = readPatchBody(request, {
    syntax: (problem) => (strict ? errorDecodingPatch(problem) : badJsonPatch),
    number: errorDecodingPatch,
  });
  checkIsObject(parsed.value, strict);
  return new MergePatch(request.scope, parsed);
}

/** A lenient reader leaves the check to MergePatch of evanphx/json-patch, which accepts lists. */
function checkIsObject(value: JsonValue, strict: boolean): void {
  if (isJsonObject(value)) return;
  if (strict && value !== null) throw newBadRequest(errorDecodingPatch(notAMap(value)));
  if (!Array.isArray(value)) throw newBadRequest(badJsonPatch);
}

class MergePatch implements DocumentPatch {
  readonly problems: readonly string[];
  readonly #scope: EndpointScope;
  readonly #patch: JsonValue;
  readonly #inOrder: JsonValue;
  readonly #numberLiterals: ReadonlyMap<string, string>;

  constructor(scope: EndpointScope, parsed: ParsedBody) {
    const { value, duplicates } = parsed;
    this.problems = duplicates;
    this.#scope = scope;
    this.#patch = value;
    // Go decodes the patch into maps, so its objects are sorted. The order matters for fields that keep objects as they were written.
    this.#inOrder = isUntyped(scope.codec) ? value : (inOrder(value) as JsonValue);
    this.#numberLiterals = numberLiteralsOf(parsed);
  }

  apply(document: JsonObject): PatchedDocument {
    const merged = applyMergePatch(document, this.#inOrder) as JsonValue;
    return {
      document: merged,
      facts: factsOfLiterals(this.#numberLiterals),
      shown: () => shownDocument(merged, this.#patch, () => this.#shown(document)),
    };
  }

  #shown(document: JsonObject): string {
    const encoded = encodedOrder(document, isUntyped(this.#scope.codec));
    return withLiterals(stringifyJson(printedMerge(encoded, markLiterals(this.#patch, this.#numberLiterals))));
  }

  decode(patched: PatchedDocument, report: ReportProblems): Promise<KubeObject> {
    return decodePatched(this.#scope, patched, report);
  }
}
