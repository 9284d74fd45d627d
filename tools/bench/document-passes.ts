/** Measures how long each plain pass over a document of a built-in kind or a definition holds the thread, for the worst documents. No server is started. */
import { parseArgs } from 'node:util';
import { internalContext, typedCodec, type ObjectCodec, type Strategy } from '@apichain/apiserver';
import { builtinGroupVersions, builtinProtobuf, builtinType, defaulterFor } from '@apichain/kinds';
import { strategyFor } from '@apichain/kinds-registry';
import {
  applyJsonPatch,
  applyMergePatch,
  decodeJsonPatch,
  deepClone,
  errorMessage,
  parseJson,
  parseJsonInSlices,
  parseYamlInSlices,
  stringifyJson,
  type JsonObject,
  type KubeObject,
} from '@apichain/meta';
import { applyStrategicMergePatch, canonicalMembers, encodeCbor, type Type } from '@apichain/scheme';
import { definitionPasses } from './definition-passes.ts';
import { pass, type Pass } from './pass.ts';

const usage = `usage: node tools/bench/document-passes.ts [--rounds 7] [--only TEXT]

Prints the median and the largest processor time of each pass in milliseconds: reading, decoding with defaults, validation, patches, and encoding of
the largest documents, validation and types of the largest definitions, and a small pod a thousand times. The first round is not counted.

  --rounds N   how often each pass is measured
  --only TEXT  only the passes whose line contains the text`;

interface Options {
  readonly help: boolean;
  readonly rounds: number;
  readonly only: string;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      rounds: { type: 'string', default: '7' },
      only: { type: 'string', default: '' },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds: ${values.rounds} is not a positive number`);
  return { help: values.help, rounds, only: values.only };
}

const times = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const members = (count: number, member: (index: number) => readonly [string, unknown]): JsonObject =>
  parseJson(stringifyJson(Object.fromEntries(times(count, member)))) as JsonObject;

/** How a document, whose kind is that of a resource, and the patches that are applied to it are made. */
interface Case {
  readonly name: string;
  readonly plural: string;
  readonly document: () => JsonObject;
  readonly strategic?: () => JsonObject;
  readonly merge?: () => JsonObject;
  readonly operations?: () => readonly unknown[];
}

const configMap = (data: JsonObject): JsonObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'large', namespace: 'default' },
  data,
});

const podSpec = (containers: number, variables: number, value: string): JsonObject => ({
  containers: times(containers, (i) => ({
    name: `container-${i}`,
    image: 'registry.example.com/app:1',
    resources: { limits: { cpu: '100m', memory: '128Mi' } },
    env: times(variables, (k) => ({ name: `VARIABLE_${k}`, value })),
  })),
});

const deployment = (spec: JsonObject): JsonObject => ({
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'large', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'a' } }, template: { metadata: { labels: { app: 'a' } }, spec } },
});

const keys = (count: number, value: string): JsonObject =>
  members(count, (i) => [`key-${String(i).padStart(5, '0')}`, value]);

const cases: readonly Case[] = [
  {
    name: 'ConfigMap of 99,000 keys',
    plural: 'configmaps',
    document: () => configMap(keys(99_000, '')),
    merge: () => ({ data: keys(49_000, 'changed') }),
    strategic: () => ({ data: keys(49_000, 'changed') }),
    operations: () => times(10_000, (i) => ({ op: 'add', path: `/data/new-${i}`, value: 'x'.repeat(100) })),
  },
  {
    name: 'ConfigMap of 99,000 keys in reverse with escapes',
    plural: 'configmaps',
    document: () => configMap(members(99_000, (i) => [`key-${99_999 - i}`, '<&>'])),
  },
  {
    name: 'ConfigMap of 5,000 keys of 253 characters',
    plural: 'configmaps',
    document: () => configMap(members(5_000, (i) => [`key-${i}-`.padEnd(253, 'k'), 'v'.repeat(40)])),
  },
  {
    name: 'ConfigMap of a text of 1 MB of characters to escape',
    plural: 'configmaps',
    document: () => configMap({ a: '<'.repeat(1_000_000) }),
  },
  {
    name: 'Service of 33,000 ports',
    plural: 'services',
    document: () => ({
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'large', namespace: 'default' },
      spec: { ports: times(33_000, (i) => ({ port: 1 + i, name: `p${i}` })) },
    }),
    operations: () =>
      times(10_000, (i) => ({ op: 'add', path: '/spec/ports/0', value: { port: 40_000 + i, name: `q${i}` } })),
  },
  {
    name: 'Deployment of 10,000 containers',
    plural: 'deployments',
    document: () => deployment(podSpec(10_000, 0, '')),
  },
  {
    name: 'Deployment of 100 containers with 300 variables',
    plural: 'deployments',
    document: () => deployment(podSpec(100, 300, 'value')),
    strategic: () => ({ spec: { template: { spec: podSpec(100, 300, 'v'.repeat(60)) } } }),
    operations: () =>
      times(10_000, (i) => ({
        op: i % 2 === 0 ? 'copy' : 'move',
        from: `/spec/template/spec/containers/${i % 100}/env/${i % 300}`,
        path: `/spec/template/spec/containers/${(i + 1) % 100}/env/0`,
      })),
  },
];

const smallPod: JsonObject = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'small', namespace: 'default', labels: { app: 'a' } },
  spec: podSpec(2, 3, 'value'),
};

const context = internalContext(
  { group: '', version: 'v1', resource: 'pods' },
  { verb: 'create', signal: new AbortController().signal },
);

/** What the server knows of a kind. */
interface Kind {
  readonly codec: ObjectCodec;
  readonly strategy: Strategy;
  readonly type: Type;
}

function kindOf(plural: string): Kind {
  const [resource] = builtinGroupVersions
    .flatMap(({ resources }) => resources)
    .filter(({ info, version }) => info.plural === plural && version === 'v1');
  const type = resource === undefined ? undefined : builtinType(resource.info.kind);
  if (resource === undefined || type === undefined) throw new Error(`no resource ${plural}`);
  const setDefaults = defaulterFor(resource.info.kind);
  const codec = typedCodec({ kind: resource.info.kind, type, ...(setDefaults === undefined ? {} : { setDefaults }) });
  return { codec, strategy: strategyFor(resource, type, ['v1']), type };
}

/** YAML in flow style with a comment, which the reader does not take for JSON. */
const yamlOf = (json: string): string => `# YAML\n${json.replaceAll('":', '": ')}`;

function passesOf({ name, plural, document, strategic, merge, operations }: Case): readonly Pass[] {
  const { codec, strategy, type } = kindOf(plural);
  const decoded = () => codec.decode(document()).object;
  const asJson = () => decoded() as JsonObject;
  const updated = (): [KubeObject, KubeObject] => [decoded(), decoded()];
  const membersOf = canonicalMembers(type, []);
  const passes = [
    pass('read JSON', () => Buffer.from(stringifyJson(document())), parseJsonInSlices),
    pass('read YAML', () => Buffer.from(yamlOf(stringifyJson(document()))), parseYamlInSlices),
    pass(
      'read protobuf',
      () => builtinProtobuf.encode(decoded()),
      (bytes) => builtinProtobuf.decode(bytes),
    ),
    pass('decode and default', document, (value) => codec.decode(value)),
    pass('validate', decoded, (object) => strategy.validate?.(context, object)),
    pass('validate update', updated, ([object, old]) => strategy.validateUpdate?.(context, object, old)),
    pass('copy', decoded, deepClone),
    pass('encode for the store', decoded, (object) => Buffer.from(membersOf(object))),
    pass('encode as JSON', decoded, (object) => Buffer.from(stringifyJson(object))),
    pass('encode as protobuf', decoded, (object) => builtinProtobuf.encode(object)),
    pass('encode as CBOR', decoded, encodeCbor),
  ];
  if (merge !== undefined)
    passes.push(
      pass(
        'merge patch',
        () => ({ object: decoded(), patch: merge() }),
        ({ object, patch }) => applyMergePatch(object, patch),
      ),
    );
  if (strategic !== undefined)
    passes.push(
      pass(
        'strategic merge patch',
        () => ({ object: asJson(), patch: strategic() }),
        ({ object, patch }) => applyStrategicMergePatch(object, patch, type),
      ),
    );
  if (operations !== undefined)
    passes.push(
      pass(
        'JSON patch',
        () => ({ object: decoded(), patch: decodeJsonPatch(operations()).operations }),
        ({ object, patch }) => applyJsonPatch(object, patch),
      ),
    );
  return passes.map((each) => ({ ...each, name: `${name}: ${each.name}` }));
}

function smallPodPasses(): readonly Pass[] {
  const { codec, strategy, type } = kindOf('pods');
  const membersOf = canonicalMembers(type, []);
  const repeated = async () => {
    for (let i = 0; i < 1_000; i++) {
      const { object } = codec.decode(smallPod);
      await strategy.validate?.(context, object);
      membersOf(object);
    }
  };
  return [pass('1,000 small pods: decode, default, validate, encode', () => undefined, repeated)];
}

async function processorMs(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function measure({ rounds, only }: Options): Promise<void> {
  const passes = [...cases.flatMap(passesOf), ...definitionPasses, ...smallPodPasses()].filter(({ name }) =>
    name.includes(only),
  );
  console.log(' median largest');
  for (const { name, prepare } of passes) {
    const found: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const ms = await processorMs(prepare());
      if (round > 0) found.push(ms);
    }
    const columns = [median(found), Math.max(...found)].map((ms) => ms.toFixed(1).padStart(7));
    console.log(`${columns.join(' ')}  ${name}`);
  }
}

try {
  const options = readOptions();
  if (options.help) console.log(usage);
  else await measure(options);
} catch (error) {
  console.error(`${errorMessage(error)}\n\n${usage}`);
  process.exitCode = 2;
}
