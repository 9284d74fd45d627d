import type { Int64 } from '@apichain/api/scalars';
import { sortedEntriesOf } from '@apichain/kinds';
import {
  field,
  integer,
  isQualifiedName,
  isRecord,
  isSet,
  isValidLabelValue,
  semanticEqual,
  type FieldError,
} from '@apichain/meta';
import { holdsEmptied, wasEmpty } from '@apichain/scheme';

/*
 * The building blocks of the checks. Each function adds the errors of the value at `path` to `out`, in the order of the API
 * server. Values are decoded JSON, where null counts as absent.
 */
export type Out = FieldError[];
type Rule = (value: string) => readonly string[];
type Text = string | null | undefined;

export const nonNegativeDetail = 'must be greater than or equal to 0';
export const immutableDetail = 'field is immutable';

/** An Invalid error that does not show the value. */
export const withoutValue = (path: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: path,
  message: `Invalid value: ${detail}`,
});

/** The entries of a map sorted by key, because Go's order is random. */
export const sortedEntries = <T>(map: Readonly<Record<string, T>> | null | undefined): [string, T][] =>
  sortedEntriesOf(map ?? {});

/** A map as Go prints it: sorted by key; null when absent. */
export const shownMap = (map: Readonly<Record<string, unknown>> | null | undefined): unknown =>
  isSet(map) ? Object.fromEntries(sortedEntries(map)) : null;

/** The same for a member that may have been given as an empty map. */
export function shownMember<T extends object>(container: T | undefined, member: keyof T & string): unknown {
  const value = container?.[member];
  return isSet(value) || !isGivenEmpty(container, member) ? shownMap(isRecord(value) ? value : null) : {};
}

/** A list as Go prints it: null when absent, and empty when it was given as empty. */
export function shownList<T extends object>(container: T | undefined, member: keyof T & string): unknown {
  const value = container?.[member];
  return isSet(value) ? value : isGivenEmpty(container, member) ? [] : null;
}

/** Whether an absent member was given as an empty map or list. */
export const isGivenEmpty = <T extends object>(container: T | undefined, member: keyof T & string): boolean =>
  container !== undefined && wasEmpty(container, member);

/**
 * Whether a member differs from the zero value of its Go type; a collection that was given as empty does. The target of a `pointer` may
 * be zero. After validateFieldAllowList of pkg/apis/core/validation/validation.go.
 */
export function isNonZero<T extends object>(container: T, member: keyof T & string, pointer: boolean): boolean {
  const value: unknown = container[member];
  if (!isSet(value)) return isGivenEmpty(container, member);
  if (pointer || Array.isArray(value)) return true;
  if (typeof value === 'object') return Object.keys(value).length > 0 || holdsEmptied(value);
  return value !== '' && value !== 0;
}

/** Adds one Invalid error for each message. */
export function invalidEach(out: Out, path: string, value: unknown, messages: readonly string[]): void {
  for (const message of messages) out.push(field.invalid(path, value, message));
}

/** A required string that must satisfy the rule. */
export function requiredName(out: Out, path: string, name: Text, rule: Rule): void {
  if (!isSet(name) || name === '') out.push(field.required(path));
  else invalidEach(out, path, name, rule(name));
}

/** A string that must satisfy the rule unless it is empty. */
export function optionalName(out: Out, path: string, name: Text, rule: Rule): void {
  if (isSet(name) && name !== '') invalidEach(out, path, name, rule(name));
}

/** A string that must satisfy the rule when it is set, even if empty: fields that are pointers in Go. */
export function pointerName(out: Out, path: string, name: Text, rule: Rule): void {
  if (isSet(name)) invalidEach(out, path, name, rule(name));
}

/** Adds a Required error to `out` when `value` is absent or empty. */
export function requiredText(out: Out, path: string, value: Text, detail?: string): void {
  if ((value ?? '') === '') out.push(field.required(path, detail));
}

/** One of the choices; Required when empty. */
export function requiredChoice(out: Out, path: string, value: Text, choices: readonly string[]): void {
  if (!isSet(value) || value === '') out.push(field.required(path));
  else if (!choices.includes(value)) out.push(field.notSupported(path, value, choices));
}

/** One of the choices, for a field that is a pointer in Go: Required when absent; an empty string is not a valid choice. */
export function givenChoice(out: Out, path: string, value: Text, choices: readonly string[]): void {
  if (isSet(value)) choice(out, path, value, choices);
  else out.push(field.required(path));
}

/** One of the choices when set; an empty string counts as set. */
export function choice(out: Out, path: string, value: Text, choices: readonly string[]): void {
  if (isSet(value) && !choices.includes(value)) out.push(field.notSupported(path, value, choices));
}

/** One of the choices; an absent value is an error too, shown as an empty string. */
export function strictChoice(out: Out, path: string, value: Text, choices: readonly string[]): void {
  if (!choices.includes(value ?? '')) out.push(field.notSupported(path, value ?? '', choices));
}

export function nonNegative(out: Out, path: string, value: Int64 | null | undefined): void {
  if (integer(value) < 0) out.push(field.invalid(path, value, nonNegativeDetail));
}

/** The named members of the object must not be negative. */
export function nonNegatives<Name extends string, T extends { readonly [Member in Name]?: Int64 | null }>(
  out: Out,
  path: string,
  object: T | undefined,
  names: readonly (Name & keyof T)[],
): void {
  for (const name of names) nonNegative(out, field.child(path, name), object?.[name]);
}

export function immutable(out: Out, path: string, value: unknown, old: unknown, shown: unknown = value): void {
  if (!semanticEqual(value, old)) out.push(field.invalid(path, shown ?? null, immutableDetail));
}

/** Checks a map of labels in a spec: keys and values, with errors at the path of the map. */
export function labelMap(out: Out, path: string, map: Readonly<Record<string, string>> | null | undefined): void {
  if (!isSet(map)) return;
  checkEach(out, sortedEntries(map), (out, [name, value]) => {
    invalidEach(out, path, name, isQualifiedName(name));
    invalidEach(out, path, value, isValidLabelValue(value));
  });
}

/** Runs a check and returns its errors, up to a bound. */
export const collect: (check: (out: Out) => void) => FieldError[] = field.collect;

/** Checks the members of a list or a map. */
export const checkEach: <T>(out: Out, items: readonly T[], check: field.MemberCheck<T>) => void = field.checkEach;

/** Positions and values of the list elements that are equal to an earlier one, in order. */
export function repeats<T>(values: readonly T[]): readonly (readonly [position: number, value: T])[] {
  const seen = new Set<T>();
  const found: [number, T][] = [];
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) found.push([i, value]);
    else seen.add(value);
  }
  return found;
}
