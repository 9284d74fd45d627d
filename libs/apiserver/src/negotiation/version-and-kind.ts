import type { DocumentFacts, JsonObject, JsonValue } from '@apichain/meta';
import {
  statedKind as readStatedKind,
  StatedKindError,
  untypedKind as readUntypedKind,
  type StatedKind,
} from '@apichain/scheme';
import { BodySyntaxError } from '@apichain/request';

export type { StatedKind };

function asBodyError<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof StatedKindError ? new BodySyntaxError(error.message) : error;
  }
}

/** Reads apiVersion and kind of a body, before any other field. `facts` are those of the body's text. Throws BodySyntaxError. */
export const statedKind = (body: JsonObject, facts?: DocumentFacts): StatedKind =>
  asBodyError(() => readStatedKind(body, facts));

/** Reads apiVersion and kind of a body without a type, after `statedKind` has passed. Throws BodySyntaxError. */
export const untypedKind = (body: JsonObject): StatedKind => asBodyError(() => readUntypedKind(body));

/** The error for a body that is neither an object nor null, with the message of the step that reads its version and kind. */
export function notAnObject(body: JsonValue): BodySyntaxError {
  try {
    readStatedKind(body);
  } catch (error) {
    if (error instanceof StatedKindError) return new BodySyntaxError(error.message);
  }
  throw new TypeError('the body is an object');
}
