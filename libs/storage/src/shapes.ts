import { ownBytes } from '@apichain/meta';

/** The maximum size of all shapes of a process, in bytes. One for all stores, because the memory that it spares is one. */
const budget = 64 * 1024 * 1024;
/** Smaller shapes, such as the length of another one, are kept as long as the object. */
const droppedBytes = 64;
/** What a small buffer takes beside its bytes. */
const overheadBytes = 256;

let held = 0;
const oldestFirst = new Set<Shapes>();

/**
 * Other representations of one object's bytes, or of an event. All instances share one budget. When the budget is exhausted, those whose shapes are oldest
 * lose them, and readers create them again.
 */
export class Shapes extends Map<string, Buffer> {
  #bytes = 0;

  override set(name: string, shape: Buffer): this {
    const change = sizeOf(shape) - sizeOf(this.get(name));
    this.#bytes += change;
    held += change;
    oldestFirst.add(this);
    super.set(name, ownBytes(shape));
    for (const shapes of oldestFirst) {
      if (held <= budget || shapes === this) break;
      shapes.#drop();
    }
    return this;
  }

  #drop(): void {
    for (const [name, shape] of this) if (shape.length > droppedBytes) this.delete(name);
    oldestFirst.delete(this);
  }

  override clear(): void {
    held -= this.#bytes;
    this.#bytes = 0;
    oldestFirst.delete(this);
    super.clear();
  }

  override delete(name: string): boolean {
    const size = sizeOf(this.get(name));
    this.#bytes -= size;
    held -= size;
    return super.delete(name);
  }
}

const sizeOf = (shape: Buffer | undefined): number => (shape === undefined ? 0 : shape.length + overheadBytes);
