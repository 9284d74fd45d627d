import { isSorted } from './compare-text.ts';
import { isContainer } from './unstructured.ts';
import { setOwn } from './own-members.ts';

type Members = Record<string, unknown>;
type Container = Members | unknown[];

/** A container whose members are being sorted. */
class Frame {
  readonly #source: Container;
  /** The sorted keys; undefined for a list. */
  readonly #keys: readonly string[] | undefined;
  /** The original object if its members are already sorted. */
  readonly sorted: Container;
  #next = 0;

  constructor(source: Container) {
    this.#source = source;
    if (Array.isArray(source)) {
      this.sorted = source;
      return;
    }
    const keys = Object.keys(source);
    const isInOrder = isSorted(keys);
    this.#keys = isInOrder ? keys : keys.sort();
    this.sorted = isInOrder ? source : {};
  }

  /** Takes the next member. Returns a frame if that member has members itself, undefined if no member is left, else `'done'`. */
  step(): Frame | 'done' | undefined {
    const at = this.#next++;
    if (Array.isArray(this.#source)) {
      if (at >= this.#source.length) return undefined;
      const frame = frameOf(this.#source[at]);
      if (frame !== undefined) this.#source[at] = frame.sorted;
      return frame ?? 'done';
    }
    const key = this.#keys?.[at];
    if (key === undefined) return undefined;
    const value = this.#source[key];
    const frame = frameOf(value);
    if (frame !== undefined || this.sorted !== this.#source)
      setOwn(this.sorted as Members, key, frame === undefined ? value : frame.sorted);
    return frame ?? 'done';
  }
}

const frameOf = (value: unknown): Frame | undefined => (isContainer(value) ? new Frame(value) : undefined);

/**
 * Sorts the members of all objects of a JSON value by name, as in the JSON that Go makes of a map. Changes the value. Not recursive, so the
 * depth of the value is not limited.
 */
export function sortMembers(value: unknown): unknown {
  const root = frameOf(value);
  if (root === undefined) return value;
  const frames = [root];
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const next = frame.step();
    if (next === undefined) frames.pop();
    else if (next !== 'done') frames.push(next);
  }
  return root.sorted;
}
