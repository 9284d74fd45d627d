import { newBadRequest, newUnknownError, type JsonObject, type JsonValue } from '@apichain/meta';
import { BodySyntaxError, negotiateInput, parseBody } from '../negotiation/parse-body.ts';
import type { Query } from '../negotiation/query.ts';
import { checkDeleteOptions, readDeleteOptions } from '../negotiation/request-options.ts';
import type { ProtobufCodec } from '../negotiation/protobuf.ts';
import type { GracefulDeleteOptions } from '../registry/strategy.ts';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function member<T>(options: JsonObject, name: string, type: string, is: (value: JsonValue) => value is JsonValue & T) {
  const value = options[name];
  if (value === undefined || value === null) return {};
  if (!is(value)) {
    const given = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw newBadRequest(`json: cannot unmarshal ${given} into Go struct field DeleteOptions.${name} of type ${type}`);
  }
  return { [name]: value };
}

const isText = (value: JsonValue): value is string => typeof value === 'string';
const isInteger = (value: JsonValue): value is number => typeof value === 'number' && Number.isInteger(value);
const isBoolean = (value: JsonValue): value is boolean => typeof value === 'boolean';
const isTexts = (value: JsonValue): value is string[] => Array.isArray(value) && value.every(isText);

function preconditionsOf(options: JsonObject): Pick<GracefulDeleteOptions, 'preconditions'> {
  const { preconditions } = options;
  if (!isObject(preconditions)) return {};
  return {
    preconditions: {
      ...member(preconditions, 'uid', 'types.UID', isText),
      ...member(preconditions, 'resourceVersion', 'string', isText),
    },
  };
}

function fromBody(value: JsonValue): GracefulDeleteOptions {
  if (value === null) return {};
  if (!isObject(value)) throw newBadRequest("couldn't get version/kind; json parse error: the body is no object");
  const { kind } = value;
  if (kind !== undefined && kind !== null && kind !== '' && kind !== 'DeleteOptions') {
    throw newUnknownError('decoded object cannot be converted to DeleteOptions');
  }
  return {
    ...member(value, 'gracePeriodSeconds', 'int64', isInteger),
    ...member(value, 'propagationPolicy', 'v1.DeletionPropagation', isText),
    ...member(value, 'orphanDependents', 'bool', isBoolean),
    ...member(value, 'dryRun', '[]string', isTexts),
    ...preconditionsOf(value),
  };
}

/**
 * DeleteOptions of a request: its body, or the query where there is none. Throws BadRequest, UnsupportedMediaType, Invalid.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/
 */
export function deleteOptionsOf(
  body: Buffer,
  contentType: string | undefined,
  query: Query,
  protobuf: ProtobufCodec | undefined,
): GracefulDeleteOptions {
  const options = body.length === 0 ? readDeleteOptions(query) : decodeOptions(body, contentType, protobuf);
  checkDeleteOptions(options);
  return options;
}

function decodeOptions(
  body: Buffer,
  contentType: string | undefined,
  protobuf: ProtobufCodec | undefined,
): GracefulDeleteOptions {
  const format = negotiateInput(contentType);
  try {
    return fromBody(parseBody(body, format, false, protobuf).value);
  } catch (error) {
    if (error instanceof BodySyntaxError) throw newBadRequest(error.message);
    throw error;
  }
}
