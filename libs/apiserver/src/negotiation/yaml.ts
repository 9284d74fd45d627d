import { parseDocument, stringify } from 'yaml';
import type { JsonValue } from '@apichain/meta';

/** The first document as JSON. Throws an Error with the parser's text. */
export function parseYaml(body: Buffer): { value: JsonValue; duplicates: string[] } {
  const document = parseDocument(body.toString('utf8'), { version: '1.1', uniqueKeys: false, intAsBigInt: false });
  const [error] = document.errors;
  if (error !== undefined && error.code !== 'MULTIPLE_DOCS') throw new Error(`yaml: ${error.message}`);
  const value: unknown = document.toJS();
  return { value: (value ?? null) as JsonValue, duplicates: [] };
}

/** Keys sorted, as sigs.k8s.io/yaml writes. */
export function stringifyYaml(value: unknown): string {
  return stringify(value, { sortMapEntries: true, lineWidth: 80, version: '1.1' });
}
