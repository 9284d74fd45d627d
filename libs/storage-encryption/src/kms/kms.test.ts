import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEncryptionConfig, type EncryptionTransformers } from '../encryption-config.ts';
import { decodeEncryptedObject, encodeEncryptedObject } from './encrypted-object.ts';
import { startFakePlugin, type FakePlugin } from './kms.fixture.ts';

const secrets = { group: '', resource: 'secrets' };
const etcdKey = Buffer.from('/registry/secrets/default/a');
const plain = Buffer.from('{"kind":"Secret"}');
const prefix = 'k8s:enc:kms:v2:vault:';

describe('KMS v2', () => {
  let directory: string;
  let plugin: FakePlugin;
  let loaded: EncryptionTransformers[];
  let now: number;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-encryption-'));
    plugin = await startFakePlugin();
    loaded = [];
    now = Date.parse('2030-01-01T00:00:00Z');
  });
  afterEach(() => {
    for (const one of loaded) one.close();
    plugin.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function load(timeout = '3s'): Promise<EncryptionTransformers> {
    const path = join(directory, 'encryption.yaml');
    writeFileSync(
      path,
      `kind: EncryptionConfiguration
apiVersion: apiserver.config.k8s.io/v1
resources:
- resources: [secrets]
  providers:
  - kms: {apiVersion: v2, name: vault, endpoint: "${plugin.endpoint}", timeout: ${timeout}}
  - identity: {}
`,
    );
    const one = await loadEncryptionConfig(path, {
      reload: false,
      probe: { now: () => now, healthyIntervalMs: 3_600_000, unhealthyIntervalMs: 3_600_000 },
    });
    loaded.push(one);
    return one;
  }
  const check = (one: EncryptionTransformers) => one.healthChecks[0]?.check();

  it('encrypts with a local seed, which the plugin encrypts once', async () => {
    const one = await load();
    const transformer = one.transformerFor(secrets);
    const stored = await transformer.toStorage(plain, etcdKey);
    assert.ok(stored.toString('latin1').startsWith(prefix));
    assert.deepEqual(await transformer.fromStorage(stored, etcdKey), { plain, stale: false });
    assert.deepEqual(plugin.calls, { Status: 1, Encrypt: 1, Decrypt: 0 });

    const object = decodeEncryptedObject(stored.subarray(prefix.length));
    assert.equal(object.keyID, 'key-1');
    assert.equal(object.encryptedDEKSourceType, 1);
    assert.deepEqual(Object.keys(object.annotations), ['local.example.org']);
  });

  it('decrypts the key of many values of another server once', async () => {
    const writer = (await load()).transformerFor(secrets);
    const stored = await Promise.all([1, 2, 3].map(async () => writer.toStorage(plain, etcdKey)));
    const reader = (await load()).transformerFor(secrets);
    const read = await Promise.all(stored.map(async (value) => reader.fromStorage(value, etcdKey)));
    assert.deepEqual(
      read.map(({ plain: text, stale }) => [text.toString(), stale]),
      [1, 2, 3].map(() => [plain.toString(), false]),
    );
    assert.equal(plugin.calls.Decrypt, 1);
    assert.ok(!(reader.fromStorage(stored[0] ?? plain, etcdKey) instanceof Promise), 'a known key is read at once');
  });

  it('moves on to a new key: old values are stale, new ones are not', async () => {
    const one = await load();
    const transformer = one.transformerFor(secrets);
    const old = await transformer.toStorage(plain, etcdKey);
    plugin.keyId = 'key-2';
    now += 60_000;
    await check(one);
    assert.deepEqual(await transformer.fromStorage(old, etcdKey), { plain, stale: true });
    const fresh = await transformer.toStorage(plain, etcdKey);
    assert.equal(decodeEncryptedObject(fresh.subarray(prefix.length)).keyID, 'key-2');
    assert.deepEqual(await transformer.fromStorage(fresh, etcdKey), { plain, stale: false });
  });

  it('continues to encrypt for three minutes after the plugin became unhealthy, then refuses', async () => {
    const one = await load();
    const transformer = one.transformerFor(secrets);
    plugin.healthz = 'sealed';
    plugin.keyId = '';
    now += 179_000;
    await assert.rejects(
      async () => check(one),
      /^Error: kms-provider-0: kmsv2 Provider vault is not healthy, error: \[got unexpected healthz status: sealed, got invalid KMSv2 KeyID hash "": keyID is empty\]$/,
    );
    const stored = await transformer.toStorage(plain, etcdKey);
    now += 2_000;
    await assert.rejects(
      async () => transformer.toStorage(plain, etcdKey),
      /^Error: encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at 2030-01-01T00:03:00Z \(current time is 2030-01-01T00:03:01Z\)$/,
    );
    assert.deepEqual(await transformer.fromStorage(stored, etcdKey), { plain, stale: false });
    plugin.healthz = 'ok';
    plugin.keyId = 'key-1';
    now += 10_000;
    await check(one);
    await transformer.toStorage(plain, etcdKey);
  });

  it('starts without its plugin and is unhealthy', async () => {
    plugin.close();
    const one = await load('100ms');
    await assert.rejects(async () => check(one), /kms-provider-0: .*rpc error: code = (Unavailable|DeadlineExceeded)/);
    await assert.rejects(
      async () => one.transformerFor(secrets).toStorage(plain, etcdKey),
      /got unexpected nil transformer/,
    );
    assert.equal(one.healthChecks[0]?.name, 'kms-providers');
  });

  it('refuses a plugin of another version', async () => {
    plugin.version = 'v3';
    await assert.rejects(async () => check(await load()), /expected KMSv2 API version v2, got v3/);
  });

  it('refuses damaged envelopes', async () => {
    const transformer = (await load()).transformerFor(secrets);
    const stored = await transformer.toStorage(plain, etcdKey);
    const object = decodeEncryptedObject(stored.subarray(prefix.length));
    const wrapped = (bytes: Buffer) => Buffer.concat([Buffer.from(prefix), bytes]);
    const refused = async (bytes: Buffer, why: RegExp) =>
      assert.rejects(async () => transformer.fromStorage(wrapped(bytes), etcdKey), why);

    await refused(Buffer.from('garbage'), /proto: cannot parse|encrypted data is empty/);
    await refused(encodeEncryptedObject({ ...object, keyID: '' }, object.encryptedData), /keyID is empty/);
    await refused(
      encodeEncryptedObject({ ...object, encryptedDEKSource: Buffer.alloc(1025) }, object.encryptedData),
      /encrypted DEK source is 1025 bytes, which exceeds the max size of 1024/,
    );
    await refused(
      encodeEncryptedObject({ ...object, annotations: { short: Buffer.from('') } }, object.encryptedData),
      /should be a domain with at least two segments separated by dots/,
    );
    await refused(encodeEncryptedObject(object, Buffer.alloc(80)), /message authentication failed/);
    await assert.rejects(
      async () => transformer.fromStorage(stored, Buffer.from('/registry/secrets/default/b')),
      /message authentication failed/,
    );
  });
});
