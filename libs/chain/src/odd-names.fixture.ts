import assert from 'node:assert/strict';
import type { Transport } from '@apichain/client';
import { parseJson, stringifyJson, type KubeObject, type Plain } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/** Names of members that every JavaScript object has, and that clients may use as names. */
export const oddNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;
/** The names that are valid as the key of a label or an annotation. */
export const oddLabels = oddNames.filter((name) => name !== '__proto__');

/** An object with these own members. */
export const membersOf = (names: readonly string[], value: unknown): Plain =>
  Object.fromEntries(names.map((name) => [name, value]));

const scalars: ReadonlyMap<Type['kind'], unknown> = new Map<Type['kind'], unknown>([
  ['integer', 1],
  ['number', 1],
  ['boolean', true],
  ['time', '2020-01-01T00:00:00Z'],
  ['microTime', '2020-01-01T00:00:00.000000Z'],
  ['duration', '1s'],
  ['quantity', '1'],
]);
const maxDepth = 12;

/** A value of the type with every field set, in which every text and every key that a client may choose is `name`. */
export function filled(type: Type, name: string, depth = 0, within: readonly string[] = []): unknown {
  const isRepeated = type.name !== undefined && within.filter((each) => each === type.name).length > 1;
  if (isRepeated || depth > maxDepth) return type.kind === 'array' ? [] : type.kind === 'object' ? {} : undefined;
  const inner = (of: Type) => filled(of, name, depth + 1, type.name === undefined ? within : [...within, type.name]);
  switch (type.kind) {
    case 'object':
      return Object.fromEntries((type.fields ?? []).map((each) => [each.name, inner(each.type)]));
    case 'map':
      return membersOf([name], type.values === undefined ? name : inner(type.values));
    case 'array':
      return type.items === undefined ? [] : [inner(type.items)];
    case 'bytes':
      return Buffer.from(name).toString('base64');
    case 'fieldsV1':
      return { [`f:${name}`]: {}, 'f:metadata': { 'f:labels': { [`f:${name}`]: {} } } };
    case 'rawExtension':
    case 'json':
      return { type: 'object', properties: membersOf([name], { type: 'object' }), ...membersOf([name], name) };
    default:
      return scalars.get(type.kind) ?? name;
  }
}

interface Received {
  readonly status: number;
  readonly text: string;
  readonly json: () => unknown;
}
interface Sent {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Sends requests to a chain. Decodes its responses with all member names, including the odd ones. */
export class Client {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }
  async send(method: string, path: string, body?: unknown, { type, headers = {} }: Sent = {}): Promise<Received> {
    const { status, body: received } = await this.#transport.send({
      method: method as 'GET',
      path,
      headers: { 'content-type': type ?? 'application/json', accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : stringifyJson(body) }),
    });
    const chunks: Buffer[] = [];
    for await (const chunk of received) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return { status, text, json: () => parseJson(text) };
  }
  /** The object in the response. Throws when the response is not a success. */
  async expect<Expected = KubeObject>(method: string, path: string, body?: unknown, sent?: Sent): Promise<Expected> {
    const { status, text, json } = await this.send(method, path, body, sent);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return json() as Expected;
  }
}

interface ServedResource {
  readonly root: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Every resource in discovery, without subresources. */
export async function servedResources(client: Client): Promise<ServedResource[]> {
  const { groups } = await client.expect<{
    groups: { versions: { groupVersion: string }[] }[];
  }>('GET', '/apis');
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
  const lists = ['v1', ...versions].map(async (apiVersion): Promise<ServedResource[]> => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const list = await client.expect<{ resources: ServedResource[] }>('GET', root);
    return list.resources.filter(({ name }) => !name.includes('/')).map((each) => ({ ...each, root, apiVersion }));
  });
  return (await Promise.all(lists)).flat();
}
