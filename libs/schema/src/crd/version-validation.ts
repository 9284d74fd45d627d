import { field, type FieldError } from '@apichain/meta';
import type { JsonSchemaProps } from '../json-schema-props.ts';
import type { CrdPrinterColumn, CrdSubresources, CrdVersion } from './crd-types.ts';
import { resolveFieldPath, type ResolvedPath } from './field-path.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const maxSelectableFields = 8;

export function validateDeprecationWarning(version: CrdVersion, path: string): FieldError[] {
  const text = version.deprecationWarning;
  if (text === undefined || text === null) return [];
  const invalid = (detail: string) => field.invalid(field.child(path, 'deprecationWarning'), text, detail);
  if (!version.deprecated) return [invalid('can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > 256) errors.push(invalid('must be <= 256 characters long'));
  if (text === '') errors.push(invalid('must not be an empty string'));
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  if (unprintable !== null) {
    const at = Buffer.byteLength(text.slice(0, unprintable.index));
    errors.push(invalid(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`));
  }
  return errors;
}

export function validateSubresources(subresources: CrdSubresources | undefined | null, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined || scale === null) return [];
  const at = (name: string) => field.child(path, `scale.${name}`);
  return [
    ...replicasPathErrors(scale.specReplicasPath, at('specReplicasPath'), '.spec'),
    ...replicasPathErrors(scale.statusReplicasPath, at('statusReplicasPath'), '.status'),
    ...selectorPathErrors(scale.labelSelectorPath, at('labelSelectorPath')),
  ];
}

function replicasPathErrors(jsonPath: string | undefined, path: string, parent: string): FieldError[] {
  if (!jsonPath) return [field.required(path)];
  const errors = simplePathErrors(jsonPath, path);
  if (errors.length > 0 || jsonPath.startsWith(`${parent}.`)) return errors;
  return [field.invalid(path, jsonPath, `should be a json path under ${parent}`)];
}

function selectorPathErrors(jsonPath: string | undefined, path: string): FieldError[] {
  if (!jsonPath) return [];
  const errors = simplePathErrors(jsonPath, path);
  if (errors.length > 0 || jsonPath.startsWith('.spec.') || jsonPath.startsWith('.status.')) return errors;
  return [field.invalid(path, jsonPath, 'should be a json path under either .spec or .status')];
}

const simplePathErrors = (jsonPath: string, path: string): FieldError[] =>
  jsonPath.startsWith('.') ? [] : [field.invalid(path, jsonPath, 'must be a simple json path starting with .')];

export function validateColumns(
  errors: FieldError[],
  columns: readonly CrdPrinterColumn[] | undefined | null,
  path: string,
): void {
  for (const [i, column] of (columns ?? []).entries()) {
    errors.push(...columnErrors(column, field.index(path, i)));
  }
}

function columnErrors(column: CrdPrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!column.name) errors.push(field.required(field.child(path, 'name')));
  const oneOf = `must be one of ${columnTypes.join(',')}`;
  if (!column.type) errors.push(field.required(field.child(path, 'type'), oneOf));
  else if (!columnTypes.includes(column.type))
    errors.push(field.invalid(field.child(path, 'type'), column.type, oneOf));
  if (column.format && !columnFormats.includes(column.format))
    errors.push(field.invalid(field.child(path, 'format'), column.format, `must be one of ${columnFormats.join(',')}`));
  const at = field.child(path, 'JSONPath');
  return [...errors, ...(column.jsonPath ? simplePathErrors(column.jsonPath, at) : [field.required(at)])];
}

export function validateSelectableFields(
  errors: FieldError[],
  fields: readonly { jsonPath?: string }[],
  schema: JsonSchemaProps,
  path: string,
  allowTooMany: boolean,
): void {
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = field.child(field.index(path, i), 'jsonPath');
    if (!jsonPath) {
      errors.push(field.required(at));
      continue;
    }
    const resolved = resolveFieldPath(jsonPath, schema, { arrayNotation: false });
    if ('problem' in resolved) errors.push(field.invalid(at, jsonPath, `is an invalid path: ${resolved.problem}`));
    else errors.push(...selectableErrors(resolved, jsonPath, at, seen));
  }
  if (seen.size > maxSelectableFields && !allowTooMany)
    errors.push(field.tooMany(path, seen.size, maxSelectableFields));
}

function selectableErrors(resolved: ResolvedPath, jsonPath: string, at: string, seen: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  if (resolved.root === 'metadata') errors.push(field.invalid(at, jsonPath, 'must not point to fields in metadata'));
  if (!['string', 'boolean', 'integer'].includes(resolved.schema.type ?? ''))
    errors.push(
      field.invalid(
        at,
        jsonPath,
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      ),
    );
  if (seen.has(resolved.path)) errors.push(field.duplicate(at, jsonPath));
  seen.add(resolved.path);
  return errors;
}
