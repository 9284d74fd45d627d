import {
  JsonNumberError,
  newBadRequest,
  parseYaml,
  parseYamlStrict,
  stringifyJson,
  YamlError,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { CborError, decodeCbor, jsonKind } from '@apichain/scheme';
import { warnOfProblems } from '../negotiation/decode-object.ts';
import type { RequestContext } from '../registry/context.ts';
import type { WriteOptions } from '../registry/rest.ts';

/** The configuration of an apply. Throws BadRequest. Repeated keys are refused or warned of later, by `reportApplyProblems`. */
export function parseApplyConfiguration(body: Buffer): KubeObject {
  const value = parseConfiguration(body);
  if (value === null) return { apiVersion: '', kind: '', metadata: {} };
  if (typeof value !== 'object' || Array.isArray(value)) {
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

/** Repeated keys of an apply configuration: warns of them or, with Strict, throws BadRequest. */
export function reportApplyProblems(
  ctx: RequestContext,
  body: Buffer,
  fieldValidation: WriteOptions['fieldValidation'],
): void {
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
