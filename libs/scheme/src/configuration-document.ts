import { formatGroupVersion, parseGroupVersion, parseYamlStrict, YamlError } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { decodeObject, DecodeError } from './decode.ts';
import type { Field, Type } from './type.ts';

/** A kind of configuration file. */
export interface ConfigurationKind {
  readonly kind: string;
  /** The types of its versions, by apiVersion. */
  readonly versions: ReadonlyMap<string, Type>;
  /** The name of the scheme in kube-apiserver that decodes it. */
  readonly scheme: string;
  /** Other kinds of the scheme, in the same versions. */
  readonly siblings?: readonly string[];
  /** The error message for a document of such a kind, up to its Go type. */
  readonly siblingProblem?: string;
  /** Whether unknown and repeated fields are ignored. */
  readonly lenient?: true;
}

const member = (value: unknown, name: 'kind' | 'apiVersion'): string => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
  const given = (value as Record<string, unknown>)[name];
  return typeof given === 'string' ? given : '';
};

function typeOf(value: unknown, source: string, wanted: ConfigurationKind): Type {
  const { kind, versions, scheme, siblings = [], siblingProblem = `expected ${kind}, got ` } = wanted;
  const stated = member(value, 'kind');
  if (stated === '') throw new Error(`Object 'Kind' is missing in '${source}'`);
  if (member(value, 'apiVersion') === '') throw new Error(`Object 'apiVersion' is missing in '${source}'`);
  const version = formatGroupVersion(parseGroupVersion(member(value, 'apiVersion')));
  const type = versions.get(version);
  if (type !== undefined && stated === kind) return type;
  if (type !== undefined && siblings.includes(stated)) throw new Error(`${siblingProblem}*apiserver.${stated}`);
  throw new Error(
    `no kind ${goQuote(stated)} is registered for version ${goQuote(version)} in scheme ${goQuote(scheme)}`,
  );
}

/** The members in the order in which Go decodes them: YAML is converted to JSON with sorted members first, JSON keeps its order. */
const inGoOrder = (value: unknown, source: string): unknown => (/^\s*\{/.test(source) ? value : withSortedKeys(value));

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, withSortedKeys(child)]));
}

/**
 * Reads a configuration file, YAML or JSON. Unknown and repeated fields are errors unless the kind is lenient. Absent lists become null.
 * Throws Error with the message of kube-apiserver.
 */
export function decodeConfiguration(bytes: Buffer | string, kind: ConfigurationKind): Record<string, unknown> {
  try {
    const { value, duplicateFields } = parseYamlStrict(bytes);
    const type = typeOf(value, bytes.toString(), kind);
    const { object, unknownFields } = decodeObject(inGoOrder(value, bytes.toString()), type, { keepEmpty: true });
    const duplicates = duplicateFields.map((line) => `\n  ${line}`).join('');
    const problems = [
      ...(duplicates === '' ? [] : [`yaml: unmarshal errors:${duplicates}`]),
      ...unknownFields.map((path) => `unknown field ${goQuote(path)}`),
    ];
    if (problems.length > 0 && kind.lenient !== true) throw new Error(`strict decoding error: ${problems.join(', ')}`);
    return object;
  } catch (error) {
    if (error instanceof YamlError || error instanceof DecodeError) throw new Error(error.message, { cause: error });
    throw error;
  }
}

/** A struct type of a configuration file; `name` appears in errors. */
export function configurationStruct(name: string, members: Readonly<Record<string, Type | Omit<Field, 'name'>>>): Type {
  const fields = Object.entries(members).map(([field, type]): Field =>
    'kind' in type ? { name: field, type } : { name: field, ...type },
  );
  return { kind: 'object', name, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

/** The struct type of a kind, with `kind` and `apiVersion`. */
export const configurationRoot = (
  name: string,
  members: Readonly<Record<string, Type | Omit<Field, 'name'>>>,
): Type => {
  const text = { type: { kind: 'string' }, omitempty: true } as const;
  return configurationStruct(name, { kind: text, apiVersion: text, ...members });
};

/** A member that may be absent, which differs from an empty one. */
export const optionalMember = (type: Type): Omit<Field, 'name'> => ({ type, pointer: true, omitempty: true });
