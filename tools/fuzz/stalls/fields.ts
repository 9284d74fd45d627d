import { builtinGroupVersions, builtinType, type BuiltinResource } from '@apichain/kinds';
import type { Field, Type } from '@apichain/scheme';

/** The place of a field in the objects of a resource. */
export interface Place {
  readonly resource: BuiltinResource;
  /** Names of fields. `*` stands for an item of a list or a value of a map. */
  readonly path: readonly string[];
  readonly type: Type;
}

const maxDepth = 16;
/** The maximum number of places of one declared field: a PodSpec, for example, is part of many kinds. */
const maxPlaces = 4;

const grows = ({ kind }: Type): boolean =>
  kind !== 'object' && kind !== 'boolean' && kind !== 'integer' && kind !== 'number';

/** Every resource whose objects can be created, in every version that is enabled by default. */
export const objectResources: readonly BuiltinResource[] = builtinGroupVersions
  .filter(({ enabledByDefault }) => enabledByDefault)
  .flatMap(({ resources }) => resources)
  .filter(({ verbs }) => verbs.includes('create'));

/** The places of each field that can grow, grouped by the declaring type and field name. */
export function growingFields(resources: readonly BuiltinResource[] = objectResources): readonly (readonly Place[])[] {
  const places = new Map<string, Place[]>();
  for (const resource of resources) {
    const type = builtinType(resource.info.kind);
    if (type !== undefined) collect(resource, type, [], new Set(), places);
  }
  return [...places.values()];
}

function collect(
  resource: BuiltinResource,
  type: Type,
  path: readonly string[],
  above: ReadonlySet<string>,
  places: Map<string, Place[]>,
): void {
  if (path.length > maxDepth) return;
  const inner = type.items ?? (type.kind === 'object' ? undefined : type.values);
  if (inner !== undefined) collect(resource, inner, [...path, '*'], above, places);
  if (type.kind !== 'object' || (type.name !== undefined && above.has(type.name))) return;
  const within = type.name === undefined ? above : new Set([...above, type.name]);
  for (const field of type.fields ?? []) {
    const at = [...path, field.name];
    const declared = `${type.name ?? path.join('.')}.${field.name}`;
    if (grows(field.type)) remember(places, declared, { resource, path: at, type: typeOf(field) });
    const inner = field.type.items ?? field.type.values;
    if (inner !== undefined && grows(inner))
      remember(places, `${declared}.*`, { resource, path: [...at, '*'], type: inner });
    collect(resource, field.type, at, within, places);
  }
}

/** The type of a field. Uses the merge key of patches as the list key if the table has no other. */
function typeOf({ type, patchMergeKey }: Field): Type {
  return patchMergeKey === undefined || type.listMapKeys !== undefined
    ? type
    : { ...type, listMapKeys: [patchMergeKey] };
}

function remember(places: Map<string, Place[]>, key: string, place: Place): void {
  const known = places.get(key);
  if (known === undefined) places.set(key, [place]);
  else if (known.length < maxPlaces) known.push(place);
}
