import {
  isRecord,
  deepClone,
  formatGroupVersion,
  parseGroupVersion,
  sortMembers,
  stringifyJson,
  text,
  validateAnnotations,
  validateLabels,
  type FieldError,
  type KubeObject,
  type Plain,
} from '@apichain/meta';
import { goValueType } from '@apichain/go-text';

/** A converted object, or the problem with it: the part of the response that is wrong, and the error text. */
export type Checked = { readonly object: KubeObject } | { readonly problem: Problem };

export interface Problem {
  readonly part: 'form' | 'type' | 'identity' | 'metadata';
  readonly error: string;
}

/** The rest of the message `conversion webhook for KIND ...`, for the object at `index` of the request. */
export function describeProblem({ part, error }: Problem, index: number, isAlone: boolean): string {
  if (!isAlone)
    return part === 'metadata'
      ? `returned invalid metadata in object at index ${index}: ${error}`
      : `returned invalid converted object at index ${index}: ${error}`;
  if (part === 'type') return `returned invalid object at index 0: ${error}`;
  return part === 'metadata' ? `returned invalid metadata: ${error}` : `returned invalid object: ${error}`;
}

/**
 * Checks an object that a webhook has converted: it must be the same object. Only the labels and annotations of its metadata are used. Its members
 * are sorted by name, as kube-apiserver reads it into a Go map.
 * After validateConvertedObject and restoreObjectMeta of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion.
 */
export function checkedObject(original: KubeObject, converted: unknown, apiVersion: string): Checked {
  const fail = (part: Problem['part'], error: string): Checked => ({ problem: { part, error } });
  if (!isRecord(converted)) return fail('form', notAnObject(converted));
  // When the apiVersion cannot be parsed, the kind counts as missing too.
  if (text(converted.kind) === '' || text(converted.apiVersion).split('/').length > 2)
    return fail('form', `Object 'Kind' is missing in '${stringifyJson(converted)}'`);
  if (converted.apiVersion !== apiVersion) {
    const received = formatGroupVersion(parseGroupVersion(text(converted.apiVersion)));
    return fail('type', `invalid groupVersion (expected ${apiVersion}, received ${received})`);
  }
  if (converted.kind !== original.kind)
    return fail('type', `invalid kind (expected ${original.kind}, received ${text(converted.kind)})`);
  const metadata = isRecord(converted.metadata) ? converted.metadata : {};
  const same = (name: string, before: unknown, after: unknown) =>
    text(before) === text(after) ? undefined : `must have the same ${name}: ${text(before)} != ${text(after)}`;
  const foreign =
    same('name', original.metadata.name, metadata.name) ??
    same('namespace', original.metadata.namespace, metadata.namespace) ??
    same('UID', original.metadata.uid, metadata.uid);
  if (foreign !== undefined) return fail('identity', foreign);
  return restored(original, converted, metadata);
}

function notAnObject(value: unknown): string {
  if (value === null || value === undefined) return 'unexpected end of JSON input';
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${kind === 'bigint' ? 'number' : kind} into Go value of type map[string]interface {}`;
}

function restored(original: KubeObject, converted: Plain, metadata: Plain): Checked {
  const kept = deepClone(original.metadata);
  for (const name of ['labels', 'annotations'] as const) {
    const given = metadata[name];
    if (given === undefined || given === null) {
      delete kept[name];
      continue;
    }
    const error = mapProblem(name, given, kept[name] ?? {});
    if (error !== undefined) return { problem: { part: 'metadata', error } };
    if (Object.keys(given).length === 0) delete kept[name];
    else kept[name] = given as Record<string, string>;
  }
  const apiVersion = text(converted.apiVersion);
  return {
    object: sortMembers({ ...converted, apiVersion, kind: text(converted.kind), metadata: kept }) as KubeObject,
  };
}

/** An unchanged map is not validated again. */
function mapProblem(name: 'labels' | 'annotations', given: unknown, before: Plain): string | undefined {
  if (!isRecord(given)) return `invalid metadata.${name} of type ${goValueType(given)} in converted object`;
  for (const [key, value] of Object.entries(given))
    if (typeof value !== 'string')
      return `metadata.${name}[${key}] must be a string, but is ${value === null ? '<nil>' : goValueType(value)} in converted object`;
  const keys = Object.keys(given);
  if (keys.length === Object.keys(before).length && keys.every((key) => given[key] === before[key])) return undefined;
  const texts = given as Record<string, string>;
  const errors =
    name === 'labels' ? validateLabels(texts, 'metadata.labels') : validateAnnotations(texts, 'metadata.annotation');
  return errors.length === 0 ? undefined : aggregated(errors);
}

function aggregated(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
