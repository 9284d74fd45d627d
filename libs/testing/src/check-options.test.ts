import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStatusError } from '@apichain/meta';
import { Faults } from './faults.ts';
import { startChain } from './start-chain.ts';
import type { StartChainOptions, TestChain } from './test-chain.ts';

/** Options as a test without types may write them. */
const untyped = (options: object): StartChainOptions => options;

describe('startChain refuses by name', () => {
  const rule = (match: object) => ({ audit: [{ level: 'Metadata', match }] });
  for (const [options, message] of [
    [{ crd: ['a.yaml'] }, 'startChain: unknown option "crd"; did you mean crds?'],
    [{ controller: true }, 'startChain: unknown option "controller"; did you mean controllers?'],
    [{ users: [{ name: 'bob', group: ['dev'] }] }, 'a user: unknown option "group"; did you mean groups?'],
    [{ users: [{ groups: ['dev'] }] }, 'a user: name is required'],
    [
      { webhooks: { paths: ['a'] } },
      'startChain: webhooks: unknown option "paths"; there are configurations, handlers, converters, host, port',
    ],
    [
      { apiServices: [{ group: 'example.com', version: 'v1', handle: () => undefined }] },
      'API service example.com/v1: unknown option "handle"; did you mean handler?',
    ],
    [rule({ verbs: 'get' }), 'an audit rule: match: unknown field "verbs"; did you mean verb?'],
    [rule({ verb: 'update ' }), 'an audit rule: match: unknown verb "update "; did you mean update?'],
  ] as const)
    it(message, () => assert.rejects(startChain(untyped(options)), { name: 'TypeError', message }));
});

describe('a fault refuses by name', () => {
  for (const [fault, message] of [
    [{ status: 409, latency: 10 }, 'a fault: unknown option "latency"; did you mean latencyMs?'],
    [
      { status: 409, match: { resources: 'pods' } },
      'a fault: match: unknown field "resources"; did you mean resource?',
    ],
    [{ status: 409, match: { verb: 'updat' } }, 'a fault: match: unknown verb "updat"; did you mean update?'],
    [
      { status: 409, match: { verb: '*' } },
      'a fault: match: unknown verb "*"; there are get, list, watch, create, update, patch, delete, deletecollection, post, put, head, options',
    ],
  ] as const)
    it(message, () => {
      const untypedFault: object = fault;
      const faults = new Faults();
      assert.throws(() => faults.add(untypedFault), { name: 'TypeError', message });
    });
});

describe('an error of a manifest', () => {
  let chain: TestChain;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'apichain-manifests-'));
    chain = await startChain();
  });
  after(async () => {
    await chain.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, text, message] of [
    ['invalid.yaml', '{apiVersion: v1, kind: ConfigMap, metadata: {name: Upper}}', /ConfigMap "Upper" is invalid/],
    ['kind.yaml', '{apiVersion: v1, kind: Cofigmap, metadata: {name: a}}', /no matches for kind "Cofigmap"/],
    ['nothing.yaml', '{apiVersion: v1, kind: ConfigMap}', /ConfigMap without metadata.name/],
    ['broken.yaml', 'kind: {', /./],
  ] as const)
    it(`names the file ${name}`, async () => {
      const file = join(folder, name);
      writeFileSync(file, text);
      const error: unknown = await chain.apply(file).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      assert.ok(error.message.startsWith(`${file}: `), error.message);
      assert.match(error.message.slice(file.length + 2), message);
      assert.equal(isStatusError(error, 'Invalid'), name === 'invalid.yaml');
    });
});
