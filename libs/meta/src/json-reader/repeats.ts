import type { RepeatedMembers } from '../document-facts.ts';
import { pathIn, stepOf, type Frame, type RepeatsSoFar } from './frame.ts';

const maxPaths = 100;
/** Paths of repeated keys are recorded until they have this many characters in total. */
const maxPathText = 1 << 20;

const noRepeats = (): RepeatsSoFar => ({ former: new Map(), within: new Map() });

/**
 * Records the repeated members of objects: all their values, and the paths of the first hundred. Go's decoder merges the values into one,
 * and strict decoding reports the paths.
 */
export class RepeatNotes {
  readonly #paths = new Set<string>();
  #pathText = 0;
  /** The repeated members of the container that was closed last, until `store` puts them into its parent. */
  #ofClosed: RepeatsSoFar | undefined;

  /** Paths such as `spec.containers[0].name`, each once. */
  get paths(): string[] {
    return [...this.#paths];
  }

  /** The repeated members of the whole document, available when its outermost container is closed. */
  get ofDocument(): RepeatedMembers | undefined {
    return this.#ofClosed;
  }

  /** Called before the innermost container replaces the value of its current key. */
  note(stack: readonly Frame[], frame: Frame, former: unknown): void {
    const { key } = frame;
    const repeats = (frame.repeats ??= noRepeats());
    const occurrence = { value: former, repeats: repeats.within.get(key) };
    repeats.within.delete(key);
    frame.wholeFloats?.delete(key);
    const values = repeats.former.get(key);
    if (values !== undefined) {
      values.push(occurrence);
      return;
    }
    repeats.former.set(key, [occurrence]);
    if (this.#paths.size >= maxPaths || this.#pathText > maxPathText) return;
    const path = pathIn(stack);
    this.#pathText += path.length;
    this.#paths.add(path);
  }

  /** Called when a container is complete. */
  close(frame: Frame): void {
    this.#ofClosed = frame.repeats;
  }

  /** Called when a container gets a value, which may be the container that was closed last. */
  store(frame: Frame): void {
    if (this.#ofClosed === undefined) return;
    frame.repeats ??= noRepeats();
    frame.repeats.within.set(stepOf(frame), this.#ofClosed);
    this.#ofClosed = undefined;
  }
}
