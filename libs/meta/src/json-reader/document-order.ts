import { randomInt } from 'node:crypto';
import { pathIn, type Frame } from './frame.ts';
import { JsonReader, type KeyListener } from './reader.ts';

/** A container and the hash of its path. */
interface HashedFrame {
  readonly frame: Frame | undefined;
  readonly hash: number;
  readonly isRoot: boolean;
}

const seed = randomInt(2 ** 31);
/** Odd, so that the multiplication is invertible and loses no bit. */
const factor = randomInt(2 ** 30) * 2 + 1;

function extendHash(hash: number, text: string): number {
  let extended = hash;
  for (let i = 0; i < text.length; i++) extended = Math.imul(extended ^ text.charCodeAt(i), factor) ^ (extended >>> 15);
  return extended;
}

/**
 * Finds the paths of keys in a document by hash. The hash of a path extends that of its parent. The path itself is built only if the hash
 * matches.
 */
class PathFinder implements KeyListener {
  readonly #unknown: Map<number, string>;
  readonly #repeated: Map<number, string>;
  /** The containers around the key, the outermost first. */
  readonly #containers: HashedFrame[] = [];
  readonly found: { path: string; repeated: boolean }[] = [];

  constructor(unknown: ReadonlySet<string>, repeated: ReadonlySet<string>) {
    const byHash = (paths: ReadonlySet<string>) => new Map([...paths].map((path) => [extendHash(seed, path), path]));
    this.#unknown = byHash(unknown);
    this.#repeated = byHash(repeated);
  }

  get isDone(): boolean {
    return this.#unknown.size === 0 && this.#repeated.size === 0;
  }

  onKey(stack: readonly Frame[], repeated: boolean): void {
    const hash = this.#hashOf(stack);
    const wanted = repeated ? this.#repeated : this.#unknown;
    const path = wanted.get(hash);
    if (path === undefined || path !== pathIn(stack)) return;
    wanted.delete(hash);
    this.found.push({ path, repeated });
  }

  #hashOf(stack: readonly Frame[]): number {
    const containers = this.#containers;
    if (containers.length > stack.length) containers.length = stack.length;
    // The ancestors of an open container do not change. So all entries up to the innermost container that is still open are valid.
    while (containers.length > 0 && containers.at(-1)?.frame !== stack[containers.length - 1]) containers.pop();
    let last = containers.at(-1);
    for (let i = containers.length; i < stack.length; i++) {
      last = { frame: stack[i], ...(last === undefined ? { hash: seed, isRoot: true } : below(last)) };
      containers.push(last);
    }
    return last === undefined ? seed : below(last).hash;
  }
}

/** The hash of the current member or element of a container, see `pathIn`. */
function below({ frame, hash, isRoot }: HashedFrame): { hash: number; isRoot: boolean } {
  if (frame?.array !== undefined) return { hash: extendHash(hash, `[${frame.array.length}]`), isRoot: false };
  const key = frame?.key ?? '';
  return { hash: extendHash(hash, isRoot ? key : `.${key}`), isRoot: isRoot && key === '' };
}

/**
 * Reads a JSON text again to put errors in document order: keys of `unknown` by their first occurrence, keys of `repeated` by their
 * repetition. Both are sets of paths as `readJson` spells them. Throws JsonSyntaxError.
 */
export function inDocumentOrder(
  text: string,
  unknown: ReadonlySet<string>,
  repeated: ReadonlySet<string>,
): { path: string; repeated: boolean }[] {
  const finder = new PathFinder(unknown, repeated);
  new JsonReader(text, { listener: finder }).advance(Infinity);
  return finder.found;
}
