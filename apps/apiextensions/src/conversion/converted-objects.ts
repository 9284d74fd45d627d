import {
  deepClone,
  formatGroupVersion,
  isQualifiedName,
  isValidLabelValue,
  parseGroupVersion,
  type KubeObject,
} from '@apichain/meta';

type Plain = Record<string, unknown>;
const isRecord = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A converted object, or what is wrong with it; `what` names the part for the client. */
export type Checked = { readonly object: KubeObject } | { readonly what: string; readonly error: string };

const invalid = (error: string): Checked => ({ what: 'converted object', error });
const invalidMetadata = (error: string): Checked => ({ what: 'metadata in object', error });

/**
 * What a webhook has made of an object: it must be the same object, and only labels and annotations of its metadata are taken over.
 * After validateConvertedObject and restoreObjectMeta of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion.
 */
export function checkedObject(original: KubeObject, converted: unknown, apiVersion: string): Checked {
  if (!isRecord(converted)) return invalid("Object 'Kind' is missing in 'null'");
  if (converted.apiVersion !== apiVersion)
    return invalid(
      `invalid groupVersion (expected ${apiVersion}, received ${formatGroupVersion(parseGroupVersion(text(converted.apiVersion)))})`,
    );
  const metadata = isRecord(converted.metadata) ? converted.metadata : {};
  const same = (name: string, before: unknown, after: unknown) =>
    text(before) === text(after) ? undefined : `must have the same ${name}: ${text(before)} != ${text(after)}`;
  const problem =
    same('kind', original.kind, converted.kind) ??
    same('name', original.metadata.name, metadata.name) ??
    same('namespace', original.metadata.namespace, metadata.namespace) ??
    same('UID', original.metadata.uid, metadata.uid);
  if (problem !== undefined) return invalid(problem);
  if (converted.metadata === undefined) return invalidMetadata('missing metadata in converted object');
  return restored(original, converted, metadata);
}

function restored(original: KubeObject, converted: Plain, metadata: Plain): Checked {
  const kept = deepClone(original.metadata);
  for (const name of ['labels', 'annotations'] as const) {
    const given = metadata[name];
    delete kept[name];
    if (given === undefined || given === null) continue;
    const problem = isRecord(given) ? mapProblem(name, given) : `metadata.${name} must be an object`;
    if (problem !== undefined) return invalidMetadata(problem);
    kept[name] = given as Record<string, string>;
  }
  return {
    object: { ...converted, apiVersion: text(converted.apiVersion), kind: text(converted.kind), metadata: kept },
  };
}

function mapProblem(name: 'labels' | 'annotations', given: Plain): string | undefined {
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string')
      return `invalid value for metadata.${name}.${key}: expected string, got ${Array.isArray(value) ? 'array' : typeof value}`;
    const problems = [...isQualifiedName(key), ...(name === 'labels' ? isValidLabelValue(value) : [])];
    if (problems.length > 0) return `metadata.${name}: Invalid value: "${key}": ${problems.join('; ')}`;
  }
  return undefined;
}
