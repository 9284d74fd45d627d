import {
  JsonNumberError,
  maxMembers,
  newBadRequest,
  parseYamlStrict,
  stringifyJson,
  YamlError,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { CborError, decodeCbor, jsonKind } from '@apichain/scheme';
import { warnOfProblems } from '../../negotiation/decode-object.ts';
import type { ReadAhead } from '@apichain/request';
import type { RequestContext } from '@apichain/request';
import type { WriteOptions } from '../../registry/rest.ts';

/** The body of an apply. Every attempt parses the body again, because it may change the configuration. */
export class ApplyBody {
  readonly #bytes: Buffer;
  readonly #ahead: ReadAhead | undefined;
  #duplicateFields: readonly string[] = [];

  constructor(bytes: Buffer, ahead?: ReadAhead) {
    this.#bytes = bytes;
    this.#ahead = ahead;
  }

  /** Throws BadRequest. Duplicate keys are reported later, by `reportProblems`. */
  configuration(): KubeObject {
    const value = this.#read();
    if (value === null) return { apiVersion: '', kind: '', metadata: {} };
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw newBadRequest(
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
      );
    }
    return value as KubeObject;
  }

  #read(): JsonValue {
    try {
      const { value, duplicateFields } = this.#ahead?.yaml?.take() ?? parseYamlStrict(this.#bytes);
      this.#duplicateFields = duplicateFields;
      return value as JsonValue;
    } catch (error) {
      if (!(error instanceof YamlError || error instanceof JsonNumberError)) throw error;
      throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
    }
  }

  /** Reports duplicate keys after the configuration has been read: as warnings or, with Strict, by throwing BadRequest. */
  reportProblems(ctx: RequestContext, fieldValidation: WriteOptions['fieldValidation']): void {
    if (fieldValidation === 'Ignore') return;
    const duplicateFields = this.#duplicateFields;
    if (duplicateFields.length === 0) return;
    if (fieldValidation === 'Warn') {
      warnOfProblems(ctx, duplicateFields);
      return;
    }
    const lines = duplicateFields.map((line) => `  ${line}`).join('\n');
    throw newBadRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${lines}`);
  }
}

/** Converts an apply configuration from CBOR to JSON text, which is valid YAML. Throws BadRequest and RequestEntityTooLarge. */
export function cborPatchAsJson(body: Buffer): Buffer {
  try {
    return Buffer.from(stringifyJson(decodeCbor(body, maxMembers)));
  } catch (error) {
    if (error instanceof CborError) throw newBadRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}
