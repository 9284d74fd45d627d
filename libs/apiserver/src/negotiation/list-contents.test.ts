import assert from 'node:assert/strict';
import {
  indentedPieces,
  memberCount,
  parseJson,
  parseYaml,
  parsingJson,
  yamlPieces,
  type KubeObject,
  type Pieces,
} from '@apichain/meta';
import { cborPieces, decodeCbor, ProtobufCodec, type Field, type Type } from '@apichain/scheme';
import { structOf } from '@apichain/scheme/struct.fixture';
import type { ListContents } from '@apichain/request';
import type { StoredObject } from '@apichain/storage';
import { endpointScope, type EndpointServices } from '../endpoints/scope.ts';
import type { ResourceStorage, TableConvertor } from '../registry/rest.ts';
import { partialContents, plainContents, tableContents } from './list-contents.ts';
import { listMeta } from './list-json.ts';
import type { IncludeObject } from './table.ts';

const string: Type = { kind: 'string' };
const typeMeta: Field[] = ['kind', 'apiVersion'].map((name) => ({ name, type: string, omitempty: true }));
const objectMeta = structOf('meta.v1.ObjectMeta', [
  { name: 'name', type: string, proto: 1, omitempty: true },
  { name: 'resourceVersion', type: string, proto: 6, omitempty: true },
]);
const configMap = structOf('core.v1.ConfigMap', [
  ...typeMeta,
  { name: 'metadata', type: objectMeta, proto: 1 },
  { name: 'data', type: { kind: 'map', values: string }, proto: 2, omitempty: true },
]);
const listOf = (name: string, items: Type): Type =>
  structOf(name, [
    ...typeMeta,
    { name: 'metadata', type: structOf('meta.v1.ListMeta', []), proto: 1 },
    { name: 'items', type: { kind: 'array', items }, proto: 2 },
  ]);
const partialObject = structOf('meta.v1.PartialObjectMetadata', [
  ...typeMeta,
  { name: 'metadata', type: objectMeta, proto: 1 },
]);
const types: Readonly<Record<string, Type>> = {
  ConfigMap: configMap,
  ConfigMapList: listOf('core.v1.ConfigMapList', configMap),
  PartialObjectMetadata: partialObject,
  PartialObjectMetadataList: listOf('meta.v1.PartialObjectMetadataList', partialObject),
};
const protobuf = new ProtobufCodec({ typeOf: ({ kind }) => types[kind] });

const table: TableConvertor = {
  columns: [],
  omits: ([name]) => name === 'data',
  row: (object) => ({ cells: [object.metadata.name, memberCount((object as { data?: object }).data)] }),
};
const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
const storage: ResourceStorage = {
  path: 'configmaps',
  info: {
    kind,
    listKind: 'ConfigMapList',
    plural: 'configmaps',
    singular: 'configmap',
    namespaced: true,
    shortNames: [],
    categories: [],
  },
  type: configMap,
  table,
};
const services: EndpointServices = {
  protobuf,
  authorizer: {} as EndpointServices['authorizer'],
  kinds: {} as EndpointServices['kinds'],
  minRequestTimeoutSeconds: 1,
};
const scope = endpointScope(storage, { group: '', version: 'v1', resource: 'configmaps' }, services);

const large = 12_000;

function stored(name: string, members: number): StoredObject {
  const data = Object.fromEntries(Array.from({ length: members }, (_, i) => [`key-${i}`, `value${i}`]));
  const object: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '7', name }, data };
  const json = Buffer.from(JSON.stringify(object));
  return {
    key: name,
    revision: 7,
    json,
    attributes: { name, namespace: '', labels: {}, fields: {} },
    shapes: new Map(),
    parse: () => parseJson(json) as KubeObject,
  };
}

/** An object whose JSON is made on demand, as that of another version. */
function madeOnDemand(object: StoredObject): StoredObject {
  return {
    ...object,
    *encoding() {
      yield;
      return object.json;
    },
    *parsing() {
      return (yield* parsingJson(object.json)) as KubeObject;
    },
  };
}

interface Made {
  readonly bytes: Buffer;
  /** The largest number of steps between two pieces. */
  readonly longest: number;
  readonly pieces: number;
}

function made(pieces: Pieces<string | Buffer>): Made {
  const parts: Buffer[] = [];
  let longest = 0;
  let steps = 0;
  for (const piece of pieces) {
    longest = Math.max(longest, ++steps);
    if (piece === undefined) continue;
    assert(!(piece instanceof Promise), 'nothing is waited for');
    parts.push(Buffer.from(piece));
    steps = 0;
  }
  return { bytes: Buffer.concat(parts), longest, pieces: parts.length };
}

const forms: Readonly<Record<string, (contents: ListContents) => Pieces<string | Buffer>>> = {
  json: (contents) => contents.json(Buffer.from('\n')),
  pretty: (contents) => indentedPieces(contents.value()),
  yaml: (contents) => yamlPieces(contents.value()),
  cbor: (contents) => cborPieces(contents.value()),
};
const decoded: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  json: (bytes) => parseJson(bytes),
  pretty: (bytes) => parseJson(bytes),
  yaml: (bytes) => parseYaml(bytes),
  cbor: (bytes) => decodeCbor(bytes),
};

describe('a list that is encoded while it is sent', () => {
  const items = [stored('a', large), stored('b', 3), stored('c', large)];
  const list = { items, revision: 9 };
  const metadata = listMeta(list);
  const request = (include: IncludeObject) => ({ table, version: 'v1' as const, include, head: scope.head });
  const without = ({ kind: _kind, apiVersion: _version, ...rest }: KubeObject) => rest;
  const partial = ({ metadata: { name, resourceVersion } }: KubeObject) => ({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion, name },
  });
  const objects = items.map((item) => item.parse());
  const rows = (shown: (object: KubeObject) => unknown) => ({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: [],
    rows: objects.map((object) => ({
      cells: [object.metadata.name, memberCount(object['data'] as object)],
      object: shown(object),
    })),
  });
  const plain = { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: objects.map(without) };
  const partials = {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    items: objects.map(partial),
  };
  const contents: readonly (readonly [string, ListContents, unknown])[] = [
    ['objects', plainContents(scope, list), plain],
    ['objects of another version', plainContents(scope, { ...list, items: items.map(madeOnDemand) }), plain],
    ['metadata', partialContents(scope, list, 'v1'), partials],
    ['a Table', tableContents(scope, list, request('Metadata')), rows(partial)],
    ['a Table without objects', tableContents(scope, list, request('None')), rows(() => null)],
    ['a Table with objects', tableContents(scope, list, request('Object')), rows((object) => object)],
  ];

  for (const [name, shown, expected] of contents)
    for (const [form, encode] of Object.entries(forms))
      it(`has ${name} as ${form}`, () => {
        const { bytes } = made(encode(shown));
        assert.deepEqual(decoded[form]?.(bytes), expected);
      });

  it('takes many steps for a large item', () => {
    for (const [form, least] of Object.entries({ pretty: 4, yaml: 40, cbor: 4 })) {
      const { longest, pieces } = made(forms[form]?.(plainContents(scope, list)) ?? assert.fail(form));
      assert(longest >= least, `${form}: ${longest} steps`);
      assert(pieces >= items.length, `${form}: ${pieces} pieces`);
    }
    const shown = made(tableContents(scope, list, request('None')).json(Buffer.alloc(0)));
    assert(shown.longest >= 4, `Table: ${shown.longest} steps`);
  });

  it('has the protobuf of a whole list, made in many steps', () => {
    const { bytes, longest } = made(plainContents(scope, list).protobuf());
    const head = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {} };
    assert(bytes.equals(protobuf.encode({ ...head, items: objects })));
    assert(longest >= 4, `${longest} steps`);
    for (const { shapes } of items)
      for (const name of [...shapes.keys()]) if (!name.endsWith(';length')) shapes.delete(name);
    const again = plainContents(scope, list).protobuf();
    let before = 0;
    for (let { value } = again.next(); !Buffer.isBuffer(value) || value.length === 0; value = again.next().value)
      before++;
    assert.equal(before, items.length, 'the lengths are known');
    const twice = made(plainContents(scope, { ...list, items: items.map(madeOnDemand) }).protobuf());
    assert(twice.bytes.equals(bytes));
  });

  it('encodes a large item once for two protobuf lists', () => {
    let parsed = 0;
    const counted = [stored('d', large), stored('e', large)].map((item) => ({
      ...item,
      *parsing() {
        parsed++;
        return (yield* parsingJson(item.json)) as KubeObject;
      },
    }));
    const lists = [1, 2].map(() => plainContents(scope, { ...list, items: counted }).protobuf());
    const inAnItem = lists.map((pieces) => pieces.next().value === undefined);
    assert.deepEqual(inAnItem, [true, true], 'both wait for the place of a large item');
    const [first, second] = lists.map(made);
    assert.equal(parsed, counted.length);
    assert(first !== undefined && second?.bytes.equals(first.bytes));
  });

  it('sends bytes that are there as they are, and no others', () => {
    const { joined } = plainContents(scope, list);
    assert.deepEqual(parseJson(joined?.(Buffer.alloc(0))?.toBuffer() ?? ''), plain);
    const other = plainContents(scope, { ...list, items: items.map(madeOnDemand) });
    assert.equal(other.joined?.(Buffer.alloc(0)), undefined);
  });
});
