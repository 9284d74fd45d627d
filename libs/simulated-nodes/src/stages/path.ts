import { isRecord } from '@apichain/meta';
import { StageError } from './stage-error.ts';

/** A member, or all items of a list. */
type Segment = { readonly name: string } | 'items';

const segment = /\.?\["((?:[^"\\]|\\.)*)"\]|\.?\[\]|\.([A-Za-z_][A-Za-z0-9_]*)/y;

/** Compiles a path such as `.metadata.annotations["a/b"]` or `.metadata.finalizers.[]`. The result finds the values at the path. Throws StageError. */
export function compilePath(text: string, where: string): (value: unknown) => unknown[] {
  const segments: Segment[] = [];
  for (let at = 0; at < text.length; at = segment.lastIndex) {
    segment.lastIndex = at;
    const match = segment.exec(text);
    if (match === null)
      throw new StageError(
        where,
        `${JSON.stringify(text)} is not a path such as .status.phase; give an expression by \`cel\``,
      );
    const [, quoted, plain] = match;
    const name = quoted === undefined ? plain : (JSON.parse(`"${quoted}"`) as string);
    segments.push(name === undefined ? 'items' : { name });
  }
  return (value) => segments.reduce<unknown[]>((values, part) => values.flatMap((item) => select(item, part)), [value]);
}

function select(value: unknown, part: Segment): unknown[] {
  if (part === 'items') return Array.isArray(value) ? value : [];
  if (!isRecord(value) || !Object.hasOwn(value, part.name)) return [];
  const member = value[part.name];
  return member === undefined || member === null ? [] : [member];
}
