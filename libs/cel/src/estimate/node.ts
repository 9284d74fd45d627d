import type { Expr } from '../ast.ts';
import type { CelType, DeclType } from '../types.ts';
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

/** How large what a path leads to can be, by what the schema says; undefined when it leads nowhere. */
export function declaredSize(root: DeclType, path: Path): Range | undefined {
  if (path.length === 0) return undefined;
  let decl: DeclType | undefined = root;
  for (const [i, name] of path.entries()) {
    if (i === 0) continue;
    if (name === '@items' || name === '@values') decl = decl.elem;
    // Keys have a type of their own, which says nothing of their size.
    else if (name === '@keys') return decl.kind === 'map' && i === path.length - 1 ? { min: 0, max: 0 } : undefined;
    else decl = decl.fields?.get(name)?.decl;
    if (decl === undefined) return undefined;
  }
  return { min: 0, max: decl.maxElements ?? 0 };
}

export const sizeOf = (node: Node, root: DeclType): Range => node.size ?? declaredSize(root, node.path) ?? unknown;

/** The items of a list: reached by its path, when it has one. */
export function itemsOf(list: Node): Node | undefined {
  const [item] = list.type.params;
  if (item === undefined) return undefined;
  return { type: item, path: list.path.length === 0 ? [] : [...list.path, '@items'] };
}
