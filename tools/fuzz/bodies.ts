import type { Random } from './random.ts';
import { hostileJson, hostileText } from './values.ts';

/** A body and its declared Content-Type, which may be wrong. */
export interface FuzzBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const dangerousKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toJSON',
  'then',
  '',
  '\u0000',
] as const;

/** Changes the JSON text of one node. The result replaces the node verbatim. */
type Change = (text: string) => string;

/** The JSON text of a value in which `change` was applied to one randomly chosen node. */
function withChange(value: unknown, random: Random, change: Change): string {
  const nodes = countNodes(value);
  const chosen = random.below(nodes);
  let at = 0;
  const write = (node: unknown): string => {
    const mine = at++;
    const text = Array.isArray(node)
      ? `[${node.map(write).join(',')}]`
      : typeof node === 'object' && node !== null
        ? `{${Object.entries(node)
            .map(([k, v]) => `${JSON.stringify(k)}:${write(v)}`)
            .join(',')}}`
        : JSON.stringify(node);
    return mine === chosen ? change(text) : text;
  };
  return write(value);
}

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, child) => sum + countNodes(child), 1);
}

const extraMember =
  (random: Random): Change =>
  (text) =>
    text.startsWith('{')
      ? `{${JSON.stringify(random.pick(dangerousKeys))}:${hostileJson(random)}${text === '{}' ? '' : ','}${text.slice(1)}`
      : text;

/** The JSON text of an object with random errors. */
function hostileObject(value: unknown, random: Random): string {
  switch (random.below(6)) {
    case 0:
      return JSON.stringify(value);
    case 1:
      return withChange(value, random, extraMember(random));
    case 2:
      // A duplicate member.
      return withChange(value, random, (text) =>
        text.startsWith('{') && text !== '{}' ? `${text.slice(0, -1)},${text.slice(1)}` : text,
      );
    case 3:
      return hostileJson(random);
    default:
      return withChange(value, random, () => hostileJson(random));
  }
}

const yamlTexts = [
  'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d]\n',
  'a: &a\n  b: *a\n',
  'a: *none\n',
  '? [a, b]\n: c\n',
  '!!js/function "function(){}": 1\n',
  '!!binary "////": 1\n',
  '--- a\n--- b\n',
  'a: !!float x\n',
  '<<: {a: 1}\n',
  '\t- a\n',
  '%YAML 9.9\n---\na\n',
  '{'.repeat(2_000),
  '- '.repeat(5_000),
  'a: |\n  text\n b: 1\n',
  '\ufeffkind: ConfigMap\n',
];

const jsonPatches = (random: Random): string => {
  const path = random.pick([
    '',
    '/',
    '/metadata/labels/x',
    '/spec/containers/0/image',
    '/spec/containers/-',
    '/a~2b',
    '/__proto__/x',
    '/metadata/name',
    '/data/99999999999',
    'x',
    '/data',
  ]);
  const op = random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'bogus', '']);
  const operation = `{"op":${JSON.stringify(op)},"path":${JSON.stringify(path)},"from":${JSON.stringify(random.pick(['', '/data', '/metadata', '/nope']))},"value":${hostileJson(random)}}`;
  const count = random.pick([1, 1, 1, 3, 10_001]);
  if (count > 3) return `[${Array.from({ length: count }, () => '{"op":"test","path":"/kind","value":1}').join(',')}]`;
  return random.chance(0.1) ? hostileJson(random) : `[${Array.from({ length: count }, () => operation).join(',')}]`;
};

const strategicDirectives = [
  { $patch: 'replace' },
  { $patch: 'delete' },
  { $patch: 'bogus' },
  { $patch: 5 },
  { spec: { $retainKeys: ['x'] } },
  { spec: { $retainKeys: 'x' } },
  { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'nope' }] } },
  { spec: { '$setElementOrder/containers': [null, 5] } },
  { metadata: { '$deleteFromPrimitiveList/finalizers': ['x', null, {}] } },
  { spec: { containers: [{ $patch: 'delete', name: 'c' }, { name: null }, {}, null, 7] } },
  { spec: { containers: [{ $patch: 'replace' }] } },
  { metadata: { labels: null, annotations: { $patch: 'replace' } } },
  { spec: null },
  { metadata: null },
] as const;

const cborGarbage = (random: Random): Buffer =>
  Buffer.concat([
    Buffer.from([0xd9, 0xd9, 0xf7]),
    random.pick([
      Buffer.alloc(20_000, 0x81),
      random.bytes(40),
      Buffer.from([0xbb, 255, 255, 255, 255, 255, 255, 255, 255]),
    ]),
  ]);

/** A runtime.Unknown with valid and invalid fields after the magic number. */
const protobufGarbage = (random: Random): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    random.pick([
      Buffer.from([0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09, ...Buffer.from('ConfigMap'), 0x12, 0x7f]),
      Buffer.from([0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09, ...Buffer.from('ConfigMap'), 0x12, 0x00]),
      Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
      Buffer.alloc(1_000, 0x0b),
      random.bytes(60),
    ]),
  ]);

/** Damages valid bytes: truncated, modified, duplicated, or invalid UTF-8. */
function damaged(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = random.below(256);
      return copy;
    }
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes, bytes]);
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    default:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(8), bytes.subarray(at)]);
  }
}

const anyContentType = (random: Random): string =>
  random.pick([
    '',
    'application/json',
    'application/json; charset=utf-8',
    'application/json;',
    'application/xml',
    'text/plain',
    ';',
    '/',
    'application/json;q',
    'application/yaml',
  ]);

const maybeDamaged = (body: FuzzBody, random: Random): FuzzBody => ({
  contentType: random.chance(0.03) ? anyContentType(random) : body.contentType,
  bytes: random.chance(0.15) ? damaged(body.bytes, random) : body.bytes,
});
const textBody = (contentType: string, text: string): FuzzBody => ({ contentType, bytes: Buffer.from(text) });

/** A body for POST, PUT and DELETE. */
export function objectBody(value: unknown, random: Random): FuzzBody {
  const body = ((): FuzzBody => {
    switch (random.below(12)) {
      case 0:
        return textBody('application/yaml', random.pick(yamlTexts));
      case 1:
        return textBody('application/yaml', hostileObject(value, random));
      case 2:
        return { contentType: 'application/vnd.kubernetes.protobuf', bytes: protobufGarbage(random) };
      case 3:
        return { contentType: 'application/cbor', bytes: cborGarbage(random) };
      case 4:
        return { contentType: 'application/json', bytes: random.bytes(random.below(100)) };
      default:
        return textBody('application/json', hostileObject(value, random));
    }
  })();
  return maybeDamaged(body, random);
}

/** A body for PATCH. */
export function patchBody(value: unknown, random: Random): FuzzBody {
  const body = ((): FuzzBody => {
    switch (random.below(6)) {
      case 0:
        return textBody('application/json-patch+json', jsonPatches(random));
      case 1:
        return textBody('application/strategic-merge-patch+json', JSON.stringify(random.pick(strategicDirectives)));
      case 2:
        return textBody('application/strategic-merge-patch+json', hostileObject(value, random));
      case 3:
        return textBody(
          'application/apply-patch+yaml',
          random.chance(0.2) ? random.pick(yamlTexts) : hostileObject(value, random),
        );
      case 4:
        return { contentType: 'application/apply-patch+cbor', bytes: cborGarbage(random) };
      default:
        return textBody('application/merge-patch+json', hostileObject(value, random));
    }
  })();
  return maybeDamaged(body, random);
}

/** Options for the body of a DELETE. */
export const deleteOptions = (random: Random): unknown => ({
  apiVersion: random.pick(['v1', 'meta.k8s.io/v1', 'x/y/z']),
  kind: 'DeleteOptions',
  gracePeriodSeconds: random.pick([0, 30, -1]),
  propagationPolicy: random.pick(['Background', 'Foreground', 'Orphan', 'Nope']),
  preconditions: { uid: hostileText(random), resourceVersion: '1' },
  dryRun: ['All'],
});
