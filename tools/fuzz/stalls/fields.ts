import { builtinGroupVersions, builtinType, type BuiltinResource } from '@apichain/kinds';
import type { Field, Type } from '@apichain/scheme';

/** A field somewhere in the objects of a resource. */
export interface Place {
  readonly resource: BuiltinResource;
  /** Names of fields; `*` stands for an item of a list or a value of a map. */
  readonly path: readonly string[];
  readonly type: Type;
}

const maxDepth = 16;
/** As many places of one declared field as are told apart: a PodSpec is in many kinds. */
const maxPlaces = 4;

const grows = ({ kind }: Type): boolean =>
  kind !== 'object' && kind !== 'boolean' && kind !== 'integer' && kind !== 'number';

/** Every resource that has objects of its own, in every version that is served by default. */
export const objectResources: readonly BuiltinResource[] = builtinGroupVersions
  .filter(({ enabledByDefault }) => enabledByDefault)
  .flatMap(({ resources }) => resources)
  .filter(({ verbs }) => verbs.includes('create'));

/** The places of each declared field that can be made large, by the type that declares it and its name. */
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

/** With the merge key of patches as its key where the table names no other. */
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
