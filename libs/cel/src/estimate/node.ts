import type { Expr } from '../ast.ts';
import type { CelType } from '../types.ts';
import { type Range, unknown } from './range.ts';

/** The path from a variable to a value: the variable's name, then fields, `@items`, `@values`, `@keys`. Empty if there is no such path. */
export type Path = readonly string[];

/** An argument of a call: its expression, type, path and size, as far as known. */
export interface Node {
  readonly expr?: Expr;
  readonly type: CelType;
  readonly path: Path;
  readonly size?: Range;
}

/** The declared size of a value, and of its members. */
export interface Sized {
  readonly kind?: string;
  readonly elem?: Sized;
  readonly key?: Sized;
  readonly fields?: ReadonlyMap<string, { readonly decl: Sized }>;
  /** Whether the values can also be reached by their names, not only by `@values`. */
  readonly byName?: boolean;
  readonly maxElements?: number;
}

/** The declared size of the value at a path; undefined if the path leads nowhere. */
export function declaredSize(root: Sized, path: Path): Range | undefined {
  if (path.length === 0) return undefined;
  let decl: Sized | undefined = root;
  for (const name of path.slice(1)) {
    if (name === '@items' || name === '@values') decl = decl.elem;
    else if (name === '@keys') decl = decl.key ?? (decl.kind === 'map' ? {} : undefined);
    else decl = decl.fields?.get(name)?.decl ?? (decl.byName === true ? decl.elem : undefined);
    if (decl === undefined) return undefined;
  }
  return { min: 0, max: decl.maxElements ?? 0 };
}

export const sizeOf = (node: Node, root: Sized): Range => node.size ?? declaredSize(root, node.path) ?? unknown;

/** The items of a list. They have a path if the list has one. */
export function itemsOf(list: Node): Node | undefined {
  const [item] = list.type.params;
  if (item === undefined) return undefined;
  return { type: item, path: list.path.length === 0 ? [] : [...list.path, '@items'] };
}
