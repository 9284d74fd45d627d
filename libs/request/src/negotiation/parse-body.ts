import { goQuote } from '@apichain/go-text';
import {
  errorMessage,
  JsonNumberError,
  JsonSyntaxError,
  maxMembers,
  newUnsupportedMediaType,
  parseGroupVersion,
  parseJsonStrict,
  parseYamlStrict,
  sortMembers,
  YamlError,
  type DocumentFacts,
  type GroupVersionKind,
  type JsonValue,
  type ParsedYaml,
} from '@apichain/meta';
import { CborError, decodeCbor, ProtobufMessageError } from '@apichain/scheme';
import { parseMediaType, type SerializerInfo, type WireFormats } from './media-types.ts';
import { hasProtobufMagic, type ProtobufCodec } from './protobuf.ts';
import type { ReadAhead } from './read-ahead.ts';

/** A decoded body whose kind is not yet known. */
export interface ParsedBody {
  readonly value: JsonValue;
  /** Errors of strict decoding about repeated keys. */
  readonly duplicates: readonly string[];
  /** For JSON: the paths of those keys. */
  readonly duplicatePaths?: readonly string[];
  /** For JSON: what the text contains besides its values. */
  readonly facts?: DocumentFacts | undefined;
  /** The error of untyped decoding for a number that does not fit a float64. */
  readonly numberError?: string;
}

/** A body that is not a document of its media type. The message is the decoder's; the caller builds the Status. */
export class BodySyntaxError extends Error {
  override readonly name = 'BodySyntaxError';
  /** The kind and version that the body names, where they could be read. */
  readonly given: { readonly kind: string; readonly version: string } | undefined;

  constructor(message: string, given?: { readonly kind: string; readonly version: string }) {
    super(message);
    this.given = given;
  }
}

/**
 * The format of a body. JSON when there is no Content-Type. Throws UnsupportedMediaType.
 * Source: NegotiateInputSerializer of k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
 */
export function negotiateInput(
  contentType: string | undefined,
  { serializers, objectMediaTypes }: WireFormats,
): SerializerInfo {
  if (contentType === undefined || contentType === '') return serializers[0];
  const parsed = parseMediaType(contentType);
  const found = serializers.find(({ mediaType }) => mediaType === parsed?.mediaType);
  if (found === undefined) throw unsupportedBody(objectMediaTypes);
  return found;
}

/** The 415 for a body whose media type is not one of those given. */
export const unsupportedBody = (mediaTypes: readonly string[]) =>
  newUnsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${mediaTypes.join(', ')}`,
  );

/** The error of strict decoding for the path of a repeated key. */
export const duplicateField = (path: string): string => `duplicate field ${goQuote(path)}`;

/** Reads JSON; `strict` = report repeated keys. Throws BodySyntaxError with `prefix` before the parser's text. */
export function parseJsonBody(body: Buffer, strict: boolean, prefix: string, ahead?: ReadAhead): ParsedBody {
  try {
    const { value, duplicateFields, facts, numberError } = ahead?.json?.take() ?? parseJsonStrict(body);
    return {
      value: value as JsonValue,
      duplicates: strict ? duplicateFields.map(duplicateField) : [],
      ...(strict && duplicateFields.length > 0 ? { duplicatePaths: duplicateFields } : {}),
      facts,
      ...(numberError === undefined ? {} : { numberError: numberError.message }),
    };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new BodySyntaxError(`${prefix}${error.message}`);
  }
}

/** Repeated keys of a YAML text, as one error of strict decoding. */
const yamlDuplicates = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`];

/** Kubernetes converts YAML to the JSON of a Go map, so its members are sorted by name. */
function parseSortedYaml(body: Buffer): ParsedYaml {
  const { value, duplicateFields } = parseYamlStrict(body);
  return { value: sortMembers(value), duplicateFields };
}

function parseYamlBody(body: Buffer, strict: boolean, ahead: ReadAhead | undefined): ParsedBody {
  try {
    const { value, duplicateFields } = ahead?.yaml?.take() ?? parseSortedYaml(body);
    return { value: value as JsonValue, duplicates: strict ? yamlDuplicates(duplicateFields) : [] };
  } catch (error) {
    if (error instanceof YamlError || error instanceof JsonNumberError) throw new BodySyntaxError(error.message);
    throw error;
  }
}

function parseProtobufBody(
  body: Buffer,
  protobuf: ProtobufCodec | undefined,
  expected: GroupVersionKind | undefined,
  ahead: ReadAhead | undefined,
): ParsedBody {
  if (body.length === 0) throw new BodySyntaxError('empty data');
  if (!hasProtobufMagic(body) || protobuf === undefined) {
    throw new BodySyntaxError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  try {
    return { value: ahead?.protobuf?.take() ?? protobuf.decode(body, expected), duplicates: [] };
  } catch (error) {
    if (error instanceof ProtobufMessageError) {
      const { version } = parseGroupVersion(error.apiVersion);
      throw new BodySyntaxError(error.message, { kind: error.kind, version });
    }
    throw new BodySyntaxError(errorMessage(error));
  }
}

/** CBOR has no lenient mode: repeated keys are always refused. */
function parseCborBody(body: Buffer): ParsedBody {
  try {
    return { value: decodeCbor(body, maxMembers), duplicates: [] };
  } catch (error) {
    if (!(error instanceof CborError)) throw error;
    throw new BodySyntaxError(`unable to determine group/version/kind: ${error.message}`);
  }
}

/**
 * Parses a body of a known format. `expected` is the kind of a protobuf envelope that names none. `ahead` is what was read of the body before.
 * Throws BodySyntaxError.
 */
export function parseBody(
  body: Buffer,
  format: SerializerInfo,
  strict: boolean,
  protobuf: ProtobufCodec | undefined,
  expected?: GroupVersionKind,
  ahead?: ReadAhead,
): ParsedBody {
  switch (format.name) {
    case 'json':
      return parseJsonBody(body, strict, "couldn't get version/kind; json parse error: ", ahead);
    case 'yaml':
      return parseYamlBody(body, strict, ahead);
    case 'protobuf':
      return parseProtobufBody(body, protobuf, expected, ahead);
    case 'cbor':
      return parseCborBody(body);
  }
}
