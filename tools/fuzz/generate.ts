import { deleteOptions, objectBody, patchBody, type FuzzBody } from './bodies.ts';
import { objectName, resources, type FuzzResource } from './objects.ts';
import { randomOf, type Random } from './random.ts';
import type { FuzzRequest } from './request.ts';
import { hostileText } from './values.ts';

const systemPaths = [
  '/',
  '/api',
  '/apis',
  '/api/v1',
  '/apis/apps',
  '/apis/apps/v1',
  '/version',
  '/livez',
  '/readyz?verbose',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/.well-known/openid-configuration',
] as const;

const parameters = [
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
  'timeoutSeconds',
  'timeout',
  'sendInitialEvents',
  'allowWatchBookmarks',
  'pretty',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'propagationPolicy',
  'orphanDependents',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'includeObject',
  'export',
  '__proto__',
  '',
] as const;

const parameterValues = [
  '',
  '0',
  '1',
  '-1',
  '5',
  'true',
  'TRUE',
  'yes',
  'All',
  'Strict',
  'Warn',
  'Ignore',
  'Exact',
  'NotOlderThan',
  'abc',
  '9223372036854775808',
  '18446744073709551616',
  '1e3',
  '10s',
  '-5s',
  'a=b',
  'a in (b,c),!d',
  'a in (',
  'a==b,,',
  'metadata.name=a',
  'metadata.name!=a,spec.nodeName=',
  'x=\\',
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0',
  'Background',
  'Nope',
  'manager',
] as const;

const accepts = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,*/*;q=0.1',
  'application/json;as=Nope;v=v9;g=x',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'text/html',
  '*',
  '*/*;q=nope',
  ';;,,',
  'a/b/c',
  'application/json;stream=watch',
] as const;

const strayHeaders: readonly (readonly [string, string])[] = [
  ['impersonate-user', 'nobody'],
  ['impersonate-group', 'nobodies'],
  ['impersonate-extra-%zz', 'x'],
  ['x-remote-user', 'admin'],
  ['x-remote-group', 'system:masters'],
  ['authorization', 'Bearer nonsense'],
  ['authorization', 'Basic ::::'],
  ['accept-encoding', 'gzip;q=0, br, *'],
  ['content-encoding', 'gzip'],
  ['audit-id', 'x'.repeat(500)],
  ['traceparent', '00-zz-zz-zz'],
  ['user-agent', ''],
  ['user-agent', 'Mozilla/5.0 (\u00e9)'],
  ['if-none-match', '"x"'],
  ['range', 'bytes=0-1'],
  ['expect', '100-continue'],
  ['x-http-method-override', 'DELETE'],
  ['origin', 'null'],
  ['cookie', 'a=b; __proto__=c'],
];

/** A path segment that is not a valid name; ASCII without spaces. */
const hostileSegment = (random: Random): string =>
  random.chance(0.3)
    ? random.pick([
        '%',
        '%zz',
        '%2e%2e',
        '..',
        '.',
        '%00',
        '%2f',
        '%ff%fe',
        '%c0%af',
        '~',
        ':',
        '*',
        'a%20b',
        ';a=b',
        '%E2%80%8B',
      ])
    : encodeURIComponent(hostileText(random).toWellFormed()).slice(0, 1_500);

export interface GenerateOptions {
  /** The namespace of most namespaced requests. */
  readonly namespace: string;
}

function pathOf(
  target: FuzzResource,
  random: Random,
  { namespace }: GenerateOptions,
): { path: string; named: boolean } {
  const segments = [target.root];
  if (target.namespaced && random.chance(0.95)) {
    segments.push('namespaces', random.chance(0.95) ? namespace : hostileSegment(random));
  }
  segments.push(random.chance(0.98) ? target.resource : hostileSegment(random));
  const named = random.chance(0.7);
  if (named) {
    segments.push(random.chance(0.95) ? objectName(random) : hostileSegment(random));
    if (target.subresources.length > 0 && random.chance(0.2)) segments.push(random.pick(target.subresources));
    else if (random.chance(0.02)) segments.push(hostileSegment(random));
  }
  const path = segments.join('/');
  if (random.chance(0.01)) return { path: path.replaceAll('/', '//'), named };
  return { path: random.chance(0.01) ? `${path}/` : path, named };
}

function queryOf(random: Random): string[] {
  const query: string[] = [];
  while (random.chance(0.35)) {
    const value = random.chance(0.85) ? random.pick(parameterValues) : hostileText(random);
    const encoded = random.chance(0.03) ? '%zz' : encodeURIComponent(value.toWellFormed());
    query.push(`${random.pick(parameters)}=${encoded}`);
  }
  return query;
}

function headersOf(random: Random): Record<string, string> {
  const headers: Record<string, string> = {};
  if (random.chance(0.3)) headers['accept'] = random.pick(accepts);
  if (random.chance(0.08)) {
    const [name, value] = random.pick(strayHeaders);
    headers[name] = value;
  }
  return headers;
}

function methodOf(named: boolean, random: Random): string {
  if (random.chance(0.02)) return random.pick(['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']);
  const common = named
    ? (['GET', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'POST'] as const)
    : (['GET', 'POST', 'POST', 'POST', 'DELETE', 'PUT'] as const);
  return random.pick(common);
}

function bodyOf(method: string, target: FuzzResource, random: Random): FuzzBody | undefined {
  const object = target.object(objectName(random));
  switch (method) {
    case 'POST':
    case 'PUT':
      return random.chance(0.97) ? objectBody(object, random) : undefined;
    case 'PATCH':
      return random.chance(0.97) ? patchBody(object, random) : undefined;
    case 'DELETE':
      return random.chance(0.3) ? objectBody(deleteOptions(random), random) : undefined;
    default:
      return random.chance(0.02) ? objectBody(object, random) : undefined;
  }
}

function systemRequest(random: Random): FuzzRequest {
  const [path = '/', ...more] = random.pick(systemPaths).split('?');
  return { method: 'GET', path, query: [...more, ...queryOf(random)], headers: headersOf(random) };
}

/** The request at an index of a run. The same seed and options always give the same request. */
export function generate(seed: number, index: number, options: GenerateOptions): FuzzRequest {
  const random = randomOf(seed, index);
  if (random.chance(0.04)) return systemRequest(random);
  const target = random.pick(resources);
  const { path, named } = pathOf(target, random, options);
  const method = methodOf(named, random);
  const body = bodyOf(method, target, random);
  const headers = headersOf(random);
  const query = queryOf(random);
  // Watches get a short timeout, so that they end by themselves.
  if (method === 'GET' && random.chance(0.1)) query.push('watch=true', 'timeoutSeconds=1');
  if (body === undefined) return { method, path, query, headers };
  return { method, path, query, headers: { ...headers, 'content-type': body.contentType }, body: body.bytes };
}
