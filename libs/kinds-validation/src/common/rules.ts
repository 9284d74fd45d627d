import type { Int64 } from '@apichain/api/scalars';
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
import { sortedEntriesOf } from '@apichain/kinds';

/*
 * The vocabulary of the checks. Each function adds to `out` what is wrong with the value at `path`, in the order the API
 * server reports it; values are decoded JSON, where null counts as absent.
 */
export type Out = FieldError[];
type Rule = (value: string) => readonly string[];
type Text = string | null | undefined;

export const nonNegativeDetail = 'must be greater than or equal to 0';
export const immutableDetail = 'field is immutable';

/** Keys and values of a map in the order of its keys: Go's own order is random. */
export const sortedEntries = <T>(map: Readonly<Record<string, T>> | null | undefined): [string, T][] =>
  sortedEntriesOf(map ?? {});

/** A map as Go prints it: keys in order; null when absent. */
export const shownMap = (map: Readonly<Record<string, unknown>> | null | undefined): unknown =>
  isSet(map) ? Object.fromEntries(sortedEntries(map)) : null;

/** The same of a member that may have been given as an empty map. */
export function shownMember<T extends object>(container: T | undefined, member: keyof T & string): unknown {
  const value = container?.[member];
  return isSet(value) || !isGivenEmpty(container, member) ? shownMap(isRecord(value) ? value : null) : {};
}

/** A list as Go prints it: null when absent, which an empty one that was given is not. */
export function shownList<T extends object>(container: T | undefined, member: keyof T & string): unknown {
  const value = container?.[member];
  return isSet(value) ? value : isGivenEmpty(container, member) ? [] : null;
}

/** Whether an absent member was given as an empty map or list. */
export const isGivenEmpty = <T extends object>(container: T | undefined, member: keyof T & string): boolean =>
  container !== undefined && wasEmpty(container, member);

/**
 * Whether a member is other than the zero value of its Go type, which an empty collection that was given is. What a `pointer` leads to may
 * be zero itself. After validateFieldAllowList of pkg/apis/core/validation/validation.go.
 */
export function isNonZero<T extends object>(container: T, member: keyof T & string, pointer: boolean): boolean {
  const value: unknown = container[member];
  if (!isSet(value)) return isGivenEmpty(container, member);
  if (pointer || Array.isArray(value)) return true;
  if (typeof value === 'object') return Object.keys(value).length > 0 || holdsEmptied(value);
  return value !== '' && value !== 0;
}

/** One Invalid error a message. */
export function invalidEach(out: Out, path: string, value: unknown, messages: readonly string[]): void {
  for (const message of messages) out.push(field.invalid(path, value, message));
}

/** A string that must be there and keep the rule. */
export function requiredName(out: Out, path: string, name: Text, rule: Rule): void {
  if (!isSet(name) || name === '') out.push(field.required(path));
  else invalidEach(out, path, name, rule(name));
}

/** A string that keeps the rule when it is not empty. */
export function optionalName(out: Out, path: string, name: Text, rule: Rule): void {
  if (isSet(name) && name !== '') invalidEach(out, path, name, rule(name));
}

/** A string that keeps the rule when it is given, even if empty: fields that are pointers in Go. */
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

/** One of the choices, of a field that is a pointer in Go: Required when absent, and an empty string is a wrong choice. */
export function givenChoice(out: Out, path: string, value: Text, choices: readonly string[]): void {
  if (isSet(value)) choice(out, path, value, choices);
  else out.push(field.required(path));
}

/** One of the choices when given; an empty string counts as given. */
export function choice(out: Out, path: string, value: Text, choices: readonly string[]): void {
  if (isSet(value) && !choices.includes(value)) out.push(field.notSupported(path, value, choices));
}

/** One of the choices; absent fails too, shown as an empty string. */
export function strictChoice(out: Out, path: string, value: Text, choices: readonly string[]): void {
  if (!choices.includes(value ?? '')) out.push(field.notSupported(path, value ?? '', choices));
}

export function nonNegative(out: Out, path: string, value: Int64 | null | undefined): void {
  if (integer(value) < 0) out.push(field.invalid(path, value, nonNegativeDetail));
}

/** The named members of the object, each not negative. */
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

/** A map of labels that stands in a spec: keys and values, reported at the map's own path. */
export function labelMap(out: Out, path: string, map: Readonly<Record<string, string>> | null | undefined): void {
  if (!isSet(map)) return;
  checkEach(out, sortedEntries(map), (out, [name, value]) => {
    invalidEach(out, path, name, isQualifiedName(name));
    invalidEach(out, path, value, isValidLabelValue(value));
  });
}

/** Runs a check and answers with what it found, up to a bound. */
export const collect: (check: (out: Out) => void) => FieldError[] = field.collect;

/** Checks the members of a list or a map, in steps where there are many. */
export const checkEach: <T>(out: Out, items: readonly T[], check: field.MemberCheck<T>) => void = field.checkEach;
/** Runs a check after all lists before it. */
export const checkAfterwards: (out: Out, check: (out: Out) => void) => void = field.checkAfterwards;
