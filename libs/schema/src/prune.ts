import { compareText, isRecord } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes from `object`, in place, the fields that its type does not declare. Returns their dotted paths, sorted bytewise. With
 * `isResourceRoot` the object is an API object even if its schema does not declare that: apiVersion, kind and metadata are kept.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
 */
export function prune(object: unknown, type: Type | undefined, isResourceRoot: boolean): string[] {
  const unknown: string[] = [];
  const root: Type | undefined = isResourceRoot ? { ...(type ?? { kind: 'object' }), embeddedResource: true } : type;
  visit(object, root, undefined, unknown);
  return unknown.sort(compareText);
}

/** `path` is undefined at the root, because a key may be empty. */
function visit(value: unknown, type: Type | undefined, path: string | undefined, unknown: string[]): void {
  if (Array.isArray(value)) {
    const items = type?.items;
    const preserved = type?.preserveUnknownFields === true;
    for (const [i, item] of value.entries()) {
      if (preserved && items === undefined) continue;
      visit(item, preserved ? preserving(items) : items, `${path ?? ''}[${i}]`, unknown);
    }
  } else if (isRecord(value)) {
    visitObject(value, type, path, unknown);
  }
}

/** Lists directly below a node that preserves unknown fields preserve them too. */
const preserving = (type: Type | undefined): Type | undefined =>
  type === undefined || type.preserveUnknownFields ? type : { ...type, preserveUnknownFields: true };

function visitObject(
  object: Record<string, unknown>,
  type: Type | undefined,
  path: string | undefined,
  unknown: string[],
): void {
  for (const key of Object.keys(object)) {
    if (type?.embeddedResource && metaFields.has(key)) continue;
    const at = path === undefined ? key : `${path}.${key}`;
    const declared = type?.byName?.get(key);
    if (declared !== undefined) visit(object[key], declared.type, at, unknown);
    else if (type?.values !== undefined) visit(object[key], described(type.values), at, unknown);
    else if (!type?.preserveUnknownFields) {
      if (path !== undefined || !metaFields.has(key)) unknown.push(at);
      delete object[key];
    }
  }
}

/** `additionalProperties: true` describes no values: all members of maps below it are removed. */
const described = (type: Type): Type | undefined =>
  type.kind === 'json' && !type.preserveUnknownFields && type.byName === undefined ? undefined : type;
