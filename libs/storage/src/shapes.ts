import { ownBytes } from '@apichain/meta';

/** Smaller shapes, such as the length of another one, are kept as long as the object. */
const droppedBytes = 64;
/** Making a large shape takes long, but so does sending it: fewer bytes of them are kept. */
const largeBytes = 256 * 1024;
/** What a small buffer takes beside its bytes. */
const overheadBytes = 256;

/** A part of the shapes of a process. When its budget is exhausted, those objects whose shapes are oldest lose them, and readers create them again. */
class Share {
  readonly #budget: number;
  readonly #isPart: (shape: Buffer) => boolean;
  readonly #oldestFirst = new Set<Shapes>();
  #held = 0;

  constructor(budget: number, isPart: (shape: Buffer) => boolean) {
    this.#budget = budget;
    this.#isPart = isPart;
  }

  add(shapes: Shapes, shape: Buffer): void {
    this.#held += sizeOf(shape);
    this.#oldestFirst.add(shapes);
  }

  remove(shape: Buffer): void {
    this.#held -= sizeOf(shape);
  }

  forget(shapes: Shapes): void {
    this.#oldestFirst.delete(shapes);
  }

  /** Drops the oldest until the rest is within the budget, but not those of `latest`. */
  fit(latest: Shapes): void {
    for (const shapes of this.#oldestFirst) {
      if (this.#held <= this.#budget || shapes === latest) return;
      for (const [name, shape] of shapes) if (this.#isPart(shape)) shapes.delete(name);
      this.#oldestFirst.delete(shapes);
    }
  }
}

/** In bytes, of a process. One for all stores, because the memory that it spares is one. */
const small = new Share(48 * 1024 * 1024, ({ length }) => length > droppedBytes && length <= largeBytes);
const large = new Share(16 * 1024 * 1024, ({ length }) => length > largeBytes);
const shareOf = ({ length }: Buffer): Share => (length > largeBytes ? large : small);

/** Other representations of one object's bytes, or of an event. All instances share two budgets, of large and of other shapes. */
export class Shapes extends Map<string, Buffer> {
  override set(name: string, shape: Buffer): this {
    this.delete(name);
    const share = shareOf(shape);
    share.add(this, shape);
    super.set(name, ownBytes(shape));
    share.fit(this);
    return this;
  }

  override clear(): void {
    for (const shape of this.values()) shareOf(shape).remove(shape);
    small.forget(this);
    large.forget(this);
    super.clear();
  }

  override delete(name: string): boolean {
    const shape = this.get(name);
    if (shape !== undefined) shareOf(shape).remove(shape);
    return super.delete(name);
  }
}

const sizeOf = ({ length }: Buffer): number => length + overheadBytes;
