import { inNestedSteps, NestedSteps, type DocumentFacts, type Work } from '@apichain/meta';
import { DecodeError, DecodeState } from './decode-state.ts';
import { codecFor } from './decoder.ts';
import { jsonKind } from './scalar-decoders.ts';
import type { Type } from './type.ts';

export { DecodeError };

export interface DecodeOptions {
  /**
   * What the text of the document says beside its values, as parseJsonStrict reports it: `1.0` is no integer, errors quote numbers as they
   * were written, members named twice are read in turn.
   */
  facts?: DocumentFacts | undefined;
  /** Keep empty lists and maps that Go's encoder leaves out, for code that tells empty from nil before it canonicalizes. */
  keepEmpty?: boolean;
  /**
   * The value comes from maps that the server itself has merged, not from a text: integers too large for their type wrap around, and
   * objects of any kind stand with their members in order. Source: FromUnstructured of k8s.io/apimachinery/pkg/runtime.
   */
  unstructured?: boolean;
}

export interface DecodeResult {
  object: Record<string, unknown>;
  /** Paths such as `spec.containers[0].foo` in document order, each once, at most 100. They are not in the object. */
  unknownFields: string[];
}

/**
 * A JSON value as it comes out of Go's decoder and encoder for the type: unknown fields dropped (names are case-sensitive),
 * null taken as unset, fields in declaration order and map keys sorted, zero values written or left out as the struct tags
 * say, times, durations, quantities and base64 normalised. The input is not changed; parts of it may be shared.
 *
 * Throws DecodeError with Go's message for the first value in the document that does not fit: the first that cannot be read at
 * all (a time, a quantity), else the first of the wrong type,
 * e.g. `json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type string`.
 * Source: sigs.k8s.io/json, k8s.io/apimachinery/pkg/runtime/serializer/json.
 */
export function decodeObject(value: unknown, type: Type, options: DecodeOptions = {}): DecodeResult {
  return decodeWith(stateFor(options), value, type);
}

/** decodeObject in steps, of so many members of lists and objects. */
export function* decodingObject(
  value: unknown,
  type: Type,
  options: DecodeOptions = {},
  membersPerStep?: number,
): Work<DecodeResult> {
  const steps = new NestedSteps();
  const state = stateFor(options, steps);
  const object = yield* inNestedSteps(steps, () => codecFor(type).decode(value ?? {}, state), membersPerStep);
  return resultOf(state, object, value, type);
}

function stateFor(options: DecodeOptions, steps?: NestedSteps): DecodeState {
  const { facts, keepEmpty = false, unstructured = false } = options;
  return new DecodeState(facts?.numberLiterals, keepEmpty, false, true, unstructured, facts?.repeats, steps);
}

function decodeWith(state: DecodeState, value: unknown, type: Type): DecodeResult {
  return resultOf(state, codecFor(type).decode(value ?? {}, state), value, type);
}

function resultOf(state: DecodeState, object: unknown, value: unknown, type: Type): DecodeResult {
  state.finish();
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new TypeError(`type ${type.name ?? type.kind} is not an object, the value is ${jsonKind(value)}`);
  }
  return { object: object as Record<string, unknown>, unknownFields: state.unknownFields };
}

/**
 * The same walk for an object that the server itself has changed: equal objects give equal bytes, and members that are
 * undefined or not of the type are gone. An empty list that the encoder always writes becomes null, as in a value that has
 * been in the store. Throws DecodeError on a value of the wrong type.
 */
export function canonicalize(object: unknown, type: Type): Record<string, unknown> {
  return decodeWith(new DecodeState(undefined, false, true), object, type).object;
}
