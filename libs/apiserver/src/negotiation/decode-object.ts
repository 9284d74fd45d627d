import {
  isJsonObject,
  formatGroupVersion,
  inDocumentOrder,
  isStatusError,
  newBadRequest,
  pause,
  stringifyJson,
  type DocumentFacts,
  type GroupVersionKind,
  type JsonObject,
  type KubeObject,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { RequestContext } from '@apichain/request';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { WriteOptions } from '../registry/rest.ts';
import { completedKind, internalVersion, isUntyped, typedKindProblem, type KnownKinds } from './check-kind.ts';
import type { SerializerInfo } from '@apichain/request';
import { BodySyntaxError, duplicateField, parseBody, type ParsedBody } from '@apichain/request';
import type { ProtobufCodec } from '@apichain/request';
import { readAhead, type ReadAhead } from '@apichain/request';
import { notAnObject, statedKind, untypedKind } from './version-and-kind.ts';
import { type StatedKind } from '@apichain/scheme';

export type { KnownKinds };

export interface ObjectBody {
  readonly bytes: Buffer;
  readonly format: SerializerInfo;
  readonly fieldValidation: WriteOptions['fieldValidation'];
  /** The body parsed ahead, if it is large. */
  readonly ahead?: ReadAhead | undefined;
}
export interface ObjectDecoder {
  readonly codec: ObjectCodec;
  readonly kinds: KnownKinds;
  readonly protobuf?: ProtobufCodec;
}

const summaryLength = 30;

/** The beginning of a body for error messages: JSON objects as text, other bodies in hex. */
function summarize(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const more = bytes.length > summaryLength ? ' ...' : '';
  const head = bytes.subarray(0, summaryLength);
  return (bytes[0] === 0x7b ? head.toString('utf8') : head.toString('hex')) + more;
}

const unrecognized = (codec: ObjectCodec, message: string, bytes: Buffer) =>
  newBadRequest(
    `the object provided is unrecognized (must be of type ${codec.kind.kind}): ${message} (${summarize(bytes)})`,
  );

/** The error for a body that cannot be decoded as the endpoint's kind, once the kind of the body is known. */
export const cannotBeHandled = (given: { kind: string; version: string }, kind: string, message: string) =>
  newBadRequest(`${given.kind} in version ${JSON.stringify(given.version)} cannot be handled as a ${kind}: ${message}`);

function rootObject(parsed: ParsedBody, decoder: ObjectDecoder, bytes: Buffer): JsonObject {
  const { value } = parsed;
  if (isJsonObject(value)) return value;
  if (value === null) {
    if (isUntyped(decoder.codec)) throw missingKind(decoder.codec, bytes);
    return {};
  }
  throw notAnObject(value);
}

/** The error for a body without a version, e.g. one that states only a group other than the endpoint's. */
export const versionIsMissing = (text: string): string => `Object 'apiVersion' is missing in '${text}'`;
const kindIsMissing = (text: string): string => `Object 'Kind' is missing in '${text}'`;
const missingKind = (codec: ObjectCodec, bytes: Buffer) =>
  unrecognized(codec, kindIsMissing(bytes.toString('utf8')), bytes);

function givenKind(
  value: JsonObject,
  facts: DocumentFacts | undefined,
  { codec }: ObjectDecoder,
  { bytes, format, fieldValidation }: ObjectBody,
): StatedKind {
  const stated = completedKind(statedKind(value, facts), codec.kind);
  if (!isUntyped(codec)) return stated;
  const exact = untypedKind(value);
  if (exact.kind !== '') return exact;
  if (fieldValidation !== 'Ignore' || format.name === 'cbor') throw missingKind(codec, bytes);
  // A lenient decoder lets the object decode itself from JSON, and then keeps the kind found before.
  const text =
    format.name === 'json'
      ? bytes.toString('utf8').replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '')
      : stringifyJson(value);
  throw cannotBeHandled(stated, codec.kind.kind, kindIsMissing(text));
}

/** Refuses another kind or version. As in Go, the body is first decoded as the kind that it states. */
function checkTypedKind(ctx: RequestContext, body: ObjectBody, decoder: ObjectDecoder, read: ReadBody): void {
  const { codec, kinds } = decoder;
  const { given, value } = read;
  if (given.version === '')
    throw cannotBeHandled(given, codec.kind.kind, versionIsMissing(body.bytes.toString('utf8')));
  const { kind: expected, acceptedVersions } = codec;
  const problem = typedKindProblem(given, codec, kinds);
  if (
    problem === undefined &&
    (given.version === expected.version || acceptedVersions?.includes(given.version) === true)
  )
    return;
  // Fields of internal types have other names in Go, except kind and apiVersion.
  const unknown =
    given.version === internalVersion
      ? Object.keys(value).filter((name) => name !== 'kind' && name !== 'apiVersion')
      : unknownFieldsOf(decoder, read);
  if (problem !== undefined && kinds.readsAs?.(given, expected) !== true)
    throw cannotBeHandled(given, expected.kind, problem);
  reportProblems(ctx, body, codec, read, unknown);
  throw wrongVersion(given, expected);
}

function unknownFieldsOf({ codec, kinds }: ObjectDecoder, { given, value, parsed }: ReadBody): readonly string[] {
  if (codec.schemeName !== undefined || !kinds.recognizes(given)) return [];
  return orExplain(given, codec, () => kinds.unknownFieldsOf?.(given, value, parsed.facts) ?? []);
}

const wrongVersion = (given: GroupVersionKind, expected: GroupVersionKind) =>
  newBadRequest(
    `the API version in the data (${formatGroupVersion(given)}) does not match the expected API version (${formatGroupVersion(expected)})`,
  );

/** Checks the version only: another kind of custom resource is refused later, by validation. */
function checkCustomKind(ctx: RequestContext, body: ObjectBody, { codec }: ObjectDecoder, read: ReadBody): void {
  const { given, value } = read;
  const { kind: expected } = codec;
  if (value['apiVersion'] === null) {
    const message = '.apiVersion accessor error: <nil> is of the type <nil>, expected string';
    throw cannotBeHandled({ kind: given.kind, version: '' }, expected.kind, message);
  }
  if (given.group !== expected.group || given.version !== expected.version) {
    reportOtherVersion(ctx, body, codec, read);
    throw wrongVersion(given, expected);
  }
}

/** As in Go, a body in another version is pruned by the schema of that version, if there is one, before it is refused. */
function reportOtherVersion(ctx: RequestContext, body: ObjectBody, codec: ObjectCodec, read: ReadBody): void {
  if (body.fieldValidation === 'Ignore' || codec.unknownFieldsIn === undefined) return;
  const { given, value } = read;
  const isOfKind = given.group === codec.kind.group && given.kind === codec.kind.kind;
  const readFields = () => codec.unknownFieldsIn?.(value, isOfKind ? given.version : undefined) ?? [];
  reportProblems(ctx, body, codec, read, orExplain(given, codec, readFields));
}

/** An untyped object that was decoded has the kind that it states. Without a version it is not valid. */
function refusedStrictly(given: StatedKind, codec: ObjectCodec, problems: readonly string[]) {
  const sentence = strictDecodingError(problems);
  if (!isUntyped(codec)) return cannotBeHandled(given, codec.kind.kind, sentence);
  return given.version === ''
    ? newBadRequest(versionIsMissing('object has no apiVersion field'))
    : cannotBeHandled(given, given.kind, sentence);
}

const yamlErrorPrefix = /^(error converting YAML to JSON: )?yaml: unmarshal errors:\n/;

/** Warnings of a lenient read, one a line. Source: addStrictDecodingWarnings of endpoints/handlers. */
export function warnOfProblems(ctx: RequestContext, problems: readonly string[]): void {
  for (const problem of problems) {
    for (const line of problem.replace(yamlErrorPrefix, '').split('\n')) {
      const text = line.trim();
      if (text !== '') ctx.warn(text);
    }
  }
}

/** The message of strict decoding errors. */
export const strictDecodingError = (problems: readonly string[]): string =>
  `strict decoding error: ${problems.join(', ')}`;

export const unknownField = (path: string): string => `unknown field ${goQuote(path)}`;
/** The same for a custom resource; the field is quoted but not escaped. */
export const unknownCustomField = (path: string): string => `unknown field "${path}"`;

/** The kind of a body that does not state one in its envelope. */
const expectedKind = ({ codec }: ObjectDecoder): GroupVersionKind | undefined =>
  isUntyped(codec) ? undefined : codec.kind;

/** Parses a large body in advance, for `decodeObjectBody`. Returns undefined for a small body. */
export const readObjectAhead = (
  bytes: Buffer,
  { name }: SerializerInfo,
  decoder: ObjectDecoder,
): Promise<ReadAhead | undefined> => readAhead(bytes, name, decoder.protobuf, expectedKind(decoder));

/**
 * Decodes a body as an object of the endpoint's kind. Throws BadRequest with the message of kube-apiserver. Unknown or
 * duplicate fields are refused, reported as warnings or ignored, as the request's fieldValidation says.
 */
export async function decodeObjectBody(
  ctx: RequestContext,
  body: ObjectBody,
  decoder: ObjectDecoder,
): Promise<KubeObject> {
  const { decodeFailure } = decoder.codec;
  if (decodeFailure === undefined) return readObject(ctx, body, decoder);
  try {
    return await readObject(ctx, body, decoder);
  } catch (error) {
    if (isStatusError(error, 'BadRequest')) throw newBadRequest(decodeFailure);
    throw error;
  }
}

async function readObject(ctx: RequestContext, body: ObjectBody, decoder: ObjectDecoder): Promise<KubeObject> {
  const { codec } = decoder;
  const strict = body.fieldValidation !== 'Ignore';
  const read = identifyOrExplain(body, decoder, strict);
  const { parsed, value, given } = read;
  if (isUntyped(codec)) checkCustomKind(ctx, body, decoder, read);
  else checkTypedKind(ctx, body, decoder, read);
  if (isUntyped(codec) && parsed.numberError !== undefined)
    throw cannotBeHandled(given, codec.kind.kind, parsed.numberError);

  const { facts } = parsed;
  await pause();
  const { object, unknownFields } = orExplain(given, codec, () => codec.decode(value, { facts }));
  await pause();
  reportProblems(ctx, body, codec, read, unknownFields);
  return object;
}

/** Refuses the problems of strict decoding, sends them as warnings, or ignores them. */
function reportProblems(
  ctx: RequestContext,
  { bytes, fieldValidation }: ObjectBody,
  codec: ObjectCodec,
  { parsed, given }: ReadBody,
  unknownFields: readonly string[],
): void {
  if (fieldValidation === 'Ignore') return;
  const problems = problemsOf(parsed, unknownFields, bytes, isUntyped(codec));
  if (problems.length === 0) return;
  if (fieldValidation === 'Strict') throw refusedStrictly(given, codec, problems);
  warnOfProblems(ctx, problems);
}

/**
 * The problems of strict decoding. A typed decoder finds duplicate and unknown fields in document order, and skips the contents of
 * unknown fields. An untyped decoder finds all duplicate fields before the schema finds unknown ones.
 */
function problemsOf(
  { duplicates, duplicatePaths }: ParsedBody,
  unknownFields: readonly string[],
  bytes: Buffer,
  untyped: boolean,
): string[] {
  if (untyped || duplicatePaths === undefined || unknownFields.length === 0) {
    return [...duplicates, ...unknownFields.map(untyped ? unknownCustomField : unknownField)];
  }
  const isUnknown = (path: string) =>
    unknownFields.some((field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`));
  const repeated = new Set(duplicatePaths.filter((path) => !isUnknown(path)));
  return inDocumentOrder(bytes.toString('utf8'), new Set(unknownFields), repeated).map((found) =>
    found.repeated ? duplicateField(found.path) : unknownField(found.path),
  );
}

/** A parsed body with the kind that it states. */
interface ReadBody {
  readonly parsed: ParsedBody;
  readonly value: JsonObject;
  readonly given: StatedKind;
}

/** Parses a body and reads its kind. Throws BadRequest when that fails. */
function identifyOrExplain(body: ObjectBody, decoder: ObjectDecoder, strict: boolean): ReadBody {
  try {
    const parsed = parseBody(body.bytes, body.format, strict, decoder.protobuf, expectedKind(decoder), body.ahead);
    const value = rootObject(parsed, decoder, body.bytes);
    return { parsed, value, given: givenKind(value, parsed.facts, decoder, body) };
  } catch (error) {
    if (!(error instanceof BodySyntaxError)) throw error;
    const { given, message } = error;
    throw given === undefined
      ? unrecognized(decoder.codec, message, body.bytes)
      : cannotBeHandled(given, decoder.codec.kind.kind, message);
  }
}

function orExplain<T>(given: StatedKind, codec: ObjectCodec, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw explained(error, given, codec);
  }
}

/** Wraps the error message of a decoder in a BadRequest. A StatusError is returned unchanged. */
const explained = (error: unknown, given: StatedKind, codec: ObjectCodec): unknown =>
  error instanceof Error && error.name !== 'StatusError' && !(error instanceof TypeError)
    ? cannotBeHandled(given, codec.kind.kind, error.message)
    : error;
