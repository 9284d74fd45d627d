import { cborShapes, shapes, type Shape } from '../../bench/reads/shapes.ts';
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

/** One way to read the contents. Deletions of a collection also return all of it; here they are dry runs. */
interface Read {
  readonly verb: 'GET' | 'LIST' | 'DELETE';
  readonly shape: Shape;
  /** The version in which custom resources are read. They are stored as v1. */
  readonly version: 'v1' | 'v2';
  /** The number of reads of the same user at a time. */
  readonly parallel: number;
  /** Whether the client reads nothing of the response. */
  readonly unread: boolean;
}

/** A member of these objects has about 25 bytes. */
const bytesPerMember = 25;
const bytesPerPod = 400;
/** Large objects stay below the 1.5 MiB of a request to etcd. */
const mostMembers = 45_000;
/** The bytes that the largest contents hold. */
const mostBytes = 250_000_000;
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

const root = (resource: Contents['resource'], namespace: string, version = 'v1'): string =>
  `${resource === 'stalls' ? `/apis/stalls.example.com/${version}` : '/api/v1'}/namespaces/${namespace}/${resource}`;

/** A case whose size is the amount of stored data. */
function readCase(namespace: string, { resource, members, perUnit, units }: Contents, read: Read): StallCase {
  const { verb, shape, version, parallel, unread } = read;
  const single = verb === 'GET';
  const collection = root(resource, namespace);
  const path = `${root(resource, namespace, version)}${single ? '/r0' : ''}`;
  const selector = 'labelSelector=reads%3Dyes';
  const how = `${verb} ${shape.name} x ${parallel}${unread ? ', unread' : ''}`;
  const object = objects[resource](members);
  const query = shape.query === '' || (single && shape.watch) ? [] : shape.query.split('&');
  return {
    name: `read: ${how} of ${resource}${version === 'v1' ? '' : ` in ${version}`} with ${members} members`,
    maxSize: single ? 1 : units,
    parallel,
    unread,
    stored: (size): readonly FuzzRequest[] => [
      plain('DELETE', collection, [selector, 'gracePeriodSeconds=0']),
      ...times(size * perUnit, (i) =>
        withJson('POST', collection, { ...object, metadata: { name: `r${i}`, labels: { reads: 'yes' } } }),
      ),
    ],
    request: () =>
      verb === 'DELETE'
        ? plain('DELETE', path, [selector, 'dryRun=All', ...query], shape.headers)
        : plain('GET', path, query, shape.headers),
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
    [...shapes, ...cborShapes].flatMap((shape) =>
      versionsOf(contents).flatMap((version) =>
        [false, true].map((unread) =>
          readCase(namespace, contents, { verb: 'LIST', shape, version, parallel: 3, unread }),
        ),
      ),
    ),
  );

const versionsOf = ({ resource }: Contents) => (resource === 'stalls' ? (['v1', 'v2'] as const) : (['v1'] as const));

/** A read that grows what is stored, its number, its size, its representation and the number of reads at a time. */
export function randomReadCase(random: Random, namespace: string): StallCase {
  const resource = random.pick(['configmaps', 'pods', 'stalls'] as const);
  const most = resource === 'pods' ? 20_000 : mostMembers;
  const members = Math.max(1, Math.floor(most ** random.next()));
  const contents = contentsOf(resource, members);
  const shape = random.pick([...shapes, ...cborShapes]);
  return readCase(namespace, contents, {
    verb: shape.watch ? 'LIST' : random.pick(['LIST', 'LIST', 'LIST', 'GET', 'DELETE']),
    shape,
    version: random.pick(versionsOf(contents)),
    parallel: random.pick([1, 2, 3, 8, 24]),
    unread: random.chance(0.3),
  });
}
