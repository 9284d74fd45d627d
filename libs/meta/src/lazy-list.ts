/**
 * A list in a document whose items are made when they are written. So a long list is never in memory as a whole: writers ask for each item once,
 * in order, and keep none.
 */
export class LazyList {
  readonly length: number;
  readonly #item: (index: number) => unknown;

  /** `item` makes the item at an index below `length`. */
  constructor(length: number, item: (index: number) => unknown) {
    this.length = length;
    this.#item = item;
  }

  at(index: number): unknown {
    return this.#item(index);
  }
}

/** A text or bytes in pieces. `undefined` is a step without a piece; between two steps other work may run. */
export type Pieces<Piece> = Generator<Piece | undefined, void, undefined>;
