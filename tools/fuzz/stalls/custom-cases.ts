import { definitionOf, versionOf } from '../../servers/definition.ts';
import type { FuzzRequest } from '../request.ts';
import { times, withBody, withJson, type StallCase } from './stall-case.ts';

const group = 'stalls.example.com';
const text = { type: 'string' } as const;
const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** Fields of a custom resource, each with validation that costs time for each item. */
const properties = {
  list: { type: 'array', items: text },
  set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  numbers: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
  objects: { type: 'array', items: { ...any, 'x-kubernetes-map-type': 'atomic' }, 'x-kubernetes-list-type': 'set' },
  map: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name', 'port'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: text, port: { type: 'integer', default: 1 }, value: text },
    },
  },
  defaulted: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        a: { ...text, default: 'a' },
        b: {
          type: 'object',
          default: {},
          properties: { c: { type: 'integer', default: 3 }, d: { type: 'array', items: text, default: ['x', 'y'] } },
        },
      },
    },
  },
  pattern: {
    type: 'array',
    items: { ...text, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' },
  },
  slow: { ...text, pattern: '^(a|b|ab)*c$' },
  format: { type: 'array', items: { ...text, format: 'date-time' } },
  hostname: { ...text, format: 'hostname' },
  address: { ...text, format: 'ipv6' },
  email: { ...text, format: 'email' },
  uri: { ...text, format: 'uri' },
  cidr: { ...text, format: 'cidr' },
  uuid: { ...text, format: 'uuid' },
  base64: { ...text, format: 'byte' },
  duration: { ...text, format: 'duration' },
  choice: { type: 'array', items: { anyOf: [{ pattern: '^a' }, { pattern: '^b' }, { maxLength: 3 }], ...text } },
  not: { type: 'array', items: { ...text, not: { enum: ['bad'] } } },
  enumerated: { type: 'array', items: { ...text, enum: ['a', 'b', 'c'] } },
  unique: { type: 'array', maxItems: 1_000_000, items: { type: 'integer', maximum: 5 } },
  values: { type: 'object', additionalProperties: { type: 'object', properties: { a: { ...text, default: 'x' } } } },
  free: any,
  embedded: {
    type: 'array',
    items: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
  intOrString: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
  nested: { type: 'array', items: { type: 'array', items: { type: 'array', items: text } } },
  rules: {
    type: 'array',
    maxItems: 200_000,
    items: { ...text, maxLength: 64 },
    'x-kubernetes-validations': [{ rule: "self.all(x, x != 'bad')" }, { rule: 'size(self) >= oldSelf.size() || true' }],
  },
  ruled: {
    type: 'array',
    maxItems: 100_000,
    items: {
      type: 'object',
      properties: { a: { ...text, maxLength: 8 } },
      'x-kubernetes-validations': [{ rule: "!has(self.a) || self.a != 'bad'" }],
    },
  },
  contains: {
    type: 'array',
    maxItems: 900,
    items: { ...text, maxLength: 16 },
    'x-kubernetes-validations': [{ rule: 'self.all(x, self.exists_one(y, y == x))' }],
  },
} as const;

/** The schemas of the versions must differ: fields cannot be selectable where all versions have one schema. */
const schema = (description: string) => ({ spec: { type: 'object', description, properties }, status: any });

export const customDefinition = definitionOf(group, 'Stall', [
  versionOf('v1', schema('as stored'), {
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'List', type: 'string', jsonPath: '.spec.list[*]' }],
    selectableFields: [{ jsonPath: '.spec.slow' }],
  }),
  versionOf('v2', schema('converted'), {
    storage: false,
    additionalPrinterColumns: [{ name: 'Free', type: 'string', jsonPath: '.spec.free.key-0' }],
  }),
]);

const lists: readonly (readonly [field: string, name: string, items: (size: number) => unknown])[] = [
  ['list', 'texts', (n) => times(n, (i) => `n${i}`)],
  ['list', 'numbers for texts', (n) => times(n, (i) => i)],
  ['set', 'distinct', (n) => times(n, (i) => `n${i}`)],
  ['set', 'equal', (n) => times(n, () => 'a')],
  ['set', 'pairs', (n) => times(n, (i) => `n${i >> 1}`)],
  ['numbers', 'distinct', (n) => times(n, (i) => i)],
  ['numbers', 'equal', (n) => times(n, () => 1)],
  ['objects', 'distinct', (n) => times(n, (i) => ({ a: i, b: [i] }))],
  ['objects', 'equal', (n) => times(n, () => ({ a: 1, b: [1] }))],
  ['map', 'distinct', (n) => times(n, (i) => ({ name: `n${i}`, value: 'v' }))],
  ['map', 'equal', (n) => times(n, () => ({ name: 'n' }))],
  ['map', 'without keys', (n) => times(n, () => ({}))],
  ['defaulted', 'empty', (n) => times(n, () => ({}))],
  ['defaulted', 'half', (n) => times(n, () => ({ b: {} }))],
  ['pattern', 'matching', (n) => times(n, (i) => `n${i}`)],
  ['pattern', 'not matching', (n) => times(n, () => '!')],
  ['pattern', 'one long', (n) => ['a-'.repeat(n)]],
  ['pattern', 'one long of dots', (n) => ['a.'.repeat(n)]],
  ['slow', 'long', (n) => 'ab'.repeat(n)],
  ['hostname', 'long', (n) => 'a.'.repeat(n)],
  ['address', 'long', (n) => '1:'.repeat(n)],
  ['email', 'long', (n) => 'a.'.repeat(n) + '@b'],
  ['email', 'ats', (n) => '@'.repeat(n)],
  ['uri', 'long', (n) => `http://${'a%20'.repeat(n)}`],
  ['cidr', 'long', (n) => `${'1.'.repeat(n)}/8`],
  ['uuid', 'long', (n) => 'a-'.repeat(n)],
  ['base64', 'long', (n) => `${'AAAA'.repeat(n)}!`],
  ['duration', 'long', (n) => '1h'.repeat(n)],
  ['duration', 'spaces', (n) => `1 ${' '.repeat(n)}x`],
  ['format', 'wrong', (n) => times(n, () => 'x')],
  ['choice', 'wrong', (n) => times(n, () => 'long enough')],
  ['not', 'right', (n) => times(n, (i) => `n${i}`)],
  ['enumerated', 'wrong', (n) => times(n, (i) => `n${i}`)],
  ['unique', 'too large', (n) => times(n, (i) => i)],
  ['values', 'distinct', (n) => Object.fromEntries(times(n, (i) => [`k${i}`, {}]))],
  ['values', 'of another type', (n) => Object.fromEntries(times(n, (i) => [`k${i}`, 1]))],
  ['free', 'members', (n) => Object.fromEntries(times(n, (i) => [`k${i}`, {}]))],
  ['free', 'numbers as keys', (n) => Object.fromEntries(times(n, (i) => [String(i * 1_048_576), 1]))],
  [
    'embedded',
    'objects',
    (n) => times(n, (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `n${i}` } })),
  ],
  ['embedded', 'without kind', (n) => times(n, () => ({}))],
  ['intOrString', 'mixed', (n) => times(n, (i) => (i % 2 === 0 ? i : 'a'))],
  ['intOrString', 'wrong', (n) => times(n, () => ({}))],
  ['nested', 'lists', (n) => times(n, () => [[]])],
  ['rules', 'texts', (n) => times(Math.min(n, 200_000), (i) => `n${i}`)],
  ['ruled', 'objects', (n) => times(Math.min(n, 100_000), () => ({ a: 'x' }))],
  ['ruled', 'wrong objects', (n) => times(Math.min(n, 100_000), () => ({ a: 'bad' }))],
  ['contains', 'texts', (n) => times(Math.min(n, 1_000), (i) => `n${i}`)],
  ['unknown', 'list', (n) => times(n, (i) => i)],
];

const apiVersion = `${group}/v1`;
const deliveries = [
  'POST',
  'PUT',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
  'application/json-patch+json',
] as const;

function delivered(
  delivery: (typeof deliveries)[number],
  namespace: string,
  spec: Record<string, unknown>,
): FuzzRequest {
  const collection = `/apis/${group}/v1/namespaces/${namespace}/stalls`;
  const object = { apiVersion, kind: 'Stall', metadata: { name: 'stall' }, spec };
  const named = `${collection}/stall?dryRun=All`;
  switch (delivery) {
    case 'POST':
      return withJson('POST', `${collection}?dryRun=All`, object);
    case 'PUT':
      return withJson('PUT', named, object);
    case 'application/json-patch+json':
      return withBody('PATCH', named, delivery, JSON.stringify([{ op: 'add', path: '/spec', value: spec }]));
    case 'application/apply-patch+yaml':
      return withBody('PATCH', `${named}&fieldManager=stalls&force=true`, delivery, JSON.stringify(object));
    case 'application/merge-patch+json':
      return withBody('PATCH', named, delivery, JSON.stringify({ spec }));
  }
}

/** Large objects of a custom resource whose schema requires work for every item. */
const customObjects = (namespace: string): readonly StallCase[] =>
  deliveries.flatMap((delivery) =>
    lists.map(([field, name, items]) => ({
      name: `${delivery} custom ${field}: ${name}`,
      request: (size: number) => delivered(delivery, namespace, { [field]: items(size) }),
      ...(delivery === 'POST'
        ? {}
        : { stored: () => [delivered('POST', namespace, {})].map((made) => ({ ...made, query: [] })) }),
    })),
  );

const definitionWith = (spec: unknown, rest: Record<string, unknown> = {}): FuzzRequest => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const version = { name: 'v1', served: true, storage: true, schema, ...rest };
  const body = definitionOf(group, 'Other', [version]);
  return withJson('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', body);
};

/** A definition whose schema nests so deeply. It is made as text: JSON.stringify would overflow the stack. */
function nestingDefinition(levels: number): FuzzRequest {
  const { body, ...request } = definitionWith('nested');
  const nested = `${'{"type":"object","properties":{"a":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`;
  return { ...request, body: Buffer.from(String(body).replace('"nested"', nested)) };
}

const ruled = (rule: string): FuzzRequest => definitionWith({ type: 'object', 'x-kubernetes-validations': [{ rule }] });

/** Definitions with a text or a nesting as large as a request. Those with many members are in definition-shapes.ts. */
const definitions: readonly (readonly [name: string, request: (size: number) => FuzzRequest, maxSize?: number])[] = [
  ['nesting', nestingDefinition, 5_000],
  ['a long rule', (n) => ruled(`${'true && '.repeat(n)}true`)],
  ['a deep rule', (n) => ruled(`${'('.repeat(n)}true${')'.repeat(n)}`)],
  ['a pattern', (n) => definitionWith({ ...text, pattern: `^${'(a|b)*'.repeat(n)}$` })],
  ['a counted pattern', (n) => definitionWith({ ...text, pattern: `^${'a{1,1000}'.repeat(n)}$` })],
  [
    'a long column',
    (n) => definitionWith(any, { additionalPrinterColumns: [{ name: 'c', ...text, jsonPath: '.a'.repeat(n) }] }),
  ],
];

/** Cases for objects and definitions of custom resources. */
export const customCases = (namespace: string): readonly StallCase[] => [
  ...customObjects(namespace),
  ...definitions.map(([name, request, maxSize]) => ({
    name: `definition: ${name}`,
    request,
    ...(maxSize === undefined ? {} : { maxSize }),
  })),
];
