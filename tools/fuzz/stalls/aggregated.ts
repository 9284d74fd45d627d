import { secureServer, type ServerCredentials, type StandIn } from '../../servers/stand-ins.ts';
import type { FuzzRequest } from '../request.ts';
import { times, withBody, withJson, type StallCase } from './stall-case.ts';

const group = 'aggregated.example.com';
const root = `/apis/${group}/v1`;

/** Starts an extension API server that responds to every request, for tests of the aggregator's proxy. */
export const startExtensionServer = (pair: ServerCredentials): Promise<StandIn> =>
  secureServer(pair, (request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(documentAt(request.url ?? '/')));
    });
  });

const resource = {
  name: 'things',
  singularName: 'thing',
  namespaced: false,
  kind: 'Thing',
  verbs: ['get', 'list', 'create'],
};

function documentAt(url: string): unknown {
  const [path] = url.split('?');
  if (path === root)
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources: [resource] };
  if (path === `/apis/${group}`) return { kind: 'APIGroup', apiVersion: 'v1', name: group, versions: [] };
  return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
}

/** The objects that make the aggregator proxy the group's requests to a port of this host. */
export const registration = (port: number): readonly FuzzRequest[] => [
  withJson('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'extension' } }),
  withJson('POST', '/api/v1/namespaces/extension/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'extension' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  }),
  withJson('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'extension', name: 'extension', port },
    },
  }),
];

/** Large requests that the aggregator only proxies. */
export const aggregatedCases: readonly StallCase[] = [
  {
    name: 'aggregated POST of text',
    request: (size) => withBody('POST', `${root}/things`, 'application/json', 'a'.repeat(size)),
  },
  {
    name: 'aggregated POST of keys',
    request: (size) => withJson('POST', `${root}/things`, Object.fromEntries(times(size, (i) => [`k${i}`, i]))),
  },
  {
    name: 'aggregated PATCH of text',
    request: (size) => withBody('PATCH', `${root}/things/a`, 'application/merge-patch+json', `{${' '.repeat(size)}}`),
  },
  {
    name: 'aggregated DELETE of text',
    request: (size) => withBody('DELETE', `${root}/things/a`, 'application/json', 'a'.repeat(size)),
  },
];
