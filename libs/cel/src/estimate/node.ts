import type { Expr } from '../ast.ts';
import type { CelType } from '../types.ts';
import { type Range, unknown } from './range.ts';

/** How a value is reached from a variable: its name, then fields, `@items`, `@values`, `@keys`. Empty = it is not reached so. */
export type Path = readonly string[];

/** What is known of an argument of a call. */
export interface Node {
  readonly expr?: Expr;
  readonly type: CelType;
  readonly path: Path;
  readonly size?: Range;
}

/** What is known of the size of a value, and of what is in it. */
export interface Sized {
  readonly kind?: string;
  readonly elem?: Sized;
  readonly key?: Sized;
  readonly fields?: ReadonlyMap<string, { readonly decl: Sized }>;
  /** Its values are reached by their names as well as by `@values`. */
  readonly byName?: boolean;
  readonly maxElements?: number;
}

/** How large what a path leads to can be, by what is declared; undefined when it leads nowhere. */
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

/** The items of a list: reached by its path, when it has one. */
export function itemsOf(list: Node): Node | undefined {
  const [item] = list.type.params;
  if (item === undefined) return undefined;
  return { type: item, path: list.path.length === 0 ? [] : [...list.path, '@items'] };
}
