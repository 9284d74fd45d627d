/**
 * What a document says beside its values. Some of it only the text says: it goes from the reader to the decoder as `DocumentFacts`, by
 * place in the document, so that it holds for a copy of the document too. The rest belongs to the values, because Go's values show it and
 * JSON's do not: a container carries it as a member with a symbol for a name (`ContainerFacts`).
 */

/** Facts of a text of JSON. Undefined stands for a text that says nothing beside its values, as nearly all do. */
export interface DocumentFacts {
  /**
   * Literals of numbers that the value alone no longer shows, by path: written with a fraction or an exponent (`1.0` is no integer to Go),
   * or integers outside int64. The root has path ``.
   */
  readonly numberLiterals: ReadonlyMap<string, string>;
  /** Undefined where no object of the document names a member twice. */
  readonly repeats: RepeatedMembers | undefined;
}

/** Members that an object names several times, and those of what is in it. Containers without any have none. */
export interface RepeatedMembers {
  /** What a member was before the value that it has, in the order of the document. */
  readonly former: ReadonlyMap<string, readonly Occurrence[]>;
  /** The same of what is in the container, by key or index. */
  readonly within: ReadonlyMap<string | number, RepeatedMembers>;
}

/** A value at one place of a document. */
export interface Occurrence {
  readonly value: unknown;
  readonly repeats: RepeatedMembers | undefined;
}

/** Facts of a text of which only the literals are known. */
export const factsOfLiterals = (numberLiterals: ReadonlyMap<string, string>): DocumentFacts | undefined =>
  numberLiterals.size === 0 ? undefined : { numberLiterals, repeats: undefined };

const noOccurrences: readonly Occurrence[] = [];

/** What a member was before the value that it has. */
export const formerValues = (repeats: RepeatedMembers | undefined, key: string): readonly Occurrence[] =>
  repeats?.former.get(key) ?? noOccurrences;

/** What Go's value of an object or list shows and the JSON value does not. Never changed in place: copies share it. */
export interface ContainerFacts {
  /** Members that are floats although they are whole: Go has float64 where 1.0 was written, int64 where 1 was. */
  readonly wholeFloats?: ReadonlySet<string | number>;
  /** Fields that were given as empty lists or maps, which Go keeps apart from nil and its encoder leaves out. */
  readonly emptied?: readonly string[];
}

const facts = Symbol('facts');

/** A container that may carry facts. The member is enumerable, so that `{ ...object }` and Object.assign pass it on. */
interface Carrier {
  [facts]?: ContainerFacts;
}

/** The facts that an object or list carries. */
export const factsOf = (container: object): ContainerFacts | undefined => (container as Carrier)[facts];

/** Gives an object or list facts in place of those that it carries. */
export function setFacts(container: object, given: ContainerFacts): void {
  (container as Carrier)[facts] = given;
}

/** Passes the facts of a container on to a copy that was made member by member. */
export function copyFacts<Copy extends object>(copy: Copy, original: object): Copy {
  const carried = factsOf(original);
  if (carried !== undefined) setFacts(copy, carried);
  return copy;
}

/** Whether a member was written as a float (`1.0`, `1e2`) although it is whole. */
export const isWholeFloat = (container: object, key: string | number): boolean =>
  factsOf(container)?.wholeFloats?.has(key) === true;
