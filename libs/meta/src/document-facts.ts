/**
 * Facts of a document that its plain values do not show.
 * `DocumentFacts` are facts of the text. The reader passes them to the decoder by path, so that they also apply to a copy of the document.
 * `ContainerFacts` belong to values, because Go's values show them and JSON's do not. A container carries them in a member whose name is a
 * symbol.
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

/** Facts of an object or list that Go's value shows and the JSON value does not. They are never changed in place, because copies share them. */
export interface ContainerFacts {
  /** Members that are floats although they are whole numbers: Go decodes `1.0` as float64 and `1` as int64. */
  readonly wholeFloats?: ReadonlySet<string | number>;
  /** Fields that were set to empty lists or maps. Go distinguishes these from nil, and its encoder omits them. */
  readonly emptied?: readonly string[];
}

const facts = Symbol('facts');

/** A container that may carry facts. The member is enumerable, so that `{ ...object }` and Object.assign copy it. */
interface Carrier {
  [facts]?: ContainerFacts;
}

/** The facts of an object or list. */
export const factsOf = (container: object): ContainerFacts | undefined => (container as Carrier)[facts];

/** Replaces the facts of an object or list. */
export function setFacts(container: object, given: ContainerFacts): void {
  (container as Carrier)[facts] = given;
}

/** Copies the facts of a container to a copy that was made member by member. */
export function copyFacts<Copy extends object>(copy: Copy, original: object): Copy {
  const carried = factsOf(original);
  if (carried !== undefined) setFacts(copy, carried);
  return copy;
}

/** Whether a member is a whole number that was written as a float (`1.0`, `1e2`). */
export const isWholeFloat = (container: object, key: string | number): boolean =>
  factsOf(container)?.wholeFloats?.has(key) === true;
