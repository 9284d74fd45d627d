import { goFormat, goSyntax, goValueType } from '@apichain/go-text';
import { ListItemError, listItemElement } from './list-items.ts';
import type { ListSchema, MapSchema, MergeSchema } from './merge-schema.ts';
import { fieldElement, formatPathElement } from './path-element.ts';
import { defaultShape, shapeOf } from './shape.ts';
import { isArray, isObject, isScalar, type PlainObject } from './values.ts';

/**
 * The schema errors of a value, as `.path: message`; empty when it is valid. Used to check applied configurations. The messages format values as Go
 * does, because clients expect kube-apiserver's messages.
 */
export function validate(schema: MergeSchema, value: unknown): string[] {
  const errors: string[] = [];
  validateValue(schema, value, atRoot, errors);
  return errors;
}

/** Part of the one error message that is ignored when a whole object is written. */
export const repeatedItem = 'duplicate entries for key ';

/** A single error is returned unchanged, several errors are formatted as a list. */
export const formatErrors = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');

/** The path of a value, computed only when there is an error. */
type Path = () => string;
const atRoot: Path = () => '';

/** The maximum number of errors: a response with all errors of a large configuration would be many times its size. */
const maxErrors = 1000;

function report(errors: string[], path: Path, message: string): void {
  if (errors.length >= maxErrors) return;
  const at = path();
  errors.push(at === '' ? message : `${at}: ${message}`);
}

function validateValue(schema: MergeSchema, value: unknown, path: Path, errors: string[]): void {
  const shape = shapeOf(schema, value) ?? defaultShape(schema);
  if (value === null || value === undefined) return;
  if (shape === 'map' && schema.map !== undefined) {
    if (isObject(value)) validateMap(schema.map, value, path, errors);
    else report(errors, path, `expected map, got ${formatPointer(value)}`);
  } else if (shape === 'list' && schema.list !== undefined) {
    if (isArray(value)) validateList(schema.list, value, path, errors);
    else report(errors, path, `expected list, got ${formatPointer(value)}`);
  } else {
    const message = scalarError(schema.scalar, value);
    if (message !== undefined) report(errors, path, message);
  }
}

function scalarError(scalar: MergeSchema['scalar'], value: unknown): string | undefined {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goValueType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${formatPointer(value)}`;
    default:
      return isScalar(value) ? undefined : `expected any scalar, got ${formatPointer(value)}`;
  }
}

function validateMap(map: MapSchema, object: PlainObject, path: Path, errors: string[]): void {
  for (const key of Object.keys(object)) {
    const schema = map.fields.get(key)?.schema ?? map.element;
    const childPath: Path = () => `${path()}${formatPathElement(fieldElement(key))}`;
    if (schema === undefined) {
      report(errors, childPath, 'field not declared in schema');
      return;
    }
    validateValue(schema, object[key], childPath, errors);
  }
}

function validateList(list: ListSchema, items: readonly unknown[], path: Path, errors: string[]): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const element = list.atomic ? `i:${i}` : identify(list, item, i, path, errors);
    if (element === undefined) return;
    if (seen.has(element)) report(errors, path, `${repeatedItem}${formatPathElement(element)}`);
    seen.add(element);
    const at: Path = () => `${path()}${formatPathElement(element)}`;
    validateValue(list.element, item, at, errors);
  }
}

function identify(list: ListSchema, item: unknown, i: number, path: Path, errors: string[]): string | undefined {
  try {
    return listItemElement(list, item, false);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    report(errors, path, `element ${i}: ${error.message}`);
    return undefined;
  }
}

const formatPointer = (value: unknown): string => `&{${goFormat(value)}}`;
