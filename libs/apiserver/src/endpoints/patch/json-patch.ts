import {
  applyJsonPatch,
  decodeJsonPatch,
  factsOfLiterals,
  inDocumentOrder,
  JsonPatchError,
  JsonPatchTooLargeError,
  newBadRequest,
  newRequestEntityTooLarge,
  stringifyJson,
  type JsonObject,
  type JsonPatchOperation,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { duplicateField, type ParsedBody } from '@apichain/request';
import { isUntyped } from '../../negotiation/check-kind.ts';
import { unknownField } from '../../negotiation/decode-object.ts';
import type { EndpointScope } from '../scope.ts';
import { decodePatched } from './decode-patched.ts';
import { patchRefused, type DocumentPatch, type PatchedDocument, type ReportProblems } from './document-patch.ts';
import { errorDecodingPatch, isStrict, readPatchBody, type PatchRequest } from './patch-mechanism.ts';
import {
  encodedOrder,
  literalsInDocument,
  markLiterals,
  numberLiteralsOf,
  printedOperations,
  shownDocument,
  withLiterals,
} from './printed-patch.ts';

/** Reads a JSON patch (RFC 6902). Throws BadRequest. Source: jsonPatcher in endpoints/handlers/patch.go of k8s.io/apiserver. */
export function readJsonPatch(request: PatchRequest): DocumentPatch {
  const strict = isStrict(request);
  const parsed = readPatchBody(request, {
    syntax: (problem) => (strict ? errorDecodingPatch(problem) : problem),
    // Go decodes operations into structs and other patches into maps, so the messages differ.
    number: (problem) => errorDecodingPatch(problem.replace('Go value', 'Go struct field jsonPatchOp.value')),
  });
  const { operations, unknownFields } = readOperations(parsed, strict);
  const problems = operationProblems(parsed, unknownFields, request.body);
  return new JsonPatch(request.scope, parsed, operations, problems);
}

/** Reads the operations. `strict` also collects unknown members of operations. Throws BadRequest. */
function readOperations({ value, facts }: ParsedBody, strict: boolean) {
  try {
    return decodeJsonPatch(value, strict, facts?.numberLiterals);
  } catch (error) {
    if (error instanceof JsonPatchError) throw newBadRequest(error.message);
    throw error;
  }
}

/** Duplicate and unknown members of operations, in the order of the text. */
function operationProblems(parsed: ParsedBody, unknownFields: readonly string[], body: Buffer): string[] {
  const unknown = unknownFields.map(unknownField);
  const { duplicates, duplicatePaths } = parsed;
  if (duplicatePaths === undefined || unknown.length === 0) return [...duplicates, ...unknown];
  const found = inDocumentOrder(body.toString('utf8'), new Set(unknownFields), new Set(duplicatePaths));
  return found.map(({ path, repeated }) => (repeated ? duplicateField(path) : unknownField(path)));
}

class JsonPatch implements DocumentPatch {
  readonly problems: readonly string[];
  readonly #scope: EndpointScope;
  readonly #parsed: ParsedBody;
  readonly #operations: readonly JsonPatchOperation[];

  constructor(
    scope: EndpointScope,
    parsed: ParsedBody,
    operations: readonly JsonPatchOperation[],
    problems: readonly string[],
  ) {
    this.#scope = scope;
    this.#parsed = parsed;
    this.#operations = operations;
    this.problems = problems.map((problem) => `json patch ${problem}`);
  }

  apply(document: JsonObject): PatchedDocument {
    const numberLiterals = numberLiteralsOf(this.#parsed);
    const patched = this.#operated(document);
    return {
      document: patched,
      facts: factsOfLiterals(literalsInDocument(patched, this.#operations, numberLiterals)),
      shown: () => shownDocument(patched, this.#parsed.value, () => this.#shown(document, numberLiterals)),
    };
  }

  #operated(document: JsonObject): JsonValue {
    try {
      return applyJsonPatch(document, this.#operations) as JsonValue;
    } catch (error) {
      if (error instanceof JsonPatchTooLargeError) throw newRequestEntityTooLarge(error.message);
      if (error instanceof JsonPatchError) throw patchRefused();
      throw error;
    }
  }

  #shown(document: JsonObject, numberLiterals: ReadonlyMap<string, string>): string {
    const marked = { ...this.#parsed, value: markLiterals(this.#parsed.value, numberLiterals) };
    const { operations } = readOperations(marked, false);
    const encoded = encodedOrder(document, isUntyped(this.#scope.codec));
    return withLiterals(stringifyJson(printedOperations(encoded, operations)));
  }

  decode(patched: PatchedDocument, report: ReportProblems): Promise<KubeObject> {
    return decodePatched(this.#scope, patched, report);
  }
}
