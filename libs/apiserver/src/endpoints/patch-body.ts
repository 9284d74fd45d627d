import {
  isJsonObject,
  decodeJsonPatch,
  inDocumentOrder,
  JsonPatchError,
  newBadRequest,
  type JsonValue,
} from '@apichain/meta';
import { jsonKind } from '@apichain/scheme';
import { unknownField } from '../negotiation/decode-object.ts';
import { BodySyntaxError, duplicateField, parseJsonBody, type ParsedBody } from '@apichain/request';
import type { ReadAhead } from '@apichain/request';

export type PatchType = 'json' | 'merge' | 'strategic';

/**
 * A patch that is not an apply, as JSON; `strict`: repeated members are looked for. Throws BadRequest for what is none, in the words of the
 * reader that its type has in kube-apiserver.
 */
export function parsePatch(body: Buffer, type: PatchType, strict: boolean, ahead?: ReadAhead): ParsedBody {
  try {
    const prefix = type === 'strategic' || !strict ? '' : 'error decoding patch: ';
    const parsed = parseJsonBody(body, strict, prefix, ahead);
    if (parsed.numberError !== undefined) throw newBadRequest(numberProblem(type, parsed.numberError));
    if (type !== 'json') checkIsObject(parsed.value, type, strict);
    return parsed;
  } catch (error) {
    if (!(error instanceof BodySyntaxError)) throw error;
    throw newBadRequest(type === 'merge' && !strict ? badJsonPatch : error.message);
  }
}

/** What a lenient reader of merge patches says of anything else. */
const badJsonPatch = 'Invalid JSON Patch';

/** Operations of a JSON patch are read as structs, the other patches as maps. */
function numberProblem(type: PatchType, problem: string): string {
  if (type === 'strategic') return problem;
  const text = type === 'json' ? problem.replace('Go value', 'Go struct field jsonPatchOp.value') : problem;
  return `error decoding patch: ${text}`;
}

/** Null is no operation for a strategic merge patch. Whoever reads leniently leaves it to MergePatch to complain. */
function checkIsObject(value: JsonValue, type: PatchType, strict: boolean): void {
  if (isJsonObject(value) || (type === 'strategic' && value === null)) return;
  if (type === 'merge' && (value === null || !strict)) {
    if (!Array.isArray(value)) throw newBadRequest(badJsonPatch);
    return;
  }
  const prefix = type === 'strategic' ? '' : 'error decoding patch: ';
  throw newBadRequest(
    `${prefix}json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
  );
}

/** The operations of a JSON patch; `strict`: unknown members of them are looked for. Throws BadRequest. */
export function readOperations({ value, facts }: ParsedBody, strict: boolean) {
  try {
    return decodeJsonPatch(value, strict, facts?.numberLiterals);
  } catch (error) {
    if (error instanceof JsonPatchError) throw newBadRequest(error.message);
    throw error;
  }
}

/** Repeated and unknown members of operations, as they come in the text. */
export function operationProblems(parsed: ParsedBody, unknownFields: readonly string[], body: Buffer): string[] {
  const unknown = unknownFields.map(unknownField);
  const { duplicates, duplicatePaths } = parsed;
  if (duplicatePaths === undefined || unknown.length === 0) return [...duplicates, ...unknown];
  const found = inDocumentOrder(body.toString('utf8'), new Set(unknownFields), new Set(duplicatePaths));
  return found.map(({ path, repeated }) => (repeated ? duplicateField(path) : unknownField(path)));
}
