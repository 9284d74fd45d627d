import { hasProperties, property, valuesSchema, type JsonSchemaProps } from '../json-schema-props.ts';

export interface ResolvedPath {
  /** The path as field names, e.g. `spec.a` or `spec[a.b]`. */
  readonly path: string;
  readonly root: string;
  readonly schema: JsonSchemaProps;
}

/** Why a path is invalid. An Error would capture a stack trace, which costs more than following the path. */
export interface PathProblem {
  readonly problem: string;
}

const tooShort: PathProblem = { problem: 'unexpected end of JSON path' };

/**
 * Resolves a JSONPath of field names (`.a.b['c.d']`) in a schema. Returns the problem if the path is malformed or leaves the schema. Array
 * notation is for field names with special characters; it cannot index a list.
 */
export function resolveFieldPath(
  jsonPath: string,
  schema: JsonSchemaProps,
  options: { readonly arrayNotation: boolean },
): ResolvedPath | PathProblem {
  const tokens = tokenize(jsonPath);
  let current: ResolvedPath | PathProblem = { path: '', root: '', schema };
  for (let i = 0; i < tokens.length && !('problem' in current);) {
    const token = tokens[i];
    if (token === '[') {
      if (!options.arrayNotation) return { problem: 'array notation is not allowed' };
      const name = quotedName(tokens[i + 1]);
      if (typeof name !== 'string') return name;
      current = step(current, name);
      if ('problem' in current) return current;
      const end = tokens[i + 2];
      if (end === undefined) return tooShort;
      if (end !== ']') return { problem: `expected ] but got ${end}` };
      i += 3;
    } else if (token === '.') {
      const name = tokens[i + 1];
      if (name === undefined) return tooShort;
      current = step(current, name);
      i += 2;
    } else {
      return { problem: `expected [ or . but got: ${token ?? ''}` };
    }
  }
  return current;
}

const tokenize = (jsonPath: string): string[] => jsonPath.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g) ?? [];

function quotedName(token: string | undefined): string | PathProblem {
  if (token === undefined) return tooShort;
  if (!/^'.*'$/s.test(token)) return { problem: `expected single quoted string but got ${token}` };
  let unknown: string | undefined;
  const name = token.slice(1, -1).replaceAll(/\\(.)/gs, (escape, letter: string) => {
    const character = escapes[letter];
    if (character === undefined) unknown ??= escape;
    return character ?? '';
  });
  return unknown === undefined ? name : { problem: `invalid string literal: invalid escape char ${unknown}` };
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ "'": "'", '\\': '\\' },
};

function step(at: ResolvedPath, name: string): ResolvedPath | PathProblem {
  const declared = property(at.schema, name);
  const named = declared !== undefined || hasProperties(at.schema);
  const next = named ? declared : anyValue(at.schema);
  if (next === undefined) return { problem: 'does not refer to a valid field' };
  const path = named ? (at.path === '' ? name : `${at.path}.${name}`) : `${at.path}[${name}]`;
  return { path, root: at.root === '' ? name : at.root, schema: next };
}

/** The schema of a map's values. A boolean describes no values, but paths may contain keys of the map. */
const anyValue = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  typeof schema.additionalProperties === 'boolean' ? {} : valuesSchema(schema);
