import {
  applyJsonPatch,
  applyMergePatch,
  decodeJsonPatch,
  deepClone,
  field,
  formatGroupVersion,
  inDocumentOrder,
  JsonNumberError,
  JsonPatchError,
  JsonPatchTooLargeError,
  newBadRequest,
  newInternalError,
  newInvalid,
  newRequestEntityTooLarge,
  newUnknownError,
  parseYaml,
  parseYamlStrict,
  StatusError,
  stringifyJson,
  YamlError,
  type JsonObject,
  type JsonPatchOperation,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import {
  applyStrategicMergePatch,
  CborError,
  decodeCbor,
  goFormat,
  inOrder,
  jsonKind,
  StrategicMergePatchError,
  unstructuredError,
} from '@apichain/scheme';
import {
  checkTypeMeta,
  completedKind,
  internalVersion,
  isUntyped,
  typedKindProblem,
} from '../negotiation/check-kind.ts';
import {
  strictDecodingError,
  unknownCustomField,
  unknownField,
  versionIsMissing,
  warnOfProblems,
} from '../negotiation/decode-object.ts';
import { BodySyntaxError, duplicateField, parseJsonBody, type ParsedBody } from '../negotiation/parse-body.ts';
import { notAnObject, statedKind, untypedKind, type StatedKind } from '../negotiation/version-and-kind.ts';
import type { RequestContext } from '../registry/context.ts';
import type { DecodedObject } from '../registry/object-codec.ts';
import type { WriteOptions } from '../registry/rest.ts';
import {
  encodedOrder,
  literalsInDocument,
  markLiterals,
  printedMerge,
  printedOperations,
  withLiterals,
} from './printed-patch.ts';
import type { EndpointScope } from './scope.ts';

export type PatchType = 'json' | 'merge' | 'strategic';
type FieldValidation = WriteOptions['fieldValidation'];

/** A patched document before it is an object again. */
interface Patched {
  readonly document: JsonValue;
  /** Numbers of it that are written with a fraction or an exponent, by their paths. */
  readonly numberLiterals?: ReadonlyMap<string, string>;
  /** What an error shows of it. */
  readonly shown: () => string;
}

/**
 * One patch that is not an apply: read once, applied in every attempt. Source: endpoints/handlers/patch.go of k8s.io/apiserver.
 */
export class PatchMechanism {
  readonly #scope: EndpointScope;
  readonly #type: PatchType;
  readonly #fieldValidation: FieldValidation;
  readonly #apply: (document: JsonObject) => Patched;
  /** What strict decoding says about the patch text itself. */
  readonly #problems: readonly string[];

  constructor(scope: EndpointScope, type: PatchType, body: Buffer, fieldValidation: FieldValidation) {
    this.#scope = scope;
    this.#type = type;
    this.#fieldValidation = fieldValidation;
    const isStrict = fieldValidation !== 'Ignore';
    const parsed = parsePatch(body, type, isStrict);
    if (type === 'json') {
      const { operations, unknownFields } = readOperations(parsed, isStrict);
      this.#problems = operationProblems(parsed, unknownFields, body).map((problem) => `json patch ${problem}`);
      this.#apply = (document) => this.#operated(document, operations, parsed);
      return;
    }
    this.#problems = parsed.duplicates;
    const patch = parsed.value;
    if (type === 'strategic') {
      this.#apply = (document) => this.#strategic(document, patch);
      return;
    }
    // What a merge patch brings along comes out of Go's maps, which counts where objects of any kind are kept as they were written.
    const ordered = isUntyped(scope.codec) ? patch : (inOrder(patch) as JsonValue);
    this.#apply = (document) => this.#merged(document, parsed, ordered);
  }

  /** The patched object, decoded and defaulted. Throws Invalid when it is no object of the kind any more. */
  patched(ctx: RequestContext, current: KubeObject): KubeObject {
    const patched = this.#apply(asJson(current));
    this.#checkKind(patched);
    const other = this.#otherVersion(patched);
    const decoded = other ?? this.#unversioned(patched.document) ?? this.#decode(patched);
    const problems = [...this.#problems, ...this.#unknown(decoded.unknownFields, patched)];
    if (problems.length > 0 && this.#fieldValidation !== 'Ignore') {
      if (this.#fieldValidation === 'Strict') throw invalid(patched, strictDecodingError(problems));
      warnOfProblems(ctx, problems);
    }
    if (other !== undefined) this.#refuseVersion(other.object);
    return decoded.object;
  }

  /**
   * What strict decoding knows about a custom resource that a patch has given another version. What changes the status alone keeps the
   * type of the stored object, and another kind is found out by validation.
   */
  #otherVersion(patched: Patched): DecodedObject | undefined {
    const { document } = patched;
    const { codec, subresource } = this.#scope;
    if (!isUntyped(codec) || subresource !== '' || !isObject(document)) return undefined;
    if (document['apiVersion'] === formatGroupVersion(codec.kind)) return undefined;
    const { group, kind, version } = untypedKind(document);
    const isOfKind = group === codec.kind.group && kind === codec.kind.kind;
    const readFields = () => codec.unknownFieldsIn?.(document, isOfKind ? version : undefined) ?? [];
    return { object: document as KubeObject, unknownFields: this.#explained(patched, readFields) };
  }

  #refuseVersion(object: KubeObject): void {
    const stated = untypedKind(object as JsonObject);
    if (stated.version === '')
      throw newInternalError(`Object 'apiVersion' is missing in 'object has no apiVersion field'`);
    const { metadata } = object as JsonObject;
    const name = isObject(metadata) ? metadata['name'] : undefined;
    checkTypeMeta(stated, this.#scope.codec.kind, typeof name === 'string' ? name : '');
  }

  /** What decoding does not know, in the order in which the patched document is written out. */
  #unknown(fields: readonly string[], patched: Patched): string[] {
    if (isUntyped(this.#scope.codec)) return fields.map(unknownCustomField);
    if (this.#type === 'strategic') return fields.map(unknownField).sort();
    if (fields.length < 2) return fields.map(unknownField);
    return inDocumentOrder(patched.shown(), new Set(fields), new Set()).map(({ path }) => unknownField(path));
  }

  #operated(document: JsonObject, operations: readonly JsonPatchOperation[], parsed: ParsedBody): Patched {
    const { numberLiterals = noLiterals } = parsed;
    const patched = applyOperations(() => applyJsonPatch(document, operations)) as JsonValue;
    const marked = () =>
      readOperations({ ...parsed, value: markLiterals(parsed.value, numberLiterals) }, false).operations;
    return {
      document: patched,
      numberLiterals: literalsInDocument(patched, operations, numberLiterals),
      shown: () => withLiterals(stringifyJson(printedOperations(this.#encoded(document), marked()))),
    };
  }

  #merged(
    document: JsonObject,
    { value: patch, numberLiterals = noLiterals }: ParsedBody,
    ordered: JsonValue,
  ): Patched {
    return {
      document: applyMergePatch(document, ordered) as JsonValue,
      numberLiterals,
      shown: () =>
        withLiterals(stringifyJson(printedMerge(this.#encoded(document), markLiterals(patch, numberLiterals)))),
    };
  }

  #strategic(document: JsonObject, patch: JsonValue): Patched {
    const left = isObject(patch) ? deepClone(patch) : {};
    return { document: applyStrategic(document, left, this.#scope), shown: () => goFormat(left) };
  }

  #encoded(document: JsonObject): JsonValue {
    return encodedOrder(document, isUntyped(this.#scope.codec));
  }

  /** A patch may make an object say that it is something else. A strategic one goes by the type and does not mind. */
  #checkKind(patched: Patched): void {
    const { document } = patched;
    if (!isObject(document)) throw invalid(patched, notAnObject(document).message);
    if (this.#type === 'strategic') return;
    const { codec, services } = this.#scope;
    const stated = this.#stated(patched, document);
    if (isUntyped(codec)) {
      if (untypedKind(document).kind === '') throw invalid(patched, `Object 'Kind' is missing in '${patched.shown()}'`);
      return;
    }
    // What says no version is of the internal one.
    const given = completedKind(stated, { ...codec.kind, version: internalVersion });
    if (given.version === '') throw invalid(patched, versionIsMissing(patched.shown()));
    const problem = typedKindProblem(given, codec, services.kinds);
    if (problem !== undefined) throw invalid(patched, problem);
  }

  #stated(patched: Patched, document: JsonObject): StatedKind {
    try {
      // The patched document is written out before it is read.
      return statedKind(Object.fromEntries(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))));
    } catch (error) {
      if (error instanceof BodySyntaxError) throw invalid(patched, error.message);
      throw error;
    }
  }

  /**
   * A JSON or merge patch that takes the version away: the type without one, which the real server then decodes into,
   * names its fields otherwise. Nothing of the document is found in it, not even the name.
   */
  #unversioned(document: JsonValue): DecodedObject | undefined {
    const { codec } = this.#scope;
    if (this.#type === 'strategic' || codec.custom || !isObject(document)) return undefined;
    const { version } = completedKind(untypedKind(document), { ...codec.kind, version: internalVersion });
    if (version !== internalVersion) return undefined;
    const unknownFields = Object.keys(document).filter((name) => name !== 'apiVersion' && name !== 'kind');
    return { object: { apiVersion: '', kind: codec.kind.kind, metadata: {} }, unknownFields: unknownFields.sort() };
  }

  #decode(patched: Patched): DecodedObject {
    const { document, numberLiterals } = patched;
    const unstructured = this.#type === 'strategic';
    return this.#explained(patched, () =>
      this.#scope.codec.decode(document, numberLiterals === undefined ? { unstructured } : { numberLiterals }),
    );
  }

  #explained<T>(patched: Patched, read: () => T): T {
    const { storage } = this.#scope;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Error) || error instanceof StatusError) throw error;
      const converted = this.#type === 'strategic' ? unstructuredError(patched.document, storage.type) : undefined;
      throw invalid(patched, converted ?? error.message);
    }
  }
}

const noLiterals: ReadonlyMap<string, string> = new Map();
const asJson = (object: KubeObject): JsonObject => object as JsonObject;

const invalid = (patched: Patched, message: string): StatusError =>
  newInvalid({ group: '', kind: '' }, '', [field.invalid('patch', patched.shown(), message)]);

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsePatch(body: Buffer, type: PatchType, strict: boolean): ParsedBody {
  try {
    const parsed = parseJsonBody(body, strict, type === 'strategic' || !strict ? '' : 'error decoding patch: ');
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
  if (isObject(value) || (type === 'strategic' && value === null)) return;
  if (type === 'merge' && (value === null || !strict)) {
    if (!Array.isArray(value)) throw newBadRequest(badJsonPatch);
    return;
  }
  const prefix = type === 'strategic' ? '' : 'error decoding patch: ';
  throw newBadRequest(
    `${prefix}json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
  );
}

function readOperations({ value, numberLiterals }: ParsedBody, strict: boolean) {
  try {
    return decodeJsonPatch(value, strict, numberLiterals);
  } catch (error) {
    if (error instanceof JsonPatchError) throw newBadRequest(error.message);
    throw error;
  }
}

/** Repeated and unknown members of operations, as they come in the text. */
function operationProblems(parsed: ParsedBody, unknownFields: readonly string[], body: Buffer): string[] {
  const unknown = unknownFields.map(unknownField);
  const { duplicates, duplicatePaths } = parsed;
  if (duplicatePaths === undefined || unknown.length === 0) return [...duplicates, ...unknown];
  const found = inDocumentOrder(body.toString('utf8'), new Set(unknownFields), new Set(duplicatePaths));
  return found.map(({ path, repeated }) => (repeated ? duplicateField(path) : unknownField(path)));
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

function applyStrategic(document: JsonObject, patch: JsonObject, scope: EndpointScope): JsonValue {
  try {
    return applyStrategicMergePatch(document, patch, scope.storage.type) as JsonValue;
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
    throw newBadRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
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
