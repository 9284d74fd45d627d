import {
  applyJsonPatch,
  applyMergePatch,
  decodeJsonPatch,
  field,
  JsonNumberError,
  JsonPatchError,
  JsonPatchTooLargeError,
  newBadRequest,
  newInvalid,
  newRequestEntityTooLarge,
  newUnknownError,
  parseYaml,
  parseYamlStrict,
  StatusError,
  stringifyJson,
  YamlError,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { applyStrategicMergePatch, CborError, decodeCbor, StrategicMergePatchError } from '@apichain/scheme';
import { strictDecodingError, unknownField, warnOfProblems } from '../negotiation/decode-object.ts';
import { BodySyntaxError, parseJsonBody, type ParsedBody } from '../negotiation/parse-body.ts';
import type { RequestContext } from '../registry/context.ts';
import type { WriteOptions } from '../registry/rest.ts';
import type { EndpointScope } from './scope.ts';
import { goFormat } from './go-format.ts';

export type PatchType = 'json' | 'merge' | 'strategic';
type FieldValidation = WriteOptions['fieldValidation'];

/**
 * One patch that is not an apply: read once, applied in every attempt. Source: endpoints/handlers/patch.go of k8s.io/apiserver.
 */
export class PatchMechanism {
  readonly #scope: EndpointScope;
  readonly #type: PatchType;
  readonly #fieldValidation: FieldValidation;
  readonly #apply: (document: JsonObject) => JsonValue;
  /** What strict decoding says about the patch text itself. */
  readonly #problems: readonly string[];
  readonly #patch: JsonValue;

  constructor(scope: EndpointScope, type: PatchType, body: Buffer, fieldValidation: FieldValidation) {
    this.#scope = scope;
    this.#type = type;
    this.#fieldValidation = fieldValidation;
    const parsed = parsePatch(body, type, fieldValidation !== 'Ignore');
    this.#patch = parsed.value;
    if (type === 'json') {
      const { operations, unknownFields } = readOperations(parsed.value);
      const found = [...parsed.duplicates, ...unknownFields.map(unknownField)];
      this.#problems = found.map((problem) => `json patch ${problem}`);
      this.#apply = (document) => applyOperations(() => applyJsonPatch(document, operations)) as JsonValue;
      return;
    }
    this.#problems = parsed.duplicates;
    const patch = parsed.value;
    this.#apply =
      type === 'merge'
        ? (document) => applyMergePatch(document, patch) as JsonValue
        : (document) => applyStrategic(document, patch, scope);
  }

  /** The patched object, decoded and defaulted. Throws Invalid when it is no object of the kind any more. */
  patched(ctx: RequestContext, current: KubeObject): KubeObject {
    const result = this.#apply(asJson(current));
    const { codec } = this.#scope;
    let decoded;
    try {
      decoded = codec.decode(result);
    } catch (error) {
      if (error instanceof Error && !(error instanceof StatusError)) throw this.#invalid(result, error.message);
      throw error;
    }
    const problems = [...this.#problems, ...decoded.unknownFields.map(unknownField)];
    if (problems.length > 0 && this.#fieldValidation !== 'Ignore') {
      if (this.#fieldValidation === 'Strict') throw this.#invalid(result, strictDecodingError(problems));
      warnOfProblems(ctx, problems);
    }
    return decoded.object;
  }

  #invalid(result: JsonValue, message: string): StatusError {
    const shown = this.#type === 'strategic' ? goFormat(this.#patch) : stringifyJson(asPrinted(result));
    return newInvalid({ group: '', kind: '' }, '', [field.invalid('patch', shown, message)]);
  }
}

const asJson = (object: KubeObject): JsonObject => object as JsonObject;

/** Order of metadata as the original encodes it. */
const metadataOrder = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const entryOrder = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

/** The members that are named first in their order, then the others as they come. */
function ordered(value: JsonObject, names: readonly string[]): JsonObject {
  const place = (name: string) => {
    const at = names.indexOf(name);
    return at < 0 ? names.length : at;
  };
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => place(a) - place(b)));
}

const sortedKeys = (value: JsonObject): JsonObject => ordered(value, Object.keys(value).sort());

/** A patched document in the order in which the original prints it. */
function asPrinted(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const printed: JsonObject = {};
  for (const [name, member] of Object.entries(sortedKeys(value))) {
    if (!isObject(member)) printed[name] = member;
    else printed[name] = name === 'metadata' ? printedMetadata(member) : sortedKeys(member);
  }
  return printed;
}

function printedMetadata(metadata: JsonObject): JsonObject {
  const { managedFields } = metadata;
  const inOrder = ordered(metadata, metadataOrder);
  if (!Array.isArray(managedFields)) return inOrder;
  return {
    ...inOrder,
    managedFields: managedFields.map((entry) => (isObject(entry) ? ordered(entry, entryOrder) : entry)),
  };
}

function parsePatch(body: Buffer, type: PatchType, strict: boolean): ParsedBody {
  try {
    const parsed = parseJsonBody(body, strict, type === 'strategic' ? '' : 'error decoding patch: ');
    if (parsed.numberError !== undefined) throw newBadRequest(numberProblem(type, parsed.numberError));
    if (type !== 'json' && !isObject(parsed.value)) throw notAnObject(parsed.value, type);
    return parsed;
  } catch (error) {
    if (error instanceof BodySyntaxError) throw newBadRequest(error.message);
    throw error;
  }
}

/** Operations of a JSON patch are read as structs, the other patches as maps. */
function numberProblem(type: PatchType, problem: string): string {
  if (type === 'strategic') return problem;
  const text = type === 'json' ? problem.replace('Go value', 'Go struct field jsonPatchOp.value') : problem;
  return `error decoding patch: ${text}`;
}

function notAnObject(value: JsonValue, type: PatchType): StatusError {
  const goKind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const prefix = type === 'strategic' ? '' : 'error decoding patch: ';
  return newBadRequest(`${prefix}json: cannot unmarshal ${goKind} into Go value of type map[string]interface {}`);
}

function readOperations(value: JsonValue) {
  try {
    return decodeJsonPatch(value);
  } catch (error) {
    if (error instanceof JsonPatchError) throw newBadRequest(error.message);
    throw error;
  }
}

/** The 422 of a patch that does not fit the object; it does not say why. */
const patchRefused = (message: string) =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: message === '' ? {} : { causes: [{ message }] },
    code: 422,
  });

function applyOperations(apply: () => unknown): unknown {
  try {
    return apply();
  } catch (error) {
    if (error instanceof JsonPatchTooLargeError) throw newRequestEntityTooLarge(error.message);
    if (error instanceof JsonPatchError) throw patchRefused('');
    throw error;
  }
}

function applyStrategic(document: JsonObject, patch: JsonValue, scope: EndpointScope): JsonValue {
  try {
    return applyStrategicMergePatch(document, isObject(patch) ? patch : {}, scope.storage.type) as JsonValue;
  } catch (error) {
    if (!(error instanceof StrategicMergePatchError)) throw error;
    if (error.code === 400) throw newBadRequest(error.message);
    if (error.code === 422) throw patchRefused('');
    throw newUnknownError(error.message);
  }
}

/** The configuration of an apply. Throws BadRequest. Repeated keys are refused or warned of later, by `reportApplyProblems`. */
export function parseApplyConfiguration(body: Buffer): KubeObject {
  const value = parseConfiguration(body);
  if (value === null) return { apiVersion: '', kind: '', metadata: {} };
  if (!isObject(value)) {
    const goKind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw newBadRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind} into Go value of type map[string]interface {}`,
    );
  }
  return value as KubeObject;
}

function parseConfiguration(body: Buffer): JsonValue {
  try {
    return parseYaml(body) as JsonValue;
  } catch (error) {
    if (!(error instanceof YamlError || error instanceof JsonNumberError)) throw error;
    throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

/** An apply configuration in CBOR as JSON text, which is YAML as well. Throws BadRequest. */
export function cborPatchAsJson(body: Buffer): Buffer {
  try {
    return Buffer.from(stringifyJson(decodeCbor(body)));
  } catch (error) {
    if (error instanceof CborError) throw newBadRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

export function reportApplyProblems(ctx: RequestContext, body: Buffer, fieldValidation: FieldValidation): void {
  if (fieldValidation === 'Ignore') return;
  const { duplicateFields } = parseYamlStrict(body);
  if (duplicateFields.length === 0) return;
  if (fieldValidation === 'Warn') {
    warnOfProblems(ctx, duplicateFields);
    return;
  }
  const lines = duplicateFields.map((line) => `  ${line}`).join('\n');
  throw newBadRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${lines}`);
}
