import type { FuzzRequest } from '../request.ts';
import { plain, times, withBody, withJson, type StallCase } from './stall-case.ts';

const group = 'definitions.example.com';
const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const columns = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const text = { type: 'string' } as const;

/** How long controllers, caches and documents may continue to work after a response. */
const workMs = 3_000;

type Versions = readonly Record<string, unknown>[];
const version = (schema: unknown, rest: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
  ...rest,
});
const withProperties = (properties: unknown): Versions => [version({ type: 'object', properties })];
const named = (size: number, property: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(times(size, (i) => [`p${i}`, property(i)]));
const properties = (size: number, property: (index: number) => unknown): Versions =>
  withProperties(named(size, property));

/** The maximum number of versions of a definition. */
const mostVersions = 100;

function versionsOf(size: number, property: (version: number) => unknown): Versions {
  const count = Math.min(size, mostVersions);
  return times(count, (i) => {
    const schema = { type: 'object', properties: named(Math.floor(size / count), () => property(i)) };
    return version(schema, { name: `v${i + 1}`, storage: i === 0 });
  });
}

/** A list of objects with a default value for one field of each item. */
const listOf = (items: unknown, rest: Record<string, unknown>): Versions =>
  withProperties({ list: { type: 'array', items, ...rest } });

/** The maximum depth at which a definition can still be stored. */
const mostLevels = 900;

function nested(levels: number): unknown {
  let schema: unknown = text;
  for (let i = 0; i < levels; i++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

/** Versions of definitions, by what is repeated. `members` is the number of members for each repetition. */
const shapes: readonly (readonly [name: string, members: number, versions: (size: number) => Versions])[] = [
  ['properties', 2, (n) => properties(n, () => text)],
  ['described properties', 4, (n) => properties(n, (i) => ({ ...text, description: `Text ${i}.`, maxLength: 9 }))],
  ['deep properties', 3, (n) => properties(Math.ceil(n / mostLevels), () => nested(Math.min(n, mostLevels)))],
  ['enums', 1, (n) => withProperties({ a: { ...text, enum: times(n, (i) => `e${i}`) } })],
  ['required', 1, (n) => withProperties({ a: { type: 'object', required: times(n, (i) => `r${i}`) } })],
  ['patterns', 3, (n) => properties(n, (i) => ({ ...text, pattern: `^[a-z]{1,${1 + (i % 9)}}$` }))],
  [
    'rules',
    6,
    (n) => properties(n, () => ({ ...text, maxLength: 9, 'x-kubernetes-validations': [{ rule: 'self != "a"' }] })),
  ],
  [
    'rules of one object',
    2,
    (n) =>
      withProperties({
        a: {
          ...{ type: 'object', properties: { b: { type: 'integer' } } },
          'x-kubernetes-validations': times(n, (i) => ({ rule: `self.b != ${i}` })),
        },
      }),
  ],
  ['versions', 3, (n) => versionsOf(n, (i) => ({ ...text, maxLength: i + 1 }))],
  ['versions alike', 2, (n) => versionsOf(n, () => text)],
  [
    'too many versions',
    8,
    (n) => times(n, (i) => version({ type: 'object' }, { name: `v${i + 1}`, storage: i === 0 })),
  ],
  [
    'columns',
    4,
    (n) => [
      version(
        { type: 'object' },
        { additionalPrinterColumns: times(n, (i) => ({ name: `c${i}`, ...text, jsonPath: '.a' })) },
      ),
    ],
  ],
  ['defaults', 3, (n) => properties(n, () => ({ ...text, default: 'a' }))],
  [
    'one large default',
    1,
    (n) =>
      withProperties({
        a: {
          ...{ type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          default: Object.fromEntries(times(n, (i) => [`k${i}`, i])),
        },
      }),
  ],
  [
    'a default of a list',
    1,
    (n) => listOf({ type: 'object', properties: { a: { ...text, default: 'x' } } }, { default: times(n, () => ({})) }),
  ],
  [
    'defaults within a default',
    3,
    (n) =>
      withProperties({
        a: {
          ...{ type: 'object', default: {} },
          properties: Object.fromEntries(times(n, (i) => [`p${i}`, { ...text, default: 'a' }])),
        },
      }),
  ],
  [
    'branches',
    4,
    (n) => [
      version({
        ...{ type: 'object', properties: { a: text } },
        allOf: times(n, () => ({ properties: { a: { minLength: 1 } } })),
      }),
    ],
  ],
  [
    'keys of a map',
    4,
    (n) => {
      const keys = times(n, (i) => `k${i}`);
      const items = {
        ...{ type: 'object', required: keys },
        properties: Object.fromEntries(keys.map((key) => [key, text])),
      };
      return listOf(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
    },
  ],
  ['errors of types', 2, (n) => properties(n, () => ({ type: 'strin' }))],
  ['errors of structure', 1, (n) => properties(n, () => ({}))],
  ['errors of columns', 1, (n) => [version({ type: 'object' }, { additionalPrinterColumns: times(n, () => ({})) })]],
  [
    'errors of selectable fields',
    2,
    (n) => [version({ type: 'object' }, { selectableFields: times(n, () => ({ jsonPath: 'a' })) })],
  ],
  [
    'errors of versions',
    5,
    (n) => times(Math.min(n, mostVersions), () => version(nested(Math.ceil(n / mostVersions)), { name: '' })),
  ],
];

/** Long names and conversions, in definitions that are small otherwise. */
const others: readonly (readonly [name: string, members: number, spec: (size: number) => Record<string, unknown>])[] = [
  ['short names', 1, (n) => ({ names: { shortNames: times(n, (i) => `s${i}`) } })],
  ['categories', 1, (n) => ({ names: { categories: times(n, (i) => `c${i}`) } })],
  ['errors of short names', 1, (n) => ({ names: { shortNames: times(n, (i) => `S${i}`) } })],
  [
    'review versions',
    1,
    (n) => ({
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { url: 'https://127.0.0.1:1/' },
          conversionReviewVersions: ['v1', ...times(n, (i) => `v1alpha${i}`)],
        },
      },
    }),
  ],
];

/** A definition must fit into one request to etcd. Some definitions are stored twice, because they contain their previous state. */
const maxStored = 1_200_000;
/** The maximum number of members, minus those for names and metadata. */
const mostMembers = 59_000;

let made = 0;

/** Builds a definition. Each measurement uses a new one. */
function definition(name: string, spec: Record<string, unknown>): Record<string, unknown> {
  const { names = {}, ...rest } = spec;
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${name}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced' },
      names: { plural: name, singular: name, kind: `K${name}`, listKind: `K${name}List`, ...(names as object) },
      versions: [version({ type: 'object' })],
      ...rest,
    },
  };
}

const create = (name: string, spec: Record<string, unknown>): FuzzRequest =>
  withJson('POST', root, definition(name, spec));
const change = (name: string, spec: Record<string, unknown>): FuzzRequest =>
  withBody('PATCH', `${root}/${name}.${group}`, 'application/merge-patch+json', JSON.stringify({ spec }));
const remove = (name: string): FuzzRequest => plain('DELETE', `${root}/${name}.${group}`);
const reads: readonly FuzzRequest[] = [
  plain('GET', '/openapi/v2'),
  plain('GET', '/openapi/v3'),
  plain('GET', `/openapi/v3/apis/${group}/v1`),
  plain('GET', '/apis'),
  plain('GET', root),
  plain('GET', root, [], { accept: columns }),
];

/** The measured request for a definition, and the requests before and after it. */
interface Action {
  readonly name: string;
  readonly request: (name: string, spec: Record<string, unknown>) => FuzzRequest;
  readonly stored?: (name: string, spec: Record<string, unknown>) => readonly FuzzRequest[];
  readonly afterwards: (name: string) => readonly FuzzRequest[];
}

const openApiPath = `/openapi/v3/apis/${group}/v1`;
const actions: readonly Action[] = [
  { name: 'create', request: create, afterwards: (name) => [remove(name)] },
  {
    name: 'update',
    stored: (name) => [create(name, {})],
    request: change,
    afterwards: (name) => [remove(name)],
  },
  {
    name: 'read',
    stored: (name, spec) => [create(name, spec)],
    request: () => plain('GET', openApiPath),
    afterwards: (name) => [...reads, remove(name)],
  },
];

function casesOf(name: string, members: number, spec: (size: number) => Record<string, unknown>): StallCase[] {
  const maxSize = Math.min(
    Math.floor(mostMembers / members),
    Math.floor(maxStored / (JSON.stringify(spec(2_000)).length / 2_000)),
  );
  return actions.map(({ name: action, request, stored, afterwards }): StallCase => {
    // All requests of one measurement use the same definition.
    let plural = '';
    const next = () => (plural = `d${++made}`);
    const nameOf = () => (plural === '' ? next() : plural);
    return {
      name: `definition: ${name}, ${action}`,
      maxSize,
      request: (size) => request(stored === undefined ? next() : nameOf(), spec(size)),
      ...(stored === undefined ? {} : { stored: (size) => stored(next(), spec(size)) }),
      afterwards: () => afterwards(nameOf()),
      workMs,
    };
  });
}

/** Requests that write large CustomResourceDefinitions, including the background work that follows. */
export const definitionCases: readonly StallCase[] = [
  ...shapes.flatMap(([name, members, versions]) => casesOf(name, members, (n) => ({ versions: versions(n) }))),
  ...others.flatMap(([name, members, spec]) => casesOf(name, members, spec)),
];
