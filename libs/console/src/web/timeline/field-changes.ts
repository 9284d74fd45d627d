import { hasKeys, isRecord, isSame, memberOf } from '../object/compare.ts';

/** A field that differs between two states of an object. */
export interface FieldChange {
  /** `spec.template.spec.containers[web].image` */
  readonly field: string;
  /** The values as text; undefined where the field is absent. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** More fields than anybody reads: the rest is left out. */
const maxFields = 60;
/** Characters of a value that are kept. */
const maxText = 400;

/** What every write changes and nobody has asked for. */
const ignored: ReadonlySet<string> = new Set([
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.managedFields',
]);

/**
 * The fields in which two states of an object differ, in the order of the newer one. Items of lists are compared by their name or type where all have a
 * different one, else by their place.
 */
export function fieldChanges(before: unknown, after: unknown): readonly FieldChange[] {
  const found: FieldChange[] = [];
  compare('', before, after, found);
  return found.slice(0, maxFields);
}

function compare(field: string, before: unknown, after: unknown, found: FieldChange[]): void {
  if (found.length > maxFields || ignored.has(field) || isSame(before, after)) return;
  if (isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(after), ...Object.keys(before)]))
      compare(`${field}${step(field, key)}`, before[key], after[key], found);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(field, before, after, found);
    return;
  }
  found.push({ field, before: textOf(before), after: textOf(after) });
}

function compareLists(
  field: string,
  before: readonly unknown[],
  after: readonly unknown[],
  found: FieldChange[],
): void {
  const key = ['name', 'type'].find((name) => hasKeys(before, name) && hasKeys(after, name));
  if (key === undefined) {
    const length = Math.max(before.length, after.length);
    for (let at = 0; at < length; at++) compare(`${field}[${at}]`, before[at], after[at], found);
    return;
  }
  const byKey = (items: readonly unknown[]) => new Map(items.map((item) => [memberOf(item, key) ?? '', item]));
  const [old, now] = [byKey(before), byKey(after)];
  for (const name of new Set([...now.keys(), ...old.keys()]))
    compare(`${field}[${name}]`, old.get(name), now.get(name), found);
}

/** A name of a label or an annotation may have dots. */
const step = (field: string, key: string): string => {
  if (!/^[\w-]+$/.test(key)) return `["${key}"]`;
  return field === '' ? key : `.${key}`;
};

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`;
}

/** Whether only its status has changed: what a controller reports, and nobody wants. */
export const isOfStatus = (fields: readonly FieldChange[]): boolean =>
  fields.length > 0 && fields.every(({ field }) => field === 'status' || field.startsWith('status.'));
