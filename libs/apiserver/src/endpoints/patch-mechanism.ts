import {
  isJsonObject,
  applyingJsonPatch,
  deepCloning,
  exceedingMembers,
  factsOfLiterals,
  field,
  finish,
  formatGroupVersion,
  inDocumentOrder,
  JsonPatchError,
  mergePatching,
  JsonPatchTooLargeError,
  newBadRequest,
  newInternalError,
  newInvalid,
  newRequestEntityTooLarge,
  newTooManyMembers,
  newUnknownError,
  StatusError,
  stringifyJson,
  type DocumentFacts,
  type JsonObject,
  type JsonPatchOperation,
  type JsonValue,
  type KubeObject,
  type Work,
} from '@apichain/meta';
import { applyingStrategicMergePatch, inOrder, StrategicMergePatchError, unstructuredError } from '@apichain/scheme';
import { goFormat } from '@apichain/go-text';
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
import { BodySyntaxError, type ParsedBody } from '@apichain/request';
import type { ReadAhead } from '@apichain/request';
import { notAnObject, statedKind, untypedKind } from '../negotiation/version-and-kind.ts';
import { type StatedKind } from '@apichain/scheme';
import type { RequestContext } from '@apichain/request';
import { decodingBy, type DecodedObject } from '../registry/object-codec.ts';
import type { WriteOptions } from '../registry/rest.ts';
import { operationProblems, parsePatch, readOperations, type PatchType } from './patch-body.ts';
import {
  encodedOrder,
  literalsInDocument,
  markLiterals,
  printedMerge,
  printedOperations,
  withLiterals,
} from './printed-patch.ts';
import type { EndpointScope } from './scope.ts';

type FieldValidation = WriteOptions['fieldValidation'];

/** A patched document before it is an object again. */
interface Patched {
  readonly document: JsonValue;
  /** Of the text of the patch, at the places of the document that it changes. */
  readonly facts?: DocumentFacts | undefined;
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
  readonly #apply: (document: JsonObject) => Work<Patched>;
  /** What strict decoding says about the patch text itself. */
  readonly #problems: readonly string[];

  constructor(
    scope: EndpointScope,
    type: PatchType,
    body: Buffer,
    fieldValidation: FieldValidation,
    ahead?: ReadAhead,
  ) {
    this.#scope = scope;
    this.#type = type;
    this.#fieldValidation = fieldValidation;
    const isStrict = fieldValidation !== 'Ignore';
    const parsed = parsePatch(body, type, isStrict, ahead);
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

  /** The patched object, decoded and defaulted. Throws Invalid when it is no object of the kind any more, RequestEntityTooLarge when it is too large. */
  patched(ctx: RequestContext, current: KubeObject): KubeObject {
    return finish(this.patching(ctx, current));
  }

  /** `patched` in steps. */
  *patching(ctx: RequestContext, current: KubeObject): Work<KubeObject> {
    const patched = yield* this.#apply(asJson(current));
    if (yield* exceedingMembers(patched.document, current)) throw newTooManyMembers();
    yield;
    this.#checkKind(patched);
    yield;
    const other = this.#otherVersion(patched);
    const decoded = other ?? this.#unversioned(patched.document) ?? (yield* this.#decoding(patched));
    yield;
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
    if (!isUntyped(codec) || subresource !== '' || !isJsonObject(document)) return undefined;
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
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    checkTypeMeta(stated, this.#scope.codec.kind, typeof name === 'string' ? name : '');
  }

  /** What decoding does not know, in the order in which the patched document is written out. */
  #unknown(fields: readonly string[], patched: Patched): string[] {
    if (isUntyped(this.#scope.codec)) return fields.map(unknownCustomField);
    if (this.#type === 'strategic') return fields.map(unknownField).sort();
    if (fields.length < 2) return fields.map(unknownField);
    return inDocumentOrder(patched.shown(), new Set(fields), new Set()).map(({ path }) => unknownField(path));
  }

  *#operated(document: JsonObject, operations: readonly JsonPatchOperation[], parsed: ParsedBody): Work<Patched> {
    const numberLiterals = parsed.facts?.numberLiterals ?? noLiterals;
    const patched = (yield* applyOperations(applyingJsonPatch(document, operations))) as JsonValue;
    yield;
    const marked = () =>
      readOperations({ ...parsed, value: markLiterals(parsed.value, numberLiterals) }, false).operations;
    return {
      document: patched,
      facts: factsOfLiterals(literalsInDocument(patched, operations, numberLiterals)),
      shown: () => withLiterals(stringifyJson(printedOperations(this.#encoded(document), marked()))),
    };
  }

  *#merged(document: JsonObject, { value: patch, facts }: ParsedBody, ordered: JsonValue): Work<Patched> {
    const merged = (yield* mergePatching(document, ordered)) as JsonValue;
    const numberLiterals = facts?.numberLiterals ?? noLiterals;
    return {
      document: merged,
      facts: factsOfLiterals(numberLiterals),
      shown: () =>
        withLiterals(stringifyJson(printedMerge(this.#encoded(document), markLiterals(patch, numberLiterals)))),
    };
  }

  *#strategic(document: JsonObject, patch: JsonValue): Work<Patched> {
    const left = isJsonObject(patch) ? yield* deepCloning(patch) : {};
    yield;
    return { document: yield* applyingStrategic(document, left, this.#scope), shown: () => goFormat(left) };
  }

  #encoded(document: JsonObject): JsonValue {
    return encodedOrder(document, isUntyped(this.#scope.codec));
  }

  /** A patch may make an object say that it is something else. A strategic one goes by the type and does not mind. */
  #checkKind(patched: Patched): void {
    const { document } = patched;
    if (!isJsonObject(document)) throw invalid(patched, notAnObject(document).message);
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
    if (this.#type === 'strategic' || codec.custom || !isJsonObject(document)) return undefined;
    const { version } = completedKind(untypedKind(document), { ...codec.kind, version: internalVersion });
    if (version !== internalVersion) return undefined;
    const unknownFields = Object.keys(document).filter((name) => name !== 'apiVersion' && name !== 'kind');
    return { object: { apiVersion: '', kind: codec.kind.kind, metadata: {} }, unknownFields: unknownFields.sort() };
  }

  *#decoding(patched: Patched): Work<DecodedObject> {
    const { document, facts } = patched;
    const options = this.#type === 'strategic' ? { unstructured: true } : { facts };
    try {
      return yield* decodingBy(this.#scope.codec, document, options);
    } catch (error) {
      throw this.#explanation(patched, error);
    }
  }

  #explained<T>(patched: Patched, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#explanation(patched, error);
    }
  }

  #explanation(patched: Patched, error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof StatusError) return error;
    const { type } = this.#scope.storage;
    const converted = this.#type === 'strategic' ? unstructuredError(patched.document, type) : undefined;
    return invalid(patched, converted ?? error.message);
  }
}

const noLiterals: ReadonlyMap<string, string> = new Map();
const asJson = (object: KubeObject): JsonObject => object as JsonObject;

const invalid = (patched: Patched, message: string): StatusError =>
  newInvalid({ group: '', kind: '' }, '', [field.invalid('patch', patched.shown(), message)]);

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

function* applyOperations(work: Work<unknown>): Work<unknown> {
  try {
    return yield* work;
  } catch (error) {
    if (error instanceof JsonPatchTooLargeError) throw newRequestEntityTooLarge(error.message);
    if (error instanceof JsonPatchError) throw patchRefused('');
    throw error;
  }
}

function* applyingStrategic(document: JsonObject, patch: JsonObject, scope: EndpointScope): Work<JsonValue> {
  try {
    return (yield* applyingStrategicMergePatch(document, patch, scope.storage.type)) as JsonValue;
  } catch (error) {
    if (!(error instanceof StrategicMergePatchError)) throw error;
    if (error.code === 400) throw newBadRequest(error.message);
    if (error.code === 422) throw patchRefused('');
    throw newUnknownError(error.message);
  }
}
