import { isRecord, equalityText, field, setOwn, type FieldError } from '@apichain/meta';
import { someTypeWithin, type Type } from '@apichain/scheme';
import { sortKeys } from './sort-keys.ts';

/** Checks that items are unique in lists of x-kubernetes-list-type `set` (whole items) and `map` (keys), for every list in `value`. */
export function validateListTypes(value: unknown, type: Type | undefined, path: string): FieldError[] {
  if (type === undefined || !hasUniqueLists(type)) return [];
  const errors: FieldError[] = [];
  collectErrors(value, type, path, errors);
  return errors;
}

function collectErrors(value: unknown, type: Type | undefined, path: string, errors: FieldError[]): void {
  if (type === undefined || !hasUniqueLists(type)) return;
  if (Array.isArray(value)) {
    for (const error of validateList(value, type, path)) errors.push(error);
    const { items } = type;
    if (items === undefined || !hasUniqueLists(items)) return;
    for (const [i, item] of value.entries()) collectErrors(item, items, field.index(path, i), errors);
    return;
  }
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    const declared = type.byName?.get(key);
    if (declared === undefined) collectErrors(value[key], type.values, field.key(path, key), errors);
    else collectErrors(value[key], declared.type, field.child(path, key), errors);
  }
}

const hasUniqueLists = someTypeWithin(({ listType }) => listType === 'set' || listType === 'map');

function validateList(list: readonly unknown[], type: Type, path: string): FieldError[] {
  if (type.listType === 'set')
    return repeated(list).map((i) => field.duplicate(field.index(path, i), sortKeys(list[i])));
  if (type.listType !== 'map') return [];
  const misfit = list.findIndex((item) => item !== null && !isRecord(item));
  if (misfit !== -1)
    return [
      field.invalid(
        field.index(path, misfit),
        sortKeys(list[misfit]),
        'must be an object for an array of list-type map',
      ),
    ];
  const names = [...(type.listMapKeys ?? [])].sort();
  return repeatedTexts(list.map((item) => keysText(item, names))).map((i) =>
    field.duplicate(field.index(path, i), itemKeys(list[i], names)),
  );
}

function itemKeys(item: unknown, names: readonly string[]): Record<string, unknown> {
  const keys: Record<string, unknown> = {};
  if (!isRecord(item)) return keys;
  for (const name of names) if (Object.hasOwn(item, name)) setOwn(keys, name, item[name]);
  return keys;
}

function keysText(item: unknown, names: readonly string[]): string {
  let text = '';
  if (!isRecord(item)) return text;
  for (const name of names) text += Object.hasOwn(item, name) ? `${equalityText(item[name])},` : ',';
  return text;
}

/** The index of the second occurrence of each repeated value. */
const repeated = (values: readonly unknown[]): number[] => repeatedTexts(values.map(equalityText));

function repeatedTexts(texts: readonly string[]): number[] {
  const seen = new Map<string, number>();
  const indices: number[] = [];
  for (const [i, text] of texts.entries()) {
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times === 1) indices.push(i);
  }
  return indices;
}
