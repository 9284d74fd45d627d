import { Sample } from '../../conformance/scenarios/kinds.ts';
import { sampleKinds } from '../../conformance/scenarios/samples/index.ts';
import type { SampleKind } from '../../conformance/scenarios/samples/sample-kind.ts';
import { definitionOf, versionOf } from '../../servers/definition.ts';
import { inText, substitute } from '../../conformance/scenario.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An object to create, and how to change it. */
export interface TestObject {
  readonly collection: string;
  readonly path: string;
  readonly body: Fields;
  /** A status to write through the status subresource. */
  readonly status?: Fields;
  /** A merge patch. */
  readonly change: Fields;
  /** True when servers write the object's status by themselves, after it was created. */
  readonly hasOwnStatus: boolean;
}

/** The CustomResourceDefinitions whose objects `testObjects` contains, of the group RUN.example.com. */
export const definitions = (run: string): readonly Fields[] => [
  definition(run, 'Gadget', 'gadgets', 'Namespaced'),
  definition(run, 'Plant', 'plants', 'Cluster'),
];

/** Objects of every built-in kind that is stored and on by default, Services of all types, and custom resources. `run` is part of their names. */
export function testObjects(run: string): readonly TestObject[] {
  return [
    ...sampleKinds.flatMap((kind, index) => ofKind(kind, index, run)),
    ...serviceSpecs.map(([name, spec]) => inNamespace(run, 'v1', 'Service', 'services', name, { spec })),
    ...customResources(run),
  ];
}

const namespaceOf = (run: string) => `data-${run}`;

/** `index` is part of the names, since some kinds are stored with others. */
function ofKind(kind: SampleKind, index: number, run: string): TestObject[] {
  const sample = new Sample(kind);
  const variables = { run, ns: namespaceOf(run), webhook: 'https://127.0.0.1:1', webhookCa: '' };
  const annotation = { metadata: { annotations: { 'example.com/changed': 'yes' } } };
  const object = (which: string, fields: Fields, change: Fields = annotation): TestObject => ({
    collection: inText(sample.collection, variables),
    path: inText(sample.path(which), variables),
    body: substitute(sample.object(which, fields), variables) as Fields,
    ...(kind.status === undefined ? {} : { status: substitute(kind.status, variables) as Fields }),
    change: substitute(change, variables) as Fields,
    hasOwnStatus: kind.serverCondition !== undefined,
  });
  const { minimal, rich } = kind;
  return [
    object(`main-${index}`, minimal, kind.change),
    ...(rich === undefined ? [] : [object(`rich-${index}`, rich)]),
  ];
}

const port = { port: 80, targetPort: 'http', protocol: 'TCP' };
const serviceSpecs: readonly (readonly [string, Fields])[] = [
  ['cluster-ip', { ports: [port], selector: { a: 'b' }, internalTrafficPolicy: 'Local' }],
  [
    'node-port',
    {
      type: 'NodePort',
      ports: [
        { ...port, name: 'tcp' },
        { port: 53, name: 'udp', protocol: 'UDP' },
      ],
    },
  ],
  ['load-balancer', { type: 'LoadBalancer', ports: [port], externalTrafficPolicy: 'Local', loadBalancerClass: 'a/b' }],
  ['no-node-ports', { type: 'LoadBalancer', ports: [port], allocateLoadBalancerNodePorts: false }],
  ['external-name', { type: 'ExternalName', externalName: 'x.example.com' }],
  ['headless', { clusterIP: 'None', ports: [port], publishNotReadyAddresses: true }],
  ['dual-stack', { ipFamilyPolicy: 'RequireDualStack', ports: [port], sessionAffinity: 'ClientIP' }],
  ['ipv6', { ipFamilies: ['IPv6'], type: 'NodePort', ports: [port] }],
];

const customFields = {
  spec: {
    text: 'a < b & "c" \u2028 é',
    number: 1.5,
    large: 9007199254740993,
    list: [{ name: 'b', x: 1 }, { name: 'a' }],
    any: { z: 1, a: [null, {}] },
  },
};

const customResources = (run: string): TestObject[] => [
  inNamespace(run, `${run}.example.com/v1`, 'Gadget', 'gadgets', 'main', customFields),
  // Written in the version that is not the stored one.
  inNamespace(run, `${run}.example.com/v2`, 'Gadget', 'gadgets', 'second', customFields),
  {
    collection: `/apis/${run}.example.com/v1/plants`,
    path: `/apis/${run}.example.com/v1/plants/main`,
    body: { apiVersion: `${run}.example.com/v1`, kind: 'Plant', metadata: { name: 'main' }, ...customFields },
    change: { spec: { text: 'changed' } },
    hasOwnStatus: false,
  },
];

function inNamespace(
  run: string,
  apiVersion: string,
  kind: string,
  resource: string,
  name: string,
  fields: Fields,
): TestObject {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection = `${root}/namespaces/${namespaceOf(run)}/${resource}`;
  return {
    collection,
    path: `${collection}/${name}`,
    body: { apiVersion, kind, metadata: { name, labels: { kept: 'yes' } }, ...fields },
    change: { metadata: { annotations: { 'example.com/changed': 'yes' } } },
    hasOwnStatus: false,
  };
}

function definition(run: string, kind: string, plural: string, scope: 'Namespaced' | 'Cluster') {
  const spec = {
    type: 'object',
    properties: {
      text: { type: 'string', default: 'none', maxLength: 100 },
      number: { type: 'number' },
      large: { type: 'integer', format: 'int64' },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, x: { type: 'integer', default: 7 } },
        },
      },
      any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    'x-kubernetes-validations': [{ rule: "self.text != 'refused'", message: 'refused' }],
  };
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = (name: string, storage: boolean) =>
    versionOf(
      name,
      { spec, status },
      {
        ...{ storage, subresources: { status: {} }, selectableFields: [{ jsonPath: '.spec.text' }] },
        additionalPrinterColumns: [{ name: 'Text', type: 'string', jsonPath: '.spec.text' }],
      },
    );
  const names = {
    kind,
    plural,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: [plural.slice(0, 2)],
  };
  return definitionOf(`${run}.example.com`, kind, [version('v1', true), version('v2', false)], { names, scope });
}
