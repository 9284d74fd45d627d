/**
 * Facts of a document that its plain values do not show.
 * `DocumentFacts` are facts of the text. The reader passes them to the decoder by path, so that they also apply to a copy of the document.
 * Facts that Go's value shows and the value here does not are members of the containers, declared by their types: JsonContainer and Struct.
 * Their names are symbols, so that they are no members of the JSON document, and spread and Object.assign copy them. A function that reads
 * them does not accept the type of a copy without them.
 */

/** Facts of a JSON text. Undefined for a text that has none, as nearly all texts. */
export interface DocumentFacts {
  /**
   * Number literals that the value does not preserve, by path: literals with a fraction or an exponent (`1.0` is not an integer in Go), and
   * integers outside int64. The path of the root is empty.
   */
  readonly numberLiterals: ReadonlyMap<string, string>;
  /** Undefined if no object of the document repeats a member. */
  readonly repeats: RepeatedMembers | undefined;
}

/** The repeated members of an object, and those of the containers in it. A container without repeated members has no entry. */
export interface RepeatedMembers {
  /** The earlier values of a member, in the order of the document. The last value is in the object itself. */
  readonly former: ReadonlyMap<string, readonly Occurrence[]>;
  /** The repeated members of the containers in this one, by key or index. */
  readonly within: ReadonlyMap<string | number, RepeatedMembers>;
}

/** A value at one position in a document. */
export interface Occurrence {
  readonly value: unknown;
  readonly repeats: RepeatedMembers | undefined;
}

/** Facts of a text of which only the number literals are known. */
export const factsOfLiterals = (numberLiterals: ReadonlyMap<string, string>): DocumentFacts | undefined =>
  numberLiterals.size === 0 ? undefined : { numberLiterals, repeats: undefined };

const noOccurrences: readonly Occurrence[] = [];

/** The earlier values of a repeated member. */
export const formerValues = (repeats: RepeatedMembers | undefined, key: string): readonly Occurrence[] =>
  repeats?.former.get(key) ?? noOccurrences;

/** Names the member of an object or list of JSON that has its whole floats. */
export const wholeFloats = Symbol('wholeFloats');
/** Names the member of a struct that has the fields which were set to empty collections. */
export const emptied = Symbol('emptied');

/** An object or list of JSON. Its whole floats are members that are float64 in Go, `1.0`, although the number here is that of `1`. */
export interface JsonContainer {
  [wholeFloats]?: ReadonlySet<string | number>;
}

/** A list of JSON whose items are not known. */
export type List = unknown[] & JsonContainer;

/**
 * A struct as the decoder of libs/scheme leaves it. The fields that were set to empty lists or maps are absent, as they are when they were
 * not set: Go distinguishes these from nil, and its encoder omits them. All types of libs/api extend this type.
 */
export interface Struct {
  [emptied]?: readonly string[];
}

/** Copies these facts to a copy that was made member by member. The facts are never changed in place, so copies share them. */
export function copyFacts<Copy extends JsonContainer & Struct>(copy: Copy, original: JsonContainer & Struct): Copy {
  if (original[wholeFloats] !== undefined) copy[wholeFloats] = original[wholeFloats];
  if (original[emptied] !== undefined) copy[emptied] = original[emptied];
  return copy;
}

/** Whether a member is a whole number that was written as a float (`1.0`, `1e2`). */
export const isWholeFloat = (container: JsonContainer, key: string | number): boolean =>
  container[wholeFloats]?.has(key) === true;
