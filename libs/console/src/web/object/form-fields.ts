import { isCollection, parseDocument } from 'yaml';
import { resolve, type OpenApiDocument, type Schema } from '../api/openapi.ts';
import { yamlFormat, yamlVersion } from './manifest.ts';

export type FieldPath = readonly (string | number)[];

/** How a field is edited. What a form cannot show is edited in the YAML. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'object' | 'list' | 'map' | 'other';

export function fieldKindOf(document: OpenApiDocument, given: Schema): FieldKind {
  const schema = resolve(document, given);
  if (schema.enum !== undefined) return 'choice';
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') return 'text';
  if (schema.type === 'string') return 'text';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'array') return schema.items === undefined ? 'other' : 'list';
  if (schema.properties !== undefined) return 'object';
  return typeof schema.additionalProperties === 'object' && isText(document, schema.additionalProperties)
    ? 'map'
    : 'other';
}

const isText = (document: OpenApiDocument, schema: Schema): boolean => fieldKindOf(document, schema) === 'text';

/** What a manifest has at a path; undefined when there is nothing. */
export function fieldValue(value: unknown, path: FieldPath): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Readonly<Record<string, unknown>>)[String(key)];
  }
  return current ?? undefined;
}

/** The manifest as plain data; undefined when it is not valid YAML. */
export function dataOf(text: string): unknown {
  const document = parseDocument(text, yamlVersion);
  return document.errors.length > 0 ? undefined : (document.toJS() as unknown);
}

/** The manifest with a value at a path, or without it when it is undefined. Everything else, with its comments, stays as it is. */
export function withField(text: string, path: FieldPath, value: unknown): string {
  const document = parseDocument(text, yamlVersion);
  if (value === undefined) {
    document.deleteIn(path);
    return document.toString(yamlFormat);
  }
  // What does not exist yet, or is null as in `spec:` without anything, is made with the value in it.
  let above = path.length - 1;
  while (above > 0 && !isCollection(document.getIn(path.slice(0, above), true))) above--;
  const made = path
    .slice(above + 1)
    .reduceRight((inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value);
  document.setIn(path.slice(0, above + 1), document.createNode(made));
  return document.toString(yamlFormat);
}

/** What a new item of a list begins with. */
export function emptyOf(document: OpenApiDocument, given: Schema): unknown {
  const schema = resolve(document, given);
  if (schema.default !== undefined) return schema.default;
  const kind = fieldKindOf(document, schema);
  if (kind === 'object' || kind === 'map' || kind === 'other') return {};
  if (kind === 'list') return [];
  if (kind === 'choice') return schema.enum?.[0];
  return kind === 'number' ? (schema.minimum ?? 0) : kind === 'boolean' ? false : '';
}
