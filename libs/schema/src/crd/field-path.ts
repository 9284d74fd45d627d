import { properties, property, valuesSchema, type JsonSchemaProps } from '../json-schema-props.ts';

export interface ResolvedPath {
  /** The path as field names, e.g. `spec.a` or `spec[a.b]`. */
  readonly path: string;
  readonly root: string;
  readonly schema: JsonSchemaProps;
}

/**
 * Follows a JSONPath of field names (`.a.b['c.d']`) through a schema. Throws Error saying where it leaves the schema or the
 * grammar. Array notation names fields with odd characters; there is no way to point into a list.
 */
export function resolveFieldPath(
  jsonPath: string,
  schema: JsonSchemaProps,
  options: { readonly arrayNotation: boolean },
): ResolvedPath {
  const tokens = tokenize(jsonPath);
  let current = { path: '', root: '', schema };
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i];
    if (token === '[') {
      if (!options.arrayNotation) throw new Error('array notation is not allowed');
      current = step(current, quotedName(tokens[i + 1]));
      const end = tokens[i + 2];
      if (end === undefined) throw new Error('unexpected end of JSON path');
      if (end !== ']') throw new Error(`expected ] but got ${end}`);
      i += 3;
    } else if (token === '.') {
      const name = tokens[i + 1];
      if (name === undefined) throw new Error('unexpected end of JSON path');
      current = step(current, name);
      i += 2;
    } else {
      throw new Error(`expected [ or . but got: ${token ?? ''}`);
    }
  }
  return current;
}

const tokenize = (jsonPath: string): string[] => jsonPath.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g) ?? [];

function quotedName(token: string | undefined): string {
  if (token === undefined) throw new Error('unexpected end of JSON path');
  if (!/^'.*'$/s.test(token)) throw new Error(`expected single quoted string but got ${token}`);
  return token.slice(1, -1).replaceAll(/\\(.)/gs, (escape, letter: string) => {
    const character = escapes[letter];
    if (character === undefined) throw new Error(`invalid string literal: invalid escape char ${escape}`);
    return character;
  });
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ "'": "'", '\\': '\\' },
};

function step(at: ResolvedPath, name: string): ResolvedPath {
  const named = properties(at.schema).length > 0;
  const next = named ? property(at.schema, name) : anyValue(at.schema);
  if (next === undefined) throw new Error('does not refer to a valid field');
  const path = named ? (at.path === '' ? name : `${at.path}.${name}`) : `${at.path}[${name}]`;
  return { path, root: at.root === '' ? name : at.root, schema: next };
}

/** What the values of a map are; a boolean describes nothing, but keys may be named. */
const anyValue = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  typeof schema.additionalProperties === 'boolean' ? {} : valuesSchema(schema);
