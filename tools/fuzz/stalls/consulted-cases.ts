import type { FuzzRequest } from '../request.ts';
import { plain, times, withBody, withJson, type StallCase } from './stall-case.ts';

/** The most objects that a case stores; together they have 100 MB. */
const mostObjects = 100;
/** An object has some 1 MB: so many items of 25 bytes. */
const itemsOfObject = 40_000;

const merge = 'application/merge-patch+json';
const selector = 'labelSelector=stalls%3Dconsulted';
const labels = { stalls: 'consulted' };
const keys = () => Object.fromEntries(times(itemsOfObject, (i) => [`key-${i}`, `value${i}`]));

/** A small request for which the server reads large objects that are stored. The size is their number. */
interface Consulted {
  readonly name: string;
  /** The collection of the large objects, and one of them without its name. */
  readonly collection: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly mostObjects?: number;
  /** Other objects that the request needs. */
  readonly also?: readonly FuzzRequest[];
  readonly request: FuzzRequest;
}

const consultedCase = ({
  name,
  collection,
  object,
  also = [],
  request,
  mostObjects: maxSize,
}: Consulted): StallCase => ({
  name: `beside large objects: ${name}`,
  maxSize: maxSize ?? mostObjects,
  parallel: 8,
  stored: (size) => [
    plain('DELETE', collection, [selector]),
    ...times(size, (i) => withJson('POST', collection, { ...object, metadata: { name: `r${i}`, labels } })),
    ...also,
  ],
  request: () => request,
  forget: plain('DELETE', collection, [selector]),
});

/** Small requests that make the server read large objects: budgets of an eviction, the account of a token, the endpoints behind a proxy. */
export function consultedCases(namespace: string): readonly StallCase[] {
  const root = `/api/v1/namespaces/${namespace}`;
  const pod = { metadata: { name: 'evicted' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const port = { port: 80, protocol: 'TCP' };
  return [
    {
      name: 'eviction',
      collection: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
      object: { spec: { minAvailable: 1, selector: { matchLabels: keys() } } },
      also: [
        plain('DELETE', `${root}/pods/evicted`, ['gracePeriodSeconds=0']),
        withJson('POST', `${root}/pods`, pod),
        // Budgets do not protect pods that do not run yet.
        withBody('PATCH', `${root}/pods/evicted/status`, merge, JSON.stringify({ status: { phase: 'Running' } })),
      ],
      request: withJson('POST', `${root}/pods/evicted/eviction?dryRun=All`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'evicted' },
      }),
    },
    {
      name: 'token of an account',
      collection: `${root}/serviceaccounts`,
      object: { secrets: times(itemsOfObject, (i) => ({ name: `secret-${i}` })) },
      mostObjects: 1,
      request: withJson('POST', `${root}/serviceaccounts/r0/token`, { spec: { audiences: ['a'] } }),
    },
    {
      name: 'proxy to a service',
      collection: `${root}/endpoints`,
      object: {
        subsets: [
          {
            ports: [port],
            addresses: times(itemsOfObject, (i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` })),
          },
        ],
      },
      mostObjects: 1,
      also: [
        withJson('POST', `${root}/services`, { metadata: { name: 'r0' }, spec: { clusterIP: 'None', ports: [port] } }),
      ],
      request: plain('GET', `${root}/services/r0:80/proxy/`),
    },
  ].map(consultedCase);
}
