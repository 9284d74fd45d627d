import { builtinType, builtinProtobuf, type BuiltinResource } from '@apichain/kinds';
import { formatGroupVersion, isContainer, stringifyYaml, type KubeObject } from '@apichain/meta';
import { encodeCbor, type Type } from '@apichain/scheme';
import { resources as knownObjects } from '../objects.ts';
import type { Random } from '../random.ts';
import type { FuzzRequest } from '../request.ts';
import { growingFields, type Place } from './fields.ts';
import { sample, shapesOf, type Shape } from './shapes.ts';
import { withBody, type StallCase } from './stall-case.ts';

/** A field, and the shape in which it grows. */
export interface Growth {
  readonly place: Place;
  readonly shape: Shape;
}

const patchTypes = [
  'application/strategic-merge-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
  'application/json-patch+json',
] as const;

/** How an object with large fields is sent to the server. */
export const deliveries = ['create', 'create', 'create', 'create', 'update', ...patchTypes] as const;
export type Delivery = (typeof deliveries)[number];

/** The name of the object that updates and patches are sent to. The run creates it where possible. */
export const objectName = 'stall';

export const collectionOf = ({ group, version, info }: BuiltinResource, namespace: string): string => {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}/${info.namespaced ? `namespaces/${namespace}/` : ''}${info.plural}`;
};

const rootOf = (target: BuiltinResource) =>
  target.group === '' ? `/api/${target.version}` : `/apis/${target.group}/${target.version}`;

/** A valid object if one is known, otherwise an object with the required fields of its kind. */
export function smallObject(resource: BuiltinResource, name: string): Record<string, unknown> {
  const known = knownObjects.find(
    (candidate) => candidate.resource === resource.info.plural && candidate.root === rootOf(resource),
  );
  if (known !== undefined) return structuredClone(known.object(name));
  const { kind } = resource.info;
  const type = builtinType(kind);
  const required = type === undefined ? {} : sample(type, 0);
  const rest = typeof required === 'object' && required !== null ? required : {};
  return { ...rest, apiVersion: formatGroupVersion(kind), kind: kind.kind, metadata: { name } };
}

/** Replaces the value at a path. Creates missing objects and lists along the path. */
function grow(value: unknown, type: Type, path: readonly string[], large: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return large;
  if (step === '*') return growInner(value, type, rest, large);
  const field = type.byName?.get(step);
  if (field === undefined) throw new Error(`no field ${step} in ${type.name ?? type.kind}`);
  const object = isContainer(value) ? value : {};
  const own = sample(type, 0);
  const made = isContainer(value) || !isContainer(own) ? object : own;
  made[step] = grow(made[step], field.type, rest, large);
  return made;
}

function growInner(value: unknown, type: Type, rest: readonly string[], large: unknown): unknown {
  if (type.items !== undefined) {
    const list: unknown[] = Array.isArray(value) ? value : [];
    list[0] = grow(list[0], type.items, rest, large);
    return list;
  }
  if (type.values === undefined) throw new Error(`nothing is in ${type.kind}`);
  const map = isContainer(value) ? value : {};
  const key = Object.keys(map)[0] ?? 'k';
  map[key] = grow(map[key], type.values, rest, large);
  return map;
}

/** The object with each of the fields grown to `size`. */
export function grown(resource: BuiltinResource, growths: readonly Growth[], size: number): Record<string, unknown> {
  const type = builtinType(resource.info.kind);
  if (type === undefined) throw new Error(`no type of ${resource.info.plural}`);
  let object = smallObject(resource, objectName);
  for (const { place, shape } of growths) {
    const made = grow(object, type, place.path, shape.value(place.type, size));
    if (isContainer(made)) object = made;
  }
  return object;
}

function delivered(
  delivery: Delivery,
  encoding: Encoding,
  resource: BuiltinResource,
  object: Record<string, unknown>,
  namespace: string,
): FuzzRequest {
  const collection = collectionOf(resource, namespace);
  const named = `${collection}/${objectName}`;
  const { contentType, bytes } = encoded(encoding, object);
  const text = (value: unknown) => JSON.stringify(value);
  switch (delivery) {
    case 'create':
      return withBody('POST', `${collection}?dryRun=All`, contentType, bytes);
    case 'update':
      return withBody('PUT', `${named}?dryRun=All`, contentType, bytes);
    case 'application/json-patch+json': {
      const { apiVersion: _version, kind: _kind, ...members } = object;
      const operations = Object.entries(members).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
      return withBody('PATCH', `${named}?dryRun=All`, delivery, text(operations));
    }
    case 'application/apply-patch+yaml':
      return withBody(
        'PATCH',
        `${named}?dryRun=All&fieldManager=stalls&force=true`,
        delivery,
        encoding === 'yaml' ? bytes : text(object),
      );
    default:
      return withBody('PATCH', `${named}?dryRun=All`, delivery, text(object));
  }
}

const labelOf = ({ place, shape }: Growth): string => `${place.path.join('.')}: ${shape.name}`;

/** A case in which some fields of one resource are large at the same time. */
export function fieldCase(
  growths: readonly [Growth, ...Growth[]],
  delivery: Delivery,
  encoding: Encoding,
  namespace: string,
): StallCase {
  const { resource } = growths[0].place;
  const stored = smallObject(resource, objectName);
  return {
    name: `${delivery} ${encoding} ${resource.info.plural}.${resource.group}/${resource.version} ${growths.map(labelOf).join(' + ')}`,
    request: (size) =>
      delivered(delivery, encoding, resource, grown(resource, growths, Math.ceil(size / growths.length)), namespace),
    ...(delivery === 'create'
      ? {}
      : {
          stored: () => [
            withBody('POST', collectionOf(resource, namespace), 'application/json', JSON.stringify(stored)),
          ],
        }),
    simpler: [
      ...(growths.length === 1
        ? []
        : growths.map((_growth, at) => () => {
            const [first, ...rest] = growths.filter((_other, i) => i !== at);
            if (first === undefined) throw new Error('nothing is left');
            return fieldCase([first, ...rest], delivery, encoding, namespace);
          })),
      ...(encoding === 'json' ? [] : [() => fieldCase(growths, delivery, 'json', namespace)]),
      ...(delivery === 'create' ? [] : [() => fieldCase(growths, 'create', encoding, namespace)]),
    ],
  };
}

/** One case for every place of every field and every shape, created as JSON. */
export function everyFieldCase(namespace: string): readonly StallCase[] {
  return growingFields()
    .flat()
    .flatMap((place) =>
      shapesOf(place.type).map((shape) => fieldCase([{ place, shape }], 'create', 'json', namespace)),
    );
}

let declared: readonly (readonly Place[])[] | undefined;
const byResource = new Map<BuiltinResource, readonly (readonly Place[])[]>();

/** A case for a random field of the table of types, sometimes with other fields of the same object. */
export function randomFieldCase(random: Random, namespace: string): StallCase {
  declared ??= growingFields();
  const place = random.pick(random.pick(declared));
  const growths: [Growth, ...Growth[]] = [{ place, shape: random.pick(shapesOf(place.type)) }];
  let others = byResource.get(place.resource);
  if (others === undefined) byResource.set(place.resource, (others = growingFields([place.resource])));
  while (growths.length < 4 && random.chance(0.3)) {
    const other = random.pick(random.pick(others));
    if (conflicts(other, growths)) continue;
    growths.push({ place: other, shape: random.pick(shapesOf(other.type)) });
  }
  return fieldCase(growths, random.pick(deliveries), random.pick(encodings), namespace);
}

/** Whether one path is a prefix of another: a value inside a large field cannot grow separately. */
const conflicts = (place: Place, growths: readonly Growth[]): boolean =>
  growths.some(({ place: { path } }) => {
    const [shorter, longer] = path.length < place.path.length ? [path, place.path] : [place.path, path];
    return shorter.every((step, i) => longer[i] === step);
  });

const encodings = ['json', 'yaml', 'protobuf', 'cbor'] as const;
type Encoding = (typeof encodings)[number];

const isKubeObject = (value: unknown): value is KubeObject =>
  typeof value === 'object' && value !== null && 'kind' in value;

/** Encodes an object. Falls back to JSON if the encoding cannot represent the object. */
function encoded(encoding: Encoding, object: unknown): { contentType: string; bytes: Buffer } {
  switch (encoding) {
    case 'yaml':
      return { contentType: 'application/yaml', bytes: Buffer.from(stringifyYaml(object)) };
    case 'cbor':
      return { contentType: 'application/cbor', bytes: encodeCbor(object) };
    case 'protobuf':
      return protobuf(object) ?? encoded('json', object);
    case 'json':
      return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(object)) };
  }
}

/** Undefined if protobuf cannot represent the object, because a value does not have the type of its field. */
function protobuf(object: unknown): { contentType: string; bytes: Buffer } | undefined {
  if (!isKubeObject(object)) return undefined;
  try {
    return { contentType: 'application/vnd.kubernetes.protobuf', bytes: builtinProtobuf.encode(object) };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
