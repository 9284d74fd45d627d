import { isRecord, list, record } from '@apichain/meta';

/** Schemas may be nested this deep. */
const maxDepth = 100;

/** What the module of the types may import. */
export const importable = ['KindReference', 'KubeObject', 'ObjectMeta'] as const;

/** What types of a module refer to. */
export interface TypeScope {
  /** Returns the type for a reference of OpenAPI, `#/components/schemas/NAME`. */
  resolve(name: string): string;
  /** Returns the name of a type that the module imports. */
  use(name: (typeof importable)[number]): string;
}

/** A comment for a description. Nothing in it can end the comment. */
export function jsDoc(description: unknown, indent: string): string {
  if (typeof description !== 'string' || description.trim() === '') return '';
  const lines = description
    .trim()
    .replaceAll('*/', '*\\/')
    // Other control characters would only hide in an editor.
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** The name of a member as TypeScript writes it. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name));

/** A text as a literal, in which no line terminator and no invisible character remains. */
export const stringLiteral = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escapeUnit)}'`;

const escapeUnit = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join(
    '',
  );

/** Whether a schema describes members of its own. */
export const hasProperties = (schema: unknown): boolean => Object.keys(record(record(schema)['properties'])).length > 0;

/**
 * The TypeScript type of a schema, whose lines are indented. Throws Error for one that is nested too deep. Source:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function typeOf(schema: unknown, scope: TypeScope, indent = '', depth = 0): string {
  if (depth > maxDepth) throw new Error(`a schema is nested deeper than ${maxDepth} levels`);
  const fields = record(schema);
  const type = withoutNull(fields, scope, indent, depth);
  return fields['nullable'] === true && type !== 'unknown' ? `${type} | null` : type;
}

function withoutNull(schema: Fields, scope: TypeScope, indent: string, depth: number): string {
  const reference = referenceIn(schema);
  if (reference !== undefined) return scope.resolve(reference);
  if (schema['x-kubernetes-int-or-string'] === true || schema['format'] === 'int-or-string') return 'number | string';
  const values = list(schema['enum']);
  if (values.length > 0) return unionOf(values.map(literalOf));
  switch (schema['type']) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return listOf(schema['items'], typeOf(schema['items'], scope, indent, depth + 1));
    case 'object':
      return objectType(schema, scope, indent, depth);
    default:
      if (hasProperties(schema) || schema['x-kubernetes-embedded-resource'] === true)
        return objectType(schema, scope, indent, depth);
      return unionOf(list(schema['oneOf']).map((one) => typeOf(one, scope, indent, depth + 1)));
  }
}

type Fields = Readonly<Record<string, unknown>>;

const referencePrefix = '#/components/schemas/';

/** OpenAPI wraps a reference that has a description or a default into an allOf. */
function referenceIn(schema: Fields): string | undefined {
  const allOf = list(schema['allOf']);
  const { $ref } = allOf.length === 1 && schema['type'] === undefined ? record(allOf[0]) : schema;
  return typeof $ref === 'string' && $ref.startsWith(referencePrefix) ? $ref.slice(referencePrefix.length) : undefined;
}

const unionOf = (types: readonly string[]): string =>
  types.length === 0 ? 'unknown' : [...new Set(types)].join(' | ');
/** Whatever may be a union is in parentheses. */
function listOf(items: unknown, element: string): string {
  const isObject = record(items)['type'] === 'object' && record(items)['nullable'] !== true;
  return isObject || /^[\w$]+(\[\])*$/.test(element) ? `${element}[]` : `(${element})[]`;
}

function literalOf(value: unknown): string {
  if (typeof value === 'string') return stringLiteral(value);
  return ['number', 'bigint', 'boolean'].includes(typeof value) || value === null ? String(value) : 'unknown';
}

function objectType(schema: Fields, scope: TypeScope, indent: string, depth: number): string {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (isEmbedded && !hasProperties(schema)) return scope.use('KubeObject');
  const { additionalProperties } = schema;
  const properties = Object.entries(record(schema['properties']));
  const required = new Set(list(schema['required']));
  const inner = `${indent}  `;
  const members = properties
    .filter(([name]) => !(isEmbedded && identity.has(name)))
    .map(([name, property]) => {
      const mark = required.has(name) ? '' : '?';
      const type = typeOf(property, scope, inner, depth + 1);
      return `${jsDoc(record(property)['description'], inner)}${inner}${memberName(name)}${mark}: ${type};\n`;
    });
  if (isEmbedded) members.unshift(...identityMembers(scope, inner));
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  if (isRecord(additionalProperties) && members.length === 0)
    return `{ [key: string]: ${typeOf(additionalProperties, scope, indent, depth + 1)} }`;
  if (members.length === 0) return '{ [key: string]: unknown }';
  if (isOpen || isRecord(additionalProperties)) members.push(`${inner}[key: string]: unknown;\n`);
  return `{\n${members.join('')}${indent}}`;
}

const identity: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const identityMembers = (scope: TypeScope, indent: string): string[] => [
  `${indent}apiVersion: string;\n`,
  `${indent}kind: string;\n`,
  `${indent}metadata: ${scope.use('ObjectMeta')};\n`,
];

/** The type of the objects of a kind. Its top-level members have the types that `typeOfMember` returns. */
export function kindType(
  schema: unknown,
  scope: TypeScope,
  typeOfMember: (name: string, member: unknown) => string,
): string {
  const fields = record(schema);
  const required = new Set(list(fields['required']));
  const members = Object.entries(record(fields['properties']))
    .filter(([name]) => !identity.has(name))
    .map(([name, member]) => {
      const description = jsDoc(record(member)['description'], '  ');
      return `${description}  ${memberName(name)}${required.has(name) ? '' : '?'}: ${typeOfMember(name, member)};\n`;
    });
  const isOpen = fields['x-kubernetes-preserve-unknown-fields'] === true;
  return `{\n${[...identityMembers(scope, '  '), ...members].join('')}${isOpen ? '  [key: string]: unknown;\n' : ''}}`;
}
