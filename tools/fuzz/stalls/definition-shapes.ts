import { times } from './stall-case.ts';

/** The name of the group of these definitions. */
export const definitionGroup = 'definitions.example.com';

const text = { type: 'string' } as const;

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
const versionShapes: readonly (readonly [name: string, members: number, versions: (size: number) => Versions])[] = [
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
  [
    'wrong rules',
    2,
    (n) => [version({ type: 'object', 'x-kubernetes-validations': times(n, () => ({ rule: 'self.a +' })) })],
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

/** What is repeated in a definition. */
export interface DefinitionShape {
  readonly name: string;
  /** The number of members for each repetition. */
  readonly members: number;
  readonly spec: (repetitions: number) => Record<string, unknown>;
}

export const definitionShapes: readonly DefinitionShape[] = [
  ...versionShapes.map(([name, members, versions]) => ({
    ...{ name, members },
    spec: (size: number) => ({ versions: versions(size) }),
  })),
  ...others.map(([name, members, spec]) => ({ name, members, spec })),
];

/** A definition must fit into one request to etcd. Some definitions are stored twice, because they contain their previous state. */
const maxStored = 1_200_000;
/** The maximum number of members, minus those for names and metadata. */
const mostMembers = 59_000;

/** The most repetitions in a definition that can be stored. */
export const mostRepetitions = ({ members, spec }: DefinitionShape): number =>
  Math.min(Math.floor(mostMembers / members), Math.floor(maxStored / (JSON.stringify(spec(2_000)).length / 2_000)));

/** A definition with this plural name. */
export function makeDefinition(name: string, spec: Record<string, unknown>): Record<string, unknown> {
  const { names = {}, ...rest } = spec;
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${name}.${definitionGroup}` },
    spec: {
      ...{ group: definitionGroup, scope: 'Namespaced' },
      names: { plural: name, singular: name, kind: `K${name}`, listKind: `K${name}List`, ...(names as object) },
      versions: [version({ type: 'object' })],
      ...rest,
    },
  };
}
