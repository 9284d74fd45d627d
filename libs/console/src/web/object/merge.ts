import { parseDocument, type Document } from 'yaml';
import { isNamed, isRecord, isSame, memberOf, type Named } from './compare.ts';
import { yamlFormat as format, yamlVersion as options } from './manifest.ts';

type Path = readonly (string | number)[];

/** A field that both sides have changed to different values. */
export interface Conflict {
  readonly path: Path;
  /** `spec.template.spec.containers[0].image` */
  readonly field: string;
  /** The values as text; empty when the side has removed the field. */
  readonly yours: string;
  readonly theirs: string;
  /** Undefined when they have removed the field. */
  readonly theirValue: unknown;
}

export interface Merged {
  /** The draft with what the others have changed; at a conflict it has the value of the draft. */
  readonly text: string;
  readonly conflicts: readonly Conflict[];
}

/**
 * Merges a draft with what was stored meanwhile, field by field: `base` is the text in which the draft began. Lists of objects with names are merged by
 * name, other lists as a whole unless only one side has changed them. Throws Error when the draft is not valid YAML.
 */
export function merge(base: string, yours: string, theirs: string): Merged {
  const document = parseDocument(yours, options);
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`The draft cannot be merged while it is not valid YAML: ${error.message}`);
  const conflicts: Conflict[] = [];
  mergeAt(document, [], plain(base), plain(yours), plain(theirs), conflicts);
  return { text: document.toString(format), conflicts };
}

/** The merged text with the values of the others at these conflicts. */
export function takeTheirs(text: string, conflicts: readonly Conflict[]): string {
  const document = parseDocument(text, options);
  // From the end, so that a removed item of a list does not move those of the conflicts before.
  for (const { path, theirValue } of [...conflicts].reverse()) put(document, path, theirValue);
  return document.toString(format);
}

const plain = (text: string): unknown => parseDocument(text, options).toJS() as unknown;

function mergeAt(
  document: Document,
  path: Path,
  base: unknown,
  yours: unknown,
  theirs: unknown,
  conflicts: Conflict[],
): void {
  if (isSame(base, theirs) || isSame(yours, theirs)) return;
  if (isSame(base, yours)) {
    put(document, path, theirs);
    return;
  }
  if (isRecord(yours) && isRecord(theirs)) {
    const below = isRecord(base) ? base : {};
    for (const key of new Set([...Object.keys(yours), ...Object.keys(theirs)]))
      mergeAt(document, [...path, key], below[key], yours[key], theirs[key], conflicts);
    return;
  }
  if (isNamed(yours) && isNamed(theirs) && (base === undefined || isNamed(base))) {
    mergeNamed(document, path, base ?? [], yours, theirs, conflicts);
    return;
  }
  conflicts.push(conflictAt(path, yours, theirs));
}

const conflictAt = (path: Path, yours: unknown, theirs: unknown): Conflict => ({
  path,
  field: textOf(path, theirs),
  ...{ yours: shown(yours), theirs: shown(theirs), theirValue: theirs },
});

/** In the place of an index: the item is added to the list. */
const addition = -1;

/** Items that only the others have are added at the end; those that only they have removed are removed. */
function mergeNamed(
  document: Document,
  path: Path,
  base: Named,
  yours: Named,
  theirs: Named,
  conflicts: Conflict[],
): void {
  const of = (items: Named, name: string) => items.find((item) => item.name === name);
  const removed: number[] = [];
  yours.forEach((item, at) => {
    const before = of(base, item.name);
    const other = of(theirs, item.name);
    if (other === undefined && isSame(before, item)) removed.push(at);
    else mergeAt(document, [...path, at], before, item, other, conflicts);
  });
  for (const at of removed.reverse()) document.deleteIn([...path, at]);
  for (const item of theirs) {
    if (of(yours, item.name) !== undefined) continue;
    const before = of(base, item.name);
    if (before === undefined) document.addIn(path, document.createNode(item));
    // The path of an item that would be added.
    else if (!isSame(before, item)) conflicts.push(conflictAt([...path, addition], undefined, item));
  }
}

function put(document: Document, path: Path, value: unknown): void {
  if (value === undefined) document.deleteIn(path);
  else if (path.at(-1) === addition) document.addIn(path.slice(0, -1), document.createNode(value));
  else document.setIn(path, document.createNode(value));
}

const textOf = (path: Path, value: unknown): string =>
  path
    .map((key, at) =>
      key === addition
        ? `[name=${memberOf(value, 'name') ?? ''}]`
        : typeof key === 'number'
          ? `[${key}]`
          : at === 0
            ? key
            : `.${key}`,
    )
    .join('');

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
