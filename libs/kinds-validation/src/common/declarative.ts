import { byteLength, field, isDNS1123LabelBytes, isDNS1123SubdomainBytes } from '@apichain/meta';
import { integer, isSet, list, type Plain, record, records, text } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { checkEach, collect, immutableDetail, invalidEach, type Out } from './rules.ts';

/*
 * Rules that kinds declare beside their fields, as tables. What has not changed is not checked again, and elements of a list are compared with
 * those of the same key. After k8s.io/apimachinery/pkg/api/validate.
 */

/** A value that is checked; `old` is undefined on create and where nothing corresponds to it. */
export interface Checked {
  readonly out: Out;
  readonly path: string;
  readonly value: unknown;
  readonly old: unknown;
  readonly update: boolean;
}
type Check = (checked: Checked) => void;
/** Answers whether the value needs no further checks. */
type FirstCheck = (checked: Checked) => boolean;

/** The checks of a field: all of `first`, and `then` unless one of those says that it is enough. */
export interface FieldRules {
  readonly first?: readonly FirstCheck[];
  readonly then?: readonly Check[];
}

const isZero = (value: unknown): boolean => !isSet(value) || value === '' || value === 0 || value === false;
const fails = ({ out, path }: Checked, bad: boolean): boolean => {
  if (bad) out.push(field.required(path));
  return bad;
};

/** A value other than the zero of its type, or a list with elements. */
export const required: FirstCheck = (checked) =>
  fails(checked, isZero(checked.value) || (Array.isArray(checked.value) && checked.value.length === 0));
/** A pointer: any value will do. */
export const given: FirstCheck = (checked) => fails(checked, !isSet(checked.value));
export const optional: FirstCheck = ({ value }) => isZero(value) || (Array.isArray(value) && value.length === 0);
/** A pointer that may be absent: an empty value counts as given. */
export const optionalPointer: FirstCheck = ({ value }) => !isSet(value);
/** Only changes come here. */
export const immutableField: FirstCheck = ({ out, path, update }) => {
  if (update) out.push(field.invalid(path, null, immutableDetail));
  return update;
};
export const atMost =
  (limit: number): FirstCheck =>
  ({ out, path, value }) => {
    const { length } = list(value);
    if (length > limit) out.push(field.tooMany(path, length, limit));
    return length > limit;
  };

export const format =
  (rule: (value: string) => readonly string[]): Check =>
  ({ out, path, value }) =>
    invalidEach(out, path, text(value), rule(text(value)));
export const longName = format(isDNS1123SubdomainBytes);
export const shortName = format(isDNS1123LabelBytes);

export const minimum =
  (limit: number): Check =>
  ({ out, path, value }) => {
    if (integer(value) < limit) out.push(field.invalid(path, value, `must be greater than or equal to ${limit}`));
  };
export const maximum =
  (limit: number): Check =>
  ({ out, path, value }) => {
    if (integer(value) > limit) out.push(field.invalid(path, value, `must be less than or equal to ${limit}`));
  };
export const maxBytes =
  (limit: number): Check =>
  ({ out, path, value }) => {
    if (byteLength(text(value)) > limit) out.push(field.tooLong(path, limit));
  };
export const oneOf =
  (...values: readonly string[]): Check =>
  ({ out, path, value }) => {
    if (!values.includes(text(value))) out.push(field.notSupported(path, value, values));
  };

/** Exactly one of the members is there. */
export const union =
  (...names: readonly string[]): Check =>
  ({ out, path, value, old, update }) => {
    const isMember = (object: unknown) => names.filter((name) => isSet(record(object)[name]));
    const members = isMember(value);
    if (update && isSet(old) && semanticEqual(members, isMember(old))) return;
    const all = names.map((name) => `\`${name}\``).join(', ');
    if (members.length > 1) {
      out.push(field.invalid(path, `{${members.join(', ')}}`, `must specify exactly one of: ${all}`));
    }
    if (members.length === 0) out.push(field.invalid(path, '', `must specify one of: ${all}`));
  };

/** The members of an object, in this order, after the checks of the whole. */
export const members =
  (rules: Readonly<Record<string, FieldRules>>, ...whole: readonly Check[]): Check =>
  (checked) => {
    for (const check of whole) check(checked);
    const { out, path, update } = checked;
    const value = record(checked.value);
    const old = isSet(checked.old) ? record(checked.old) : undefined;
    for (const [name, { first = [], then = [] }] of Object.entries(rules)) {
      if (update && old !== undefined && semanticEqual(value[name], old[name])) continue;
      const at = { out, path: path === '' ? name : `${path}.${name}`, value: value[name], old: old?.[name], update };
      const enough = first.map((check) => check(at)).includes(true);
      if (!enough) for (const check of then) check(at);
    }
  };

const identityOf = (element: Plain, keys: readonly string[]): string =>
  JSON.stringify(keys.map((name) => element[name] ?? ''));

/** The elements of a list; with keys each is compared with the old one of the same keys. */
export const each =
  (check: Check, ...keys: readonly string[]): Check =>
  ({ out, path, value, old, update }) => {
    const stored = new Map<string, Plain>();
    if (keys.length > 0) {
      for (const element of records(old)) {
        const identity = identityOf(element, keys);
        if (!stored.has(identity)) stored.set(identity, element);
      }
    }
    checkEach(out, records(value), (out, element, i) => {
      const before = stored.size === 0 ? undefined : stored.get(identityOf(element, keys));
      if (update && before !== undefined && semanticEqual(element, before)) return;
      check({ out, path: `${path}[${i}]`, value: element, old: before, update });
    });
  };

/** Elements whose keys another one before them has. */
export const unique =
  (...keys: readonly string[]): Check =>
  ({ out, path, value }) => {
    const seen = new Set<string>();
    checkEach(out, records(value), (out, element, i) => {
      const identity = identityOf(element, keys);
      if (seen.has(identity)) out.push(field.duplicate(`${path}[${i}]`, element));
      seen.add(identity);
    });
  };

/** Runs the checks of an object's members. */
export const declaredErrors = (check: Check, object: object, old?: object): Out =>
  collect((out) => check({ out, path: '', value: object, old, update: old !== undefined }));
