import type { Int64 } from '@apichain/api/scalars';
import {
  byteLength,
  field,
  integer,
  isDNS1123LabelBytes,
  isDNS1123SubdomainBytes,
  isSet,
  semanticEqual,
} from '@apichain/meta';
import { checkEach, collect, immutableDetail, invalidEach, type Out } from './rules.ts';

/*
 * Declarative rules for the fields of a kind, as tables. Unchanged values are not checked again, and list elements are compared with the stored
 * elements of the same key. After k8s.io/apimachinery/pkg/api/validate.
 */

/** A value to check; absent and null are the same. `old` is undefined on create and where no stored value corresponds to the value. */
export interface Checked<T> {
  readonly out: Out;
  readonly path: string;
  readonly value: T | null | undefined;
  readonly old: T | null | undefined;
  readonly update: boolean;
}
type Check<T> = (checked: Checked<T>) => void;
/** Returns whether the value needs no further checks. */
type FirstCheck<T> = (checked: Checked<T>) => boolean;

/** The checks of a field: all of `first`, and `then` unless one of `first` returned true. */
export interface FieldRules<T> {
  readonly first?: readonly FirstCheck<T>[];
  readonly then?: readonly Check<T>[];
}

const isZero = (value: unknown): boolean => !isSet(value) || value === '' || value === 0 || value === false;
const fails = ({ out, path }: Checked<unknown>, bad: boolean): boolean => {
  if (bad) out.push(field.required(path));
  return bad;
};

/** The value must not be the zero value of its type; a list must not be empty. */
export const required: FirstCheck<unknown> = (checked) =>
  fails(checked, isZero(checked.value) || (Array.isArray(checked.value) && checked.value.length === 0));
/** A pointer that must be set, to any value. */
export const given: FirstCheck<unknown> = (checked) => fails(checked, !isSet(checked.value));
export const optional: FirstCheck<unknown> = ({ value }) =>
  isZero(value) || (Array.isArray(value) && value.length === 0);
/** A pointer that may be absent; an empty value counts as set. */
export const optionalPointer: FirstCheck<unknown> = ({ value }) => !isSet(value);
/** Unchanged values are not checked, so this always reports a change. */
export const immutableField: FirstCheck<unknown> = ({ out, path, update }) => {
  if (update) out.push(field.invalid(path, null, immutableDetail));
  return update;
};
export const atMost =
  (limit: number): FirstCheck<readonly unknown[]> =>
  ({ out, path, value }) => {
    const length = value?.length ?? 0;
    if (length > limit) out.push(field.tooMany(path, length, limit));
    return length > limit;
  };

export const format =
  (rule: (value: string) => readonly string[]): Check<string> =>
  ({ out, path, value }) =>
    invalidEach(out, path, value ?? '', rule(value ?? ''));
export const longName = format(isDNS1123SubdomainBytes);
export const shortName = format(isDNS1123LabelBytes);

export const minimum =
  (limit: number): Check<Int64> =>
  ({ out, path, value }) => {
    if (integer(value) < limit) out.push(field.invalid(path, value, `must be greater than or equal to ${limit}`));
  };
export const maximum =
  (limit: number): Check<Int64> =>
  ({ out, path, value }) => {
    if (integer(value) > limit) out.push(field.invalid(path, value, `must be less than or equal to ${limit}`));
  };
export const maxBytes =
  (limit: number): Check<string> =>
  ({ out, path, value }) => {
    if (byteLength(value ?? '') > limit) out.push(field.tooLong(path, limit));
  };
export const oneOf =
  (...values: readonly string[]): Check<string> =>
  ({ out, path, value }) => {
    if (!values.includes(value ?? '')) out.push(field.notSupported(path, value, values));
  };

/** Exactly one of the members must be set. */
export const union =
  <T extends object>(...names: readonly (keyof T & string)[]): Check<T> =>
  ({ out, path, value, old, update }) => {
    const given = (object: T | null | undefined) => names.filter((name) => isSet(object?.[name]));
    const members = given(value);
    if (update && isSet(old) && semanticEqual(members, given(old))) return;
    const all = names.map((name) => `\`${name}\``).join(', ');
    if (members.length > 1) {
      out.push(field.invalid(path, `{${members.join(', ')}}`, `must specify exactly one of: ${all}`));
    }
    if (members.length === 0) out.push(field.invalid(path, '', `must specify one of: ${all}`));
  };

/** The rules for the members of an object. */
type MemberRules<T> = { readonly [Name in keyof T]?: FieldRules<NonNullable<T[Name]>> };

/** The value, or undefined when it is null. */
const present = <T>(value: T): NonNullable<T> | undefined => (isSet(value) ? value : undefined);

/** Checks the object as a whole, then its members in this order. */
export const members =
  <T extends object>(rules: MemberRules<T>, ...whole: readonly Check<T>[]): Check<T> =>
  (checked) => {
    for (const check of whole) check(checked);
    const { out, path, value, old, update } = checked;
    for (const name in rules) {
      const { first = [], then = [] } = rules[name] ?? {};
      if (update && isSet(old) && semanticEqual(value?.[name], old[name])) continue;
      const at = {
        out,
        path: path === '' ? name : `${path}.${name}`,
        value: present(value?.[name]),
        old: present(old?.[name]),
        update,
      };
      const enough = first.map((check) => check(at)).includes(true);
      if (!enough) for (const check of then) check(at);
    }
  };

const identityOf = <T extends object>(element: T, keys: readonly (keyof T & string)[]): string =>
  JSON.stringify(keys.map((name) => element[name] ?? ''));

/** Checks the elements of a list; with keys, each is compared with the stored element of the same keys. */
export const each =
  <T extends object>(check: Check<T>, ...keys: readonly (keyof T & string)[]): Check<readonly T[]> =>
  ({ out, path, value, old, update }) => {
    const stored = new Map<string, T>();
    if (keys.length > 0) {
      for (const element of old ?? []) {
        const identity = identityOf(element, keys);
        if (!stored.has(identity)) stored.set(identity, element);
      }
    }
    checkEach(out, value ?? [], (out, element, i) => {
      const before = stored.size === 0 ? undefined : stored.get(identityOf(element, keys));
      if (update && before !== undefined && semanticEqual(element, before)) return;
      check({ out, path: `${path}[${i}]`, value: element, old: before, update });
    });
  };

/** Reports elements with the same keys as an earlier one. */
export const unique =
  <T extends object>(...keys: readonly (keyof T & string)[]): Check<readonly T[]> =>
  ({ out, path, value }) => {
    const seen = new Set<string>();
    checkEach(out, value ?? [], (out, element, i) => {
      const identity = identityOf(element, keys);
      if (seen.has(identity)) out.push(field.duplicate(`${path}[${i}]`, element));
      seen.add(identity);
    });
  };

/** Runs the checks of an object's members. */
export const declaredErrors = <T extends object>(check: Check<T>, object: T, old?: T): Out =>
  collect((out) => check({ out, path: '', value: object, old, update: old !== undefined }));
