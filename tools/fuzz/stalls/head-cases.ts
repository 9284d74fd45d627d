import { plain, times, withBody, type StallCase } from './stall-case.ts';

/** Queries as a whole, by size. */
const queries: readonly { readonly name: string; readonly query: (size: number) => string }[] = [
  ...(
    [
      ['pairs', 'a&'],
      ['pairs with values', 'a=b&'],
      ['ampersands', '&'],
      ['equals', '='],
      ['semicolons', ';'],
      ['escapes', '%61'],
      ['wrong escapes', '%zz&'],
      ['pluses', '+'],
      ['watches', 'watch=true&'],
      ['dry runs', 'dryRun=All&'],
      ['limits', 'limit=1&'],
      ['pretty', 'pretty=1&'],
      ['timeouts', 'timeout=1s&'],
      ['selectors', 'labelSelector=a&'],
    ] as const
  ).map(([name, part]) => ({ name: `${name}`, query: (size: number) => part.repeat(size) })),
  { name: 'distinct names', query: (size: number) => times(size, (i) => `p${i}=1`).join('&') },
];

/** Parameters that get one long value. */
const parameters = [
  'labelSelector',
  'fieldSelector',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'limit',
  'timeout',
  'timeoutSeconds',
  'fieldManager',
  'fieldValidation',
  'dryRun',
  'pretty',
  'watch',
  'sendInitialEvents',
  'includeObject',
  'gracePeriodSeconds',
  'propagationPolicy',
  'unknown',
] as const;

const values: readonly (readonly [name: string, value: (size: number) => string])[] = [
  ['letters', (size) => 'a'.repeat(size)],
  ['digits', (size) => '9'.repeat(size)],
  ['escapes', (size) => '%20'.repeat(size)],
  ['requirements', (size) => times(size, (i) => `k${i}`).join(',')],
  ['equalities', (size) => times(size, (i) => `k${i}%3Dv`).join(',')],
  ['one equality', (size) => `${'metadata.name%3Da,'.repeat(size)}metadata.name%3Da`],
  ['set members', (size) => `a%20in%20(${times(size, (i) => `v${i}`).join(',')})`],
  ['sets', (size) => times(size, (i) => `k${i}%20notin%20(a,b)`).join(',')],
  ['open brackets', (size) => `a%20in%20${'('.repeat(size)}`],
  ['exclamation marks', (size) => '!'.repeat(size)],
  ['commas', (size) => ','.repeat(size)],
  ['backslashes', (size) => `metadata.name%3D${'%5C'.repeat(size)}`],
  ['units', (size) => '1h'.repeat(size)],
  ['base64', (size) => 'eyJh'.repeat(size)],
  ['dots', (size) => 'a.'.repeat(size)],
  ['dashes', (size) => 'a-'.repeat(size)],
];

const headers = [
  'accept',
  'accept-encoding',
  'content-type',
  'user-agent',
  'authorization',
  'cookie',
  'x-unknown',
  'impersonate-user',
  'impersonate-group',
  'impersonate-uid',
  'impersonate-extra-a',
  'x-remote-user',
  'x-remote-group',
  'x-forwarded-for',
  'audit-id',
  'traceparent',
  'tracestate',
  'if-none-match',
  'range',
  'origin',
  'connection',
  'te',
  'sec-websocket-protocol',
] as const;

const headerValues: readonly (readonly [name: string, value: (size: number) => string])[] = [
  ['letters', (size) => 'a'.repeat(size)],
  ['commas', (size) => 'a,'.repeat(size)],
  ['spaces', (size) => `a${' '.repeat(size)}b`],
  ['media types', (size) => 'application/json,'.repeat(size)],
  ['media types with parameters', (size) => 'application/json;as=Table;v=v1;g=meta.k8s.io,'.repeat(size)],
  ['parameters', (size) => `application/json${';a=b'.repeat(size)}`],
  ['open quotes', (size) => `application/json;a="${'\\"'.repeat(size)}`],
  ['qualities', (size) => 'a/b;q=0.5,'.repeat(size)],
  ['semicolons', (size) => `application/json${';'.repeat(size)}`],
  ['a token', (size) => `Bearer ${'a'.repeat(size)}`],
  ['a token of dots', (size) => `Bearer ${'a.'.repeat(size)}`],
  ['a signed token', (size) => `Bearer eyJhbGciOiJSUzI1NiJ9.${'eyJh'.repeat(size)}.AAAA`],
  ['a token with a long header', (size) => `Bearer ${'eyJh'.repeat(size)}.e30.AAAA`],
  ['basic', (size) => `Basic ${'OjoA'.repeat(size)}`],
  ['tracing', (size) => `00-${'0'.repeat(size)}-00`],
  ['a service account', (size) => `system:serviceaccount:${'a:'.repeat(size)}`],
  ['bearer protocols', (size) => `base64url.bearer.authorization.k8s.io.${'YQ'.repeat(size)}`],
  ['percent', (size) => '%41'.repeat(size)],
];

const segments: readonly (readonly [name: string, path: (size: number) => string])[] = [
  ['slashes', (size) => '/'.repeat(size)],
  ['letters', (size) => `/${'a'.repeat(size)}`],
  ['segments', (size) => '/a'.repeat(size)],
  ['dots', (size) => '/..'.repeat(size)],
  ['a dot each', (size) => '/./a'.repeat(size)],
  ['escapes', (size) => `/${'%2e'.repeat(size)}`],
  ['wrong escapes', (size) => `/${'%'.repeat(size)}`],
  ['not UTF-8', (size) => `/${'%ff'.repeat(size)}`],
  ['colons', (size) => `/${':'.repeat(size)}`],
];

const prefixes = (namespace: string): readonly string[] => [
  '',
  '/api',
  '/apis',
  '/openapi/v3',
  '/api/v1/namespaces',
  `/api/v1/namespaces/${namespace}/configmaps`,
  `/api/v1/namespaces/${namespace}/services/http:a:80/proxy`,
  `/api/v1/namespaces/${namespace}/pods/a/proxy`,
  '/api/v1/nodes/a/proxy',
  '/apis/fuzz.example.com/v1',
  '/apis/aggregated.example.com/v1',
];

const anonymous = { authorization: '' } as const;

/** Requests whose query, headers or path are large. */
export function headCases(namespace: string): readonly StallCase[] {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const targets = [
    '/version',
    collection,
    '/apis/fuzz.example.com/v1/things',
    '/apis',
    '/openapi/v3',
    '/apis/aggregated.example.com/v1/things',
  ];
  const wholeQueries = targets.flatMap((path) =>
    queries.map(({ name, query }) => ({
      name: `GET ${path}? ${name}`,
      request: (size: number) => plain('GET', path, [query(size)], path === '/version' ? anonymous : {}),
    })),
  );
  const reads = [
    ['GET', collection, []],
    ['GET', collection, ['watch=true', 'timeoutSeconds=1']],
    ['GET', '/apis/fuzz.example.com/v1/things', []],
    ['GET', '/apis/aggregated.example.com/v1/things', []],
    ['DELETE', collection, ['dryRun=All']],
    ['GET', `/api/v1/namespaces/${namespace}/pods/a/log`, []],
    ['GET', `/api/v1/namespaces/${namespace}/pods/a/exec`, []],
  ] as const;
  const oneParameter = reads.flatMap(([method, path, query]) =>
    parameters.flatMap((parameter) =>
      values.map(([name, value]) => ({
        name: `${method} ${path}?${[...query, parameter].join('&')}= ${name}`,
        request: (size: number) => plain(method, path, [...query, `${parameter}=${value(size)}`]),
      })),
    ),
  );
  const writes = (['fieldManager', 'fieldValidation', 'dryRun', 'timeout', 'unknown'] as const).flatMap((parameter) =>
    values.map(([name, value]) => ({
      name: `POST ${collection}?${parameter}= ${name}`,
      request: (size: number) =>
        withBody(
          'POST',
          `${collection}?${parameter}=${value(size)}`,
          'application/json',
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a"}}',
        ),
    })),
  );
  const oneHeader = [collection, '/apis', '/version', '/openapi/v2'].flatMap((path) =>
    headers.flatMap((header) =>
      headerValues.map(([name, value]) => ({
        name: `GET ${path} ${header}: ${name}`,
        request: (size: number) => plain('GET', path, [], { [header]: value(size) }),
      })),
    ),
  );
  const manyHeaders: StallCase[] = ['x-', 'impersonate-extra-', 'x-remote-extra-'].map((prefix) => ({
    name: `headers ${prefix}`,
    request: (size: number) =>
      plain('GET', collection, [], Object.fromEntries(times(size, (i) => [`${prefix}${i}`, 'a']))),
  }));
  const paths = prefixes(namespace).flatMap((prefix) =>
    segments.map(([name, path]) => ({
      name: `GET ${prefix} path of ${name}`,
      request: (size: number) => plain('GET', prefix + path(size)),
    })),
  );
  return [...wholeQueries, ...oneParameter, ...writes, ...oneHeader, ...manyHeaders, ...paths];
}
