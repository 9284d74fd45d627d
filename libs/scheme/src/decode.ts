import type { DocumentFacts } from '@apichain/meta';
import { DecodeError, DecodeState } from './decode-state.ts';
import { codecFor } from './decoder.ts';
import { jsonKind } from './scalar-decoders.ts';
import type { Type } from './type.ts';

export { DecodeError };

export interface DecodeOptions {
  /**
   * Facts of the document's text, as parseJsonStrict reports them: `1.0` is not an integer, errors quote numbers as written, and the values
   * of repeated members are decoded in order.
   */
  facts?: DocumentFacts | undefined;
  /** Keeps empty lists and maps that Go's encoder omits, for code that distinguishes empty from nil before it canonicalizes. */
  keepEmpty?: boolean;
  /**
   * The value consists of maps that the server has merged, not of a client's text. Integers too large for their type wrap around, and the
   * members of raw objects are sorted. Source: FromUnstructured of k8s.io/apimachinery/pkg/runtime.
   */
  unstructured?: boolean;
}

export interface DecodeResult {
  object: Record<string, unknown>;
  /** Paths such as `spec.containers[0].foo` in document order, each once, at most 100. The object does not contain these fields. */
  unknownFields: string[];
}

/**
 * Decodes a JSON value as Go's decoder and encoder do for the type. Unknown fields are dropped (names are case-sensitive), and null is
 * unset. Fields are in declaration order, map keys are sorted. Zero values are written or omitted as the struct tags say. Times, durations,
 * quantities and base64 are normalised. The input is not changed; the result may share parts of it.
 *
 * Throws DecodeError with Go's message for the first value in the document that does not fit. Values that cannot be read at all (a time, a
 * quantity) take precedence over values of the wrong type, e.g.
 * `json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type string`.
 * Source: sigs.k8s.io/json, k8s.io/apimachinery/pkg/runtime/serializer/json.
 */
export function decodeObject(value: unknown, type: Type, options: DecodeOptions = {}): DecodeResult {
  const { facts, keepEmpty = false, unstructured = false } = options;
  const state = new DecodeState(facts?.numberLiterals, keepEmpty, false, true, unstructured, facts?.repeats);
  return decodeWith(state, value, type);
}

function decodeWith(state: DecodeState, value: unknown, type: Type): DecodeResult {
  const object = codecFor(type).decode(value ?? {}, state);
  state.finish();
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new TypeError(`type ${type.name ?? type.kind} is not an object, the value is ${jsonKind(value)}`);
  }
  return { object: object as Record<string, unknown>, unknownFields: state.unknownFields };
}

/**
 * Puts an object that the server has changed into canonical form, so that equal objects give equal bytes. Undefined members and members
 * that the type does not have are removed. An empty list that the encoder always writes becomes null, as in a stored object. Throws
 * DecodeError for a value of the wrong type.
 */
export function canonicalize(object: unknown, type: Type): Record<string, unknown> {
  return decodeWith(new DecodeState(undefined, false, true), object, type).object;
}
