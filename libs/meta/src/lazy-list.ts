import type { Step, Work } from './turns.ts';

/**
 * A list in a document whose items are made when they are written. So a long list is never in memory as a whole: writers ask for each item once,
 * in order, and keep none.
 */
export class LazyList {
  readonly length: number;
  readonly #item: (index: number) => Work<unknown>;

  /** `item` makes the item at an index below `length`, in steps. */
  constructor(length: number, item: (index: number) => Work<unknown>) {
    this.length = length;
    this.#item = item;
  }

  item(index: number): Work<unknown> {
    return this.#item(index);
  }
}

/**
 * A text or bytes in pieces. `undefined` and promises are steps without a piece: between two steps other work may run, a promise is awaited. After `undefined`, an
 * item that is too large for one step is in memory, until the next piece; a piece may be empty.
 */
export type Pieces<Piece> = Generator<Piece | Step, void, undefined>;

/** Where work writes a text. */
export interface TextOutput {
  /** Whether the work has stopped between two items of a LazyList. */
  readonly isBetweenItems: boolean;
  /** The text since the last call. */
  take(): string;
}

/** The text that the work writes, in a piece for each item of a LazyList. It becomes bytes step by step, because a long text takes long. */
export function* textPieces(work: Work<void>, output: TextOutput): Pieces<Buffer> {
  let parts: Buffer[] = [];
  const add = () => {
    const text = output.take();
    if (text !== '') parts.push(Buffer.from(text));
  };
  for (let step = work.next(); step.done !== true; step = work.next()) {
    add();
    if (step.value !== undefined) yield step.value;
    else if (output.isBetweenItems) {
      yield Buffer.concat(parts);
      parts = [];
    } else yield;
  }
  add();
  yield Buffer.concat(parts);
}
