import {
  elementsBefore,
  isEmpty,
  leaf,
  memberMark,
  recursiveDifference,
  setOf,
  union,
  type FieldSet,
  type FieldSetBuilder,
} from './field-set.ts';
import type { MapSchema, MergeSchema } from './merge-schema.ts';
import type { PathElement } from './path-element.ts';

function schemaBelow(schema: MergeSchema | undefined, element: PathElement): MergeSchema | undefined {
  if (!element.startsWith('f:')) return schema?.list?.element;
  return schema?.map?.fields.get(element.slice(2))?.schema ?? schema?.map?.element;
}

/** The set in which every declared field on the path to a member is a member too. Keys of maps are not added. */
export function ensureNamedFieldsAreMembers(set: FieldSet, schema: MergeSchema | undefined): FieldSet {
  let out: FieldSetBuilder | undefined;
  for (const element in set) {
    const node = set[element] ?? leaf;
    const named = element === memberMark || isEmpty(node) ? node : withNamedMembers(element, node, schema);
    if (named !== node) out ??= elementsBefore(set, element);
    if (out !== undefined) out[element] = named;
  }
  return out ?? set;
}

function withNamedMembers(element: PathElement, node: FieldSet, schema: MergeSchema | undefined): FieldSet {
  const below = ensureNamedFieldsAreMembers(node, schemaBelow(schema, element));
  const isNamed = element.startsWith('f:') && schema?.map?.fields.has(element.slice(2)) === true;
  // The result is not empty, because the node was not.
  return isNamed && below[memberMark] === undefined ? { [memberMark]: leaf, ...below } : below;
}

/**
 * Adapts a set to a schema that may have changed since the set was written: a map or list that has become atomic is owned as a whole. Undefined when
 * nothing changes.
 */
export function reconcileWithSchema(set: FieldSet, schema: MergeSchema): FieldSet | undefined {
  const paths: PathElement[][] = [];
  collectBecomeAtomic(set, schema, [], paths);
  if (paths.length === 0) return undefined;
  const atomic = setOf(paths);
  return union(recursiveDifference(set, atomic), atomic);
}

/** `path` is the path of `node`; it is modified during the call and restored at the end. */
function collectBecomeAtomic(node: FieldSet, schema: MergeSchema, path: PathElement[], paths: PathElement[][]): void {
  if (isEmpty(node)) return;
  if (schema.map !== undefined) {
    if (schema.map.deduced) return;
    if (schema.map.atomic) {
      if (path.length > 0) paths.push([...path]);
      return;
    }
    collectBelow(node, (element) => schemaOfKey(schema.map, element), path, paths);
  } else if (schema.scalar === undefined && schema.list !== undefined) {
    if (schema.list.atomic) paths.push([...path]);
    else collectBelow(node, () => schema.list?.element, path, paths);
  }
}

const schemaOfKey = (map: MapSchema | undefined, element: PathElement): MergeSchema | undefined =>
  (element.startsWith('f:') ? map?.fields.get(element.slice(2))?.schema : undefined) ?? map?.element;

function collectBelow(
  node: FieldSet,
  schemaOf: (element: PathElement) => MergeSchema | undefined,
  path: PathElement[],
  paths: PathElement[][],
): void {
  for (const element in node) {
    const child = node[element];
    if (element === memberMark || child === undefined || isEmpty(child)) continue;
    const schema = schemaOf(element);
    if (schema === undefined) continue;
    path.push(element);
    collectBecomeAtomic(child, schema, path, paths);
    path.pop();
  }
}
