import { newBadRequest, type JsonValue } from '@apichain/meta';
import { BodySyntaxError, parseJsonBody, type ParsedBody } from '@apichain/request';
import { jsonKind } from '@apichain/scheme';
import type { PatchRequest } from './patch-mechanism.ts';

/** Whether duplicate and unknown members of the patch are checked. */
export const isStrict = ({ options }: PatchRequest): boolean => options.fieldValidation !== 'Ignore';

/** How kube-apiserver's reader of a patch type formats the messages of Go's decoder. */
export interface ReaderMessages {
  readonly syntax: (problem: string) => string;
  /** The message for a number that exceeds float64. */
  readonly number: (problem: string) => string;
}

/** Parses the body of a patch as JSON. Throws BadRequest. */
export function readPatchBody(request: PatchRequest, messages: ReaderMessages): ParsedBody {
  try {
    const parsed = parseJsonBody(request.body, isStrict(request), '', request.ahead);
    if (parsed.numberError !== undefined) throw newBadRequest(messages.number(parsed.numberError));
    return parsed;
  } catch (error) {
    throw error instanceof BodySyntaxError ? newBadRequest(messages.syntax(error.message)) : error;
  }
}

export const errorDecodingPatch = (problem: string): string => `error decoding patch: ${problem}`;

/** The message of Go's decoder for a patch that is not an object. */
export const notAMap = (value: JsonValue): string =>
  `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
