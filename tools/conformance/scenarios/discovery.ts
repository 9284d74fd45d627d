import { isRecord } from '@apichain/meta';
import { type Scenario, type Step } from '../scenario.ts';
import { get } from './steps.ts';

/** The group-versions that a 1.36 server serves by default. A cluster may have more. */
const groupVersions = [
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'resource.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
];
const groups = [...new Set(groupVersions.map((groupVersion) => groupVersion.split('/')[0] ?? ''))];

const isBuiltIn = (name: unknown) => name === '' || name === undefined || groups.some((group) => group === name);

/** Reduces a list of groups to the built-in groups. */
const builtInGroups = (body: unknown): unknown =>
  isRecord(body) && Array.isArray(body['groups'])
    ? { ...body, groups: body['groups'].filter((group) => isRecord(group) && isBuiltIn(group['name'])) }
    : body;

const builtInItems = (body: unknown): unknown =>
  isRecord(body) && Array.isArray(body['items'])
    ? {
        ...body,
        items: body['items'].filter(
          (item) => isRecord(item) && isRecord(item['metadata']) && isBuiltIn(item['metadata']['name']),
        ),
      }
    : body;

/** The paths of the built-in groups. */
const builtInPaths = (body: unknown): unknown => {
  const paths = isRecord(body) && Array.isArray(body['paths']) ? body['paths'].map(String) : [];
  return paths.filter((path) => {
    const [, root, group] = path.split('/');
    return root === 'api' || (root === 'apis' && isBuiltIn(group));
  });
};

/** Reduces a document to the schema names and the operations of each path. Descriptions are not compared. */
const documented = (body: unknown): unknown => {
  if (!isRecord(body) || !isRecord(body['paths'])) return body;
  const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head'];
  const components = isRecord(body['components']) ? body['components'] : {};
  return {
    openapi: body['openapi'],
    paths: Object.fromEntries(
      Object.entries(body['paths']).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(isRecord(item) ? item : {})
            .filter(([method]) => methods.includes(method))
            .map(([method, operation]) => [method, isRecord(operation) ? operation['operationId'] : operation]),
        ),
      ]),
    ),
    schemas: isRecord(components['schemas']) ? Object.keys(components['schemas']).sort() : [],
  };
};

/** The same for OpenAPI version 2, without the definitions of concurrent scenarios. */
const documentedInVersion2 = (body: unknown): unknown => {
  if (!isRecord(body)) return body;
  const builtIn = (members: unknown) =>
    Object.entries(isRecord(members) ? members : {}).filter(([name]) => !/example\.com|com\.example/.test(name));
  const schemas = builtIn(body['definitions']).map(([name]) => name);
  const { openapi: _openapi, ...rest } = documented({ ...body, paths: Object.fromEntries(builtIn(body['paths'])) }) as {
    openapi: unknown;
    paths: unknown;
  };
  return { swagger: body['swagger'], ...rest, schemas: schemas.sort() };
};

const aggregated = (version: string) => ({
  accept: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`,
});

const health: readonly Step[] = [
  '/healthz',
  '/livez',
  '/readyz',
  '/healthz/ping',
  '/livez/etcd',
  '/readyz/ping',
  '/livez/none',
].map((path) => get(path, path, { headers: { accept: '*/*' } }));

export const discoveryScenarios: readonly Scenario[] = [
  {
    area: 'discovery',
    name: 'groups and versions',
    namespaced: false,
    steps: [
      get('the core group', '/api'),
      get('all groups', '/apis', { select: builtInGroups }),
      get('all paths', '/', { select: builtInPaths }),
      get('all at once, /api', '/api', { headers: aggregated('v2'), select: builtInItems }),
      get('all at once, /apis', '/apis', { headers: aggregated('v2'), select: builtInItems }),
      get('all at once in an unknown version', '/api', {
        headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList' },
      }),
      ...groups.map((group) => get(`group ${group}`, `/apis/${group}`)),
      get('a group that is not there', '/apis/none.example.com'),
      get('a version that is not there', '/apis/apps/v9'),
      get('the version', '/version'),
      get('groups as a table', '/apis', { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      get('groups as an unknown type', '/apis', { headers: { accept: 'image/png' } }),
      get('groups as YAML', '/apis/apps', { headers: { accept: 'application/yaml' } }),
      get('groups for the anonymous', '/api', { as: 'anonymous' }),
      get('resources for a user', '/api/v1', {
        as: 'user',
        select: (body) => (isRecord(body) ? body['groupVersion'] : body),
      }),
    ],
  },
  {
    area: 'discovery',
    name: 'resources',
    namespaced: false,
    steps: [
      get('resources of v1', '/api/v1'),
      ...groupVersions.map((groupVersion) => get(`resources of ${groupVersion}`, `/apis/${groupVersion}`)),
    ],
  },
  { area: 'discovery', name: 'health', namespaced: false, steps: health },
  {
    area: 'discovery',
    name: 'OpenAPI',
    namespaced: false,
    steps: [
      get('OpenAPI v2', '/openapi/v2', { select: documentedInVersion2 }),
      get('OpenAPI v3 of v1', '/openapi/v3/api/v1', { select: documented }),
      ...groupVersions.map((groupVersion) =>
        get(`OpenAPI v3 of ${groupVersion}`, `/openapi/v3/apis/${groupVersion}`, { select: documented }),
      ),
      get('OpenAPI v3 of no group', '/openapi/v3/apis/none.example.com/v1', {
        headers: { accept: 'application/json' },
      }),
    ],
  },
];
