import type { FuzzRequest } from '../request.ts';
import { collectionOf, grown, smallObject, objectName } from './field-cases.ts';
import { growingFields, objectResources, type Place } from './fields.ts';
import { distinctItems, sample } from './shapes.ts';
import { plain, times, withBody, withJson } from './stall-case.ts';

/** One request in the life of a stored object. */
export interface LifeStep {
  readonly name: string;
  readonly request: FuzzRequest;
}

const isCollection = ({ type }: Place): boolean => type.kind === 'array' || type.kind === 'map';

/** The lists and maps of stored objects that are not inside other lists, one place for each declared field. */
export const storedCollections = (): readonly Place[] =>
  growingFields(objectResources.filter(({ verbs }) => verbs.includes('delete')))
    .flatMap(([place]) => place ?? [])
    .filter((place) => isCollection(place) && !place.path.includes('*'));

export const labelOfPlace = ({ resource, path }: Place): string => `${resource.info.plural} ${path.join('.')}`;

/** Items that validation accepts, for lists of which the table of types does not say enough. */
const validItems: Readonly<Record<string, (index: number) => unknown>> = {
  'configmaps metadata.finalizers': (i) => `example.com/f${i}`,
  'services spec.externalIPs': (i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
  'services spec.loadBalancerSourceRanges': (i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32`,
  'clusterroles rules': (i) => ({ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [`n${i}`] }),
  'roles rules': (i) => ({ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [`n${i}`] }),
  'clusterrolebindings subjects': (i) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `u${i}` }),
  'rolebindings subjects': (i) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `u${i}` }),
  'pods spec.volumes': (i) => ({ name: `v${i}`, emptyDir: {} }),
  'ingresses spec.tls': (i) => ({ hosts: [`h${i}.example.com`] }),
  'limitranges spec.limits': (i) => ({ type: 'Container', max: { [`example.com/r${i}`]: '1' } }),
};

/** A list or map of distinct items. */
function collectionIn(place: Place, size: number): unknown {
  const item = validItems[labelOfPlace(place)];
  return item === undefined ? distinctItems.value(place.type, size) : times(size, item);
}

/** Stored objects stay below the 1.5 MiB of a request to etcd, with room for their managedFields. */
const mostBytes = 600_000;

/** The largest number of items, up to `most`, with which an object can be stored. */
export function largestStored({ type }: Place, most: number): number {
  const each = JSON.stringify(sample(type.items ?? type.values ?? { kind: 'string' }, 1_000) ?? '').length + 10;
  return Math.min(most, Math.floor(mostBytes / each));
}

const tables = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json' };
const protobuf = { accept: 'application/vnd.kubernetes.protobuf,application/json' };

/**
 * The requests that store an object with a list or map of `size` distinct items, change it, read it, and delete it. The last ones remove whatever an
 * earlier one has left.
 */
export function lifeOf(place: Place, size: number, namespace: string): readonly LifeStep[] {
  const { resource, path } = place;
  const shape = { name: 'distinct items', value: () => collectionIn(place, size) };
  const object = grown(resource, [{ place, shape }], size);
  const isStatus = path[0] === 'status';
  const collection = collectionOf(resource, namespace);
  const named = `${collection}/${objectName}`;
  const body = JSON.stringify(object);
  const patch = (contentType: string, content: string) => withBody('PATCH', named, contentType, content);
  const steps: Record<string, FuzzRequest> = {
    create: withJson('POST', collection, isStatus ? smallObject(resource, objectName) : object),
    update: withBody('PUT', isStatus ? `${named}/status` : named, 'application/json', body),
    label: patch('application/merge-patch+json', '{"metadata":{"labels":{"step":"label"}}}'),
    'strategic merge patch': patch('application/strategic-merge-patch+json', body),
    get: plain('GET', named),
    'get as protobuf': plain('GET', named, [], protobuf),
    'list as Table': plain('GET', collection, [], tables),
    'delete without effect': plain('DELETE', named, ['dryRun=All']),
    'delete collection': plain('DELETE', collection, [`fieldSelector=metadata.name%3D${objectName}`]),
    'delete again': plain('DELETE', named, ['gracePeriodSeconds=0']),
    release: patch('application/merge-patch+json', '{"metadata":{"finalizers":null}}'),
    remove: plain('DELETE', named, ['gracePeriodSeconds=0']),
  };
  return Object.entries(steps).map(([name, request]) => ({ name, request }));
}
