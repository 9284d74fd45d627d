import { shapes, type Shape } from '../../bench/reads/shapes.ts';
import type { Random } from '../random.ts';
import type { FuzzRequest } from '../request.ts';
import { plain, times, withJson, type StallCase } from './stall-case.ts';

/** What is stored before it is read, and how much of it. */
interface Contents {
  readonly resource: 'configmaps' | 'pods' | 'stalls';
  /** The members of each object. They decide its size in bytes. */
  readonly members: number;
  /** The number of objects for each unit of size. Cases of one document have at most 1,200 units. */
  readonly perUnit: number;
  readonly units: number;
}

/** One way to read the contents. */
interface Read {
  readonly shape: Shape;
  /** The number of reads of the same user at a time. */
  readonly parallel: number;
  /** Whether one object is read instead of all. */
  readonly single: boolean;
  /** Whether the client reads nothing of the response. */
  readonly unread: boolean;
}

/** A member of these objects has about 25 bytes. */
const bytesPerMember = 25;
const bytesPerPod = 400;
/** Large objects stay below the 1.5 MiB of a request to etcd. */
const mostMembers = 45_000;
/** The bytes that the largest contents hold. */
const mostBytes = 150_000_000;
/** Storing one object after the other takes a millisecond each. */
const mostObjects = 2_000;

const data = (members: number): Record<string, string> =>
  Object.fromEntries(times(members, (i) => [`key-${i}`, `value${i}`]));

const objects: Record<Contents['resource'], (members: number) => Record<string, unknown>> = {
  configmaps: (members) => ({ apiVersion: 'v1', kind: 'ConfigMap', data: data(members) }),
  pods: (members) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { containers: [{ name: 'c', image: 'i', env: times(members, (i) => ({ name: `E${i}`, value: 'v' })) }] },
  }),
  stalls: (members) => ({ apiVersion: 'stalls.example.com/v1', kind: 'Stall', spec: { free: data(members) } }),
};

const root = (resource: Contents['resource'], namespace: string): string =>
  `${resource === 'stalls' ? '/apis/stalls.example.com/v1' : '/api/v1'}/namespaces/${namespace}/${resource}`;

/** A case whose size is the amount of stored data. */
function readCase(namespace: string, { resource, members, perUnit, units }: Contents, read: Read): StallCase {
  const { shape, parallel, single, unread } = read;
  const collection = root(resource, namespace);
  const list = `${collection}${single ? '/r0' : ''}`;
  const selector = 'labelSelector=reads%3Dyes';
  const how = `${single ? 'GET' : 'LIST'} ${shape.name} x ${parallel}${unread ? ', unread' : ''}`;
  const object = objects[resource](members);
  return {
    name: `read: ${how} of ${resource} with ${members} members`,
    maxSize: single ? 1 : units,
    parallel,
    unread,
    stored: (size): readonly FuzzRequest[] => [
      plain('DELETE', collection, [selector, 'gracePeriodSeconds=0']),
      ...times(size * perUnit, (i) =>
        withJson('POST', collection, { ...object, metadata: { name: `r${i}`, labels: { reads: 'yes' } } }),
      ),
    ],
    request: () => plain('GET', list, shape.query === '' || single ? [] : shape.query.split('&'), shape.headers),
    forget: plain('DELETE', collection, [selector, 'gracePeriodSeconds=0']),
  };
}

function contentsOf(resource: Contents['resource'], members: number): Contents {
  const bytes = members * (resource === 'pods' ? 2 * bytesPerMember : bytesPerMember) + bytesPerPod;
  const objectsOfAll = Math.max(1, Math.min(mostObjects, Math.floor(mostBytes / bytes)));
  const perUnit = Math.ceil(objectsOfAll / 1_000);
  return { resource, members, perUnit, units: Math.floor(objectsOfAll / perUnit) };
}

/** Few large and many small objects, in every representation, three reads at a time. */
export const readCases = (namespace: string): readonly StallCase[] =>
  [contentsOf('configmaps', mostMembers), contentsOf('pods', 1), contentsOf('stalls', 5_000)].flatMap((contents) =>
    shapes.flatMap((shape) =>
      [false, true].map((unread) => readCase(namespace, contents, { shape, parallel: 3, single: false, unread })),
    ),
  );

/** A read that grows what is stored, its number, its size, its representation and the number of reads at a time. */
export function randomReadCase(random: Random, namespace: string): StallCase {
  const resource = random.pick(['configmaps', 'pods', 'stalls'] as const);
  const most = resource === 'pods' ? 20_000 : mostMembers;
  const members = Math.max(1, Math.floor(most ** random.next()));
  return readCase(namespace, contentsOf(resource, members), {
    shape: random.pick(shapes),
    parallel: random.pick([1, 2, 3, 8, 24]),
    single: random.chance(0.2),
    unread: random.chance(0.3),
  });
}
