import type { List, Occurrence, RepeatedMembers } from '../document-facts.ts';

/** RepeatedMembers of a container that is being read. */
export interface RepeatsSoFar extends RepeatedMembers {
  readonly former: Map<string, Occurrence[]>;
  readonly within: Map<string | number, RepeatedMembers>;
}

/** A container that is being read. A stack of frames, the outermost first, is the position of the reader. */
export interface Frame {
  /** Exactly one of `object` and `array` is set: the container being filled. */
  readonly object: Record<string, unknown> | undefined;
  readonly array: List | undefined;
  /** The member of an object that is being read. */
  key: string;
  /** The path of the container, built on first use. */
  path: string | undefined;
  /** The repeated members of the container and of those in it, created at the first repetition. */
  repeats: RepeatsSoFar | undefined;
  /** The whole floats of the container, see JsonContainer. */
  wholeFloats: Set<string | number> | undefined;
}

export const objectFrame = (): Frame => ({
  object: {},
  array: undefined,
  key: '',
  path: undefined,
  repeats: undefined,
  wholeFloats: undefined,
});

export const arrayFrame = (): Frame => ({
  object: undefined,
  array: [],
  key: '',
  path: undefined,
  repeats: undefined,
  wholeFloats: undefined,
});

/** The key or index, in its container, of the value that is being read. */
export const stepOf = ({ array, key }: Frame): string | number => array?.length ?? key;

/** The path of the current member or element of a container at `path`. */
const stepBelow = (path: string, { array, key }: Frame): string =>
  array !== undefined ? `${path}[${array.length}]` : path === '' ? key : `${path}.${key}`;

/** The path of the value that is being read. The ancestors of a container do not change, so its own path is built once. */
export function pathIn(stack: readonly Frame[]): string {
  let known = stack.length - 1;
  while (known > 0 && stack[known]?.path === undefined) known--;
  let path = stack[known]?.path ?? '';
  for (let i = known; i < stack.length; i++) {
    const frame = stack[i];
    if (frame === undefined) break;
    frame.path = path;
    path = stepBelow(path, frame);
  }
  return path;
}
