import { pause, stringifyJson, stringifyYaml, YamlError } from '@apichain/meta';

/*
 * Conversion of parts of a JSON document to fields of a message. Absent parts stay absent. Generated code writes the fields in the order of
 * their numbers and omits empty ones, as Go does.
 */

export type Json = Readonly<Record<string, unknown>>;

/** The members of an object; none for other values. */
export const members = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** The converted value if it is present. */
export const given = <T>(value: unknown, convert: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : convert(value);
/** Converts each item of a list, or a single value that stands for a list. */
export const each = <T>(value: unknown, convert: (value: unknown) => T): T[] | undefined =>
  given(value, (present) => (Array.isArray(present) ? present : [present]).map(convert));

export const text = (value: unknown): string | undefined => given(value, String);
export const texts = (value: unknown): string[] | undefined => each(value, String);
const float = (value: unknown): number | undefined => given(value, Number);
/** An int64 in decimal digits. */
const integer = (value: unknown): string | undefined =>
  given(value, (present) => BigInt.asIntN(64, BigInt(Math.trunc(Number(present)))).toString());
export const flag = (value: unknown): boolean => value === true;

/** gnostic's Any contains YAML text, in block style. */
export const any = (value: unknown): { yaml: string } => ({ yaml: yamlOf(value) });

/** Documents have thousands of extensions with few different values, such as `list`. The texts are kept by the JSON of the value. */
const known = new Map<string, string>();
const maxKnown = 2000;
const longestKnown = 200;

function yamlOf(value: unknown): string {
  const json = stringifyJson(value);
  const made = known.get(json) ?? makeYaml(value, json);
  if (known.size < maxKnown && json.length <= longestKnown) known.set(json, made);
  return made;
}

function makeYaml(value: unknown, json: string): string {
  try {
    return stringifyYaml(value);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // YAML does not allow a character of the text. JSON is YAML too, and escapes it.
    return `${json}\n`;
  }
}

/** A map in gnostic's form: a list of names and values, in the order of the document. */
export const named = <T>(value: unknown, convert: (value: unknown) => T): Named<T>[] =>
  Object.entries(members(value)).flatMap(([name, member]) =>
    member === undefined ? [] : [{ name, value: convert(member) }],
  );

interface Named<T> {
  readonly name: string;
  readonly value: T;
}

/** Encodes a map in the form of `named`, member by member. Between two of them other requests are served. */
export async function encodeNamed<T>(
  value: unknown,
  convert: (value: unknown) => T,
  encode: (member: Named<T>) => void,
): Promise<void> {
  for (const [name, member] of Object.entries(members(value))) {
    await pause();
    if (member !== undefined) encode({ name, value: convert(member) });
  }
}

const isExtension = (name: string): boolean => name.startsWith('x-');
const only = (json: Json, wanted: (name: string) => boolean): Json =>
  Object.fromEntries(Object.entries(json).filter(([name]) => wanted(name)));

/** The members of an object that are extensions of OpenAPI. */
export const extensions = (json: Json): { name: string; value: { yaml: string } }[] =>
  named(only(json, isExtension), any);
/** The members that are not extensions, of an object with arbitrary names: paths, status codes. */
export const withoutExtensions = (json: Json): Json => only(json, (name) => !isExtension(name));

/** The validation keywords that both versions share. */
export const bounds = (json: Json) => ({
  multipleOf: float(json.multipleOf),
  maximum: float(json.maximum),
  exclusiveMaximum: flag(json.exclusiveMaximum),
  minimum: float(json.minimum),
  exclusiveMinimum: flag(json.exclusiveMinimum),
  maxLength: integer(json.maxLength),
  minLength: integer(json.minLength),
  pattern: text(json.pattern),
  maxItems: integer(json.maxItems),
  minItems: integer(json.minItems),
  uniqueItems: flag(json.uniqueItems),
  maxProperties: integer(json.maxProperties),
  minProperties: integer(json.minProperties),
  required: texts(json.required),
  enum: each(json.enum, any),
});

/** The texts of an operation that both versions share. */
export const operationWords = (json: Json) => ({
  tags: texts(json.tags),
  summary: text(json.summary),
  description: text(json.description),
  operationId: text(json.operationId),
  deprecated: flag(json.deprecated),
});

/** The operations of a path, by method. */
export const byMethod = <T>(json: Json, operation: (value: unknown) => T) => ({
  get: given(json.get, operation),
  put: given(json.put, operation),
  post: given(json.post, operation),
  delete: given(json.delete, operation),
  options: given(json.options, operation),
  head: given(json.head, operation),
  patch: given(json.patch, operation),
});
