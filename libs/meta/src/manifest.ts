import { errorMessage } from './error-message.ts';
import type { KubeObject } from './types.ts';
import { parseYaml } from './yaml.ts';

/**
 * The objects of a manifest, in YAML or JSON. Its documents are separated by lines that begin with `---`. Throws Error with the name of the source when it cannot be
 * parsed, or has something that is no Kubernetes object.
 */
export function objectsOfManifest(text: string, source: string): KubeObject[] {
  return documentsOf(text).flatMap((document) => objectsOfDocument(document, source));
}

/** The documents of a YAML or JSON text, which lines that begin with `---` separate. */
export const documentsOf = (text: string): string[] => text.split(/^---(?=\s|$)/m);

/** The objects of one document. Throws like `objectsOfManifest`. */
export const objectsOfDocument = (document: string, source: string): KubeObject[] =>
  objectsIn(parse(document, source), source);

function parse(document: string, source: string): unknown {
  try {
    return parseYaml(document);
  } catch (error) {
    throw new Error(`${source}: ${errorMessage(error)}`);
  }
}

/** A Kubernetes object, or those of a List. Throws Error with the name of the source for something else. */
export function objectsIn(value: unknown, source: string): KubeObject[] {
  if (value === null || value === undefined) return [];
  const object = value as Partial<KubeObject>;
  if (typeof object !== 'object' || typeof object.apiVersion !== 'string' || typeof object.kind !== 'string')
    throw new Error(`${source}: apiVersion and kind are required`);
  if (object.kind === 'List' && Array.isArray(object['items']))
    return object['items'].flatMap((item: unknown) => objectsIn(item, source));
  if (typeof object.metadata?.name !== 'string' || object.metadata.name === '')
    throw new Error(`${source}: ${object.kind} without metadata.name`);
  return [value as KubeObject];
}
