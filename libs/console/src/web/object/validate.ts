import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type YAMLMap } from 'yaml';
import { resolve, typeName, type OpenApiDocument, type Schema } from '../api/openapi.ts';

/** Something that is wrong with a text. */
export interface Finding {
  /** From 1. */
  readonly line: number;
  /** `spec.replicas`; empty for the syntax. */
  readonly path: string;
  readonly message: string;
}

/** A page cannot show more; the first ones matter. */
const maxFindings = 50;

/** Problems of YAML, and where it does not fit the schema. The server has the last word: rules and admission are not in a schema. */
export function validateYaml(text: string, document?: OpenApiDocument, schema?: Schema): readonly Finding[] {
  const counter = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: counter, version: '1.1', merge: true });
  const findings: Finding[] = parsed.errors.map(({ pos: [at], message }) => ({
    line: counter.linePos(at).line,
    path: '',
    message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '',
  }));
  if (findings.length > 0 || document === undefined || schema === undefined) return findings.slice(0, maxFindings);
  if (!isMap(parsed.contents)) return [{ line: 1, path: '', message: 'an object is expected' }];
  new Checker(document, counter, findings).check(parsed.contents, schema, '');
  return findings.sort((a, b) => a.line - b.line);
}

class Checker {
  readonly #document: OpenApiDocument;
  readonly #counter: LineCounter;
  readonly #findings: Finding[];

  constructor(document: OpenApiDocument, counter: LineCounter, findings: Finding[]) {
    this.#document = document;
    this.#counter = counter;
    this.#findings = findings;
  }

  check(node: Node, given: Schema, path: string): void {
    if (this.#findings.length >= maxFindings || isAlias(node)) return;
    const schema = resolve(this.#document, given);
    if (isScalar(node) && node.value === null) return;
    if (isMap(node)) this.#checkMap(node, schema, path);
    else if (isSeq(node)) this.#checkSeq(node, schema, path);
    else if (isScalar(node)) this.#checkScalar(node.value, schema, path, node);
  }

  #checkMap(node: YAMLMap, schema: Schema, path: string): void {
    if (this.#isOther(schema, 'object', node, path)) return;
    const { properties, additionalProperties, required = [] } = schema;
    const names = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      names.add(name);
      const below = path === '' ? name : `${path}.${name}`;
      const known = properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
      if (known !== undefined) this.check(value as Node, known, below);
      else if (!isOpen(schema)) this.#add(key as Node, below, 'the field is not known');
    }
    for (const name of required)
      if (!names.has(name)) this.#add(node, path === '' ? name : `${path}.${name}`, 'the field is required');
  }

  #checkSeq(node: { readonly items: readonly unknown[] } & Node, schema: Schema, path: string): void {
    if (this.#isOther(schema, 'array', node, path)) return;
    const { items } = schema;
    if (items !== undefined) node.items.forEach((item, i) => this.check(item as Node, items, `${path}[${i}]`));
  }

  #checkScalar(value: unknown, schema: Schema, path: string, node: Node): void {
    const { type, enum: allowed, minimum, maximum, pattern } = schema;
    if (schema['x-kubernetes-int-or-string'] === true || schema.oneOf !== undefined || type === undefined) return;
    if (!fits(value, type, schema.format)) {
      this.#add(node, path, `${typeName(this.#document, schema)} is expected, not ${JSON.stringify(value)}`);
      return;
    }
    if (allowed !== undefined && !allowed.includes(value))
      this.#add(node, path, `one of ${allowed.join(', ')} is expected`);
    if (typeof value === 'number' && minimum !== undefined && value < minimum)
      this.#add(node, path, `at least ${minimum}`);
    if (typeof value === 'number' && maximum !== undefined && value > maximum)
      this.#add(node, path, `at most ${maximum}`);
    if (typeof value === 'string' && pattern !== undefined && !matches(pattern, value))
      this.#add(node, path, `does not match ${pattern}`);
  }

  /** Whether a map or a list stands where the schema has another type. */
  #isOther(schema: Schema, is: 'object' | 'array', node: Node, path: string): boolean {
    const { type } = schema;
    if (type === undefined || type === is) return false;
    this.#add(
      node,
      path,
      `${typeName(this.#document, schema)} is expected, not ${is === 'array' ? 'a list' : 'an object'}`,
    );
    return true;
  }

  #add(node: Node, path: string, message: string): void {
    if (this.#findings.length >= maxFindings) return;
    const at = node.range?.[0] ?? 0;
    this.#findings.push({ line: this.#counter.linePos(at).line, path, message });
  }
}

/** Whether fields may have names that the schema does not list. */
const isOpen = (schema: Schema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema['x-kubernetes-embedded-resource'] === true ||
  schema.additionalProperties === true ||
  schema.properties === undefined;

function fits(value: unknown, type: string, format: string | undefined): boolean {
  if (format === 'int-or-string') return true;
  // YAML has dates and binary values, which the API reads as strings.
  if (type === 'string') return typeof value === 'string' || value instanceof Date || value instanceof Uint8Array;
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  if (type === 'boolean') return typeof value === 'boolean';
  return false;
}

/** Patterns are Go's. One that this browser cannot read is left to the server. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}
