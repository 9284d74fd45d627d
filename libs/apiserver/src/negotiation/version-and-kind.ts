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

/** What a body says it is, before anything else of it is read; `facts` = those of its text. Throws BodySyntaxError. */
export const statedKind = (body: JsonObject, facts?: DocumentFacts): StatedKind =>
  asBodyError(() => readStatedKind(body, facts));

/** The same of a body that has passed that step and is read without a type. Throws BodySyntaxError. */
export const untypedKind = (body: JsonObject): StatedKind => asBodyError(() => readUntypedKind(body));

/** A body that is neither an object nor null, in the words of the step that looks for its version and kind. */
export function notAnObject(body: JsonValue): BodySyntaxError {
  try {
    readStatedKind(body);
  } catch (error) {
    if (error instanceof StatedKindError) return new BodySyntaxError(error.message);
  }
  throw new TypeError('the body is an object');
}
