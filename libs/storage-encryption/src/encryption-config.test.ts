import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storingPlain } from '@apichain/storage';
import { loadEncryptionConfig, type EncryptionTransformers, type ReloadOutcome } from './encryption-config.ts';

const etcdKey = Buffer.from('/registry/secrets/default/a');
const plain = Buffer.from('{"kind":"Secret"}');
const secrets = { group: '', resource: 'secrets' };
const head = 'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\n';
const secretOf = (length: number) => Buffer.alloc(length, 7).toString('base64');
const keys = (...names: string[]) =>
  `{keys: [${names.map((name) => `{name: ${name}, secret: "${Buffer.from(name.padEnd(32, '.')).toString('base64')}"}`).join(', ')}]}`;
const entry = (resources: string, ...providers: string[]) =>
  `- resources: [${resources}]\n  providers:\n${providers.map((p) => `  - ${p}\n`).join('')}`;
const config = (...entries: string[]) => `${head}resources:\n${entries.join('')}`;

describe('loadEncryptionConfig', () => {
  let directory: string;
  let path: string;
  let open: EncryptionTransformers[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-encryption-'));
    path = join(directory, 'encryption.yaml');
    open = [];
  });
  afterEach(() => {
    for (const one of open) one.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function load(text: string, options: Partial<Parameters<typeof loadEncryptionConfig>[1]> = {}) {
    writeFileSync(path, text);
    const one = await loadEncryptionConfig(path, { reload: false, ...options });
    open.push(one);
    return one;
  }
  const refused = async (text: string, why: string, reload = false) =>
    assert.rejects(load(text, { reload }), (error: Error) => {
      assert.equal(error.message.replaceAll(path, 'FILE'), why);
      return true;
    });
  const written = async (one: EncryptionTransformers, resource = secrets) =>
    (await one.transformerFor(resource).toStorage(plain, etcdKey)).toString('latin1');

  it('writes with the first provider and reads with all', async () => {
    const providers = {
      aescbc: ['k8s:enc:aescbc:v1:one:', `aescbc: ${keys('one')}`],
      aesgcm: ['k8s:enc:aesgcm:v1:one:', `aesgcm: ${keys('one')}`],
      secretbox: ['k8s:enc:secretbox:v1:one:', `secretbox: ${keys('one')}`],
      identity: ['{"kind"', 'identity: {}'],
    } as const;
    const all = Object.values(providers).map(([, text]) => text);
    for (const [prefix, first] of Object.values(providers)) {
      const writer = await load(config(entry('secrets', first, ...all.filter((text) => text !== first))));
      const stored = Buffer.from(await written(writer), 'latin1');
      assert.ok(stored.toString('latin1').startsWith(prefix));
      assert.deepEqual(await writer.transformerFor(secrets).fromStorage(stored, etcdKey), { plain, stale: false });
      for (const [, other] of Object.values(providers).filter(([, text]) => text !== first)) {
        const reader = await load(config(entry('secrets', other, ...all.filter((text) => text !== other))));
        assert.deepEqual(await reader.transformerFor(secrets).fromStorage(stored, etcdKey), { plain, stale: true });
      }
    }
    assert.deepEqual(open[0]?.healthChecks, []);
  });

  it('leaves alone what servers keep for themselves, and still reads what was encrypted of it', async () => {
    const transformer = (await load(config(entry('secrets', `aescbc: ${keys('one')}`)))).transformerFor(secrets);
    const unencrypted = storingPlain(transformer);
    assert.equal(unencrypted.toStorage(plain, etcdKey), plain);
    assert.deepEqual(await unencrypted.fromStorage(plain, etcdKey), { plain, stale: false });
    const encrypted = await transformer.toStorage(plain, etcdKey);
    assert.deepEqual(await unencrypted.fromStorage(encrypted, etcdKey), { plain, stale: true });
  });

  it('rotates keys: the first writes, the second still reads and is stale', async () => {
    const old = Buffer.from(await written(await load(config(entry('secrets', `aescbc: ${keys('old')}`)))), 'latin1');
    const rotated = await load(config(entry('secrets', `aescbc: ${keys('new', 'old')}`)));
    assert.deepEqual(await rotated.transformerFor(secrets).fromStorage(old, etcdKey), { plain, stale: true });
    assert.ok((await written(rotated)).startsWith('k8s:enc:aescbc:v1:new:'));
    const without = await load(config(entry('secrets', `aescbc: ${keys('new')}`)));
    assert.throws(
      () => without.transformerFor(secrets).fromStorage(old, etcdKey),
      /^Error: no matching key was found for the provided AES transformer$/,
    );
    assert.throws(
      () => without.transformerFor(secrets).fromStorage(plain, etcdKey),
      /^Error: no matching prefix found$/,
    );
  });

  it('finds the rule of a resource: by name, by group, for all', async () => {
    const one = await load(
      config(
        entry('events', 'identity: {}'),
        entry('secrets, pandas.awesome.bears.example', `aescbc: ${keys('named')}`),
        entry("'*.apps'", `aescbc: ${keys('apps')}`),
        entry("'*.'", `aescbc: ${keys('core')}`),
        entry("'*.*'", `aescbc: ${keys('any')}`),
      ),
    );
    const keyOf = async (group: string, resource: string) =>
      /^k8s:enc:aescbc:v1:(\w+):/.exec(await written(one, { group, resource }))?.[1];
    assert.equal(await keyOf('', 'events'), undefined);
    assert.equal(await keyOf('', 'secrets'), 'named');
    assert.equal(await keyOf('awesome.bears.example', 'pandas'), 'named');
    assert.equal(await keyOf('apps', 'deployments'), 'apps');
    assert.equal(await keyOf('', 'pods'), 'core');
    assert.equal(await keyOf('batch', 'jobs'), 'any');
  });

  it('adds the providers of later entries for reading', async () => {
    const second = await load(config(entry('secrets', `aescbc: ${keys('two')}`)));
    const stored = Buffer.from(await written(second), 'latin1');
    const both = await load(
      config(entry('secrets', `aesgcm: ${keys('one')}`), entry('secrets', `aescbc: ${keys('two')}`)),
    );
    assert.ok((await written(both)).startsWith('k8s:enc:aesgcm:v1:one:'));
    assert.deepEqual(await both.transformerFor(secrets).fromStorage(stored, etcdKey), { plain, stale: true });
  });

  it('does not encrypt resources without a rule, but refuses encrypted values of them', async () => {
    const one = await load(config(entry('secrets', `aescbc: ${keys('one')}`)));
    const pods = { group: '', resource: 'pods' };
    assert.equal(await written(one, pods), plain.toString());
    assert.throws(
      () => one.transformerFor(pods).fromStorage(Buffer.from('k8s:enc:aescbc:v1:one:'), etcdKey),
      /identity transformer tried to read encrypted data/,
    );
  });

  it('refuses invalid files with the messages of kube-apiserver', async () => {
    const parsing = 'error while parsing file: ';
    const decoding = `${parsing}error decoding encryption provider configuration file "FILE": `;
    await assert.rejects(loadEncryptionConfig(join(directory, 'none'), { reload: false }), (error: Error) => {
      assert.ok(
        error.message.startsWith(
          'error while parsing file: error while loading file: error reading encryption provider configuration file ',
        ),
      );
      return true;
    });
    await refused('', `${parsing}error while loading file: encryption provider configuration file "FILE" is empty`);
    await refused(
      config(entry('secrets', 'kms: {apiVersion: v2, name: a, endpoint: "unix:///a", pandas: best}')),
      `${decoding}strict decoding error: unknown field "resources[0].providers[0].kms.pandas"`,
    );
    await refused(
      head.replace('Configuration', 'Configurations'),
      `${decoding}no kind "EncryptionConfigurations" is registered for version "apiserver.config.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go:142"`,
    );
    await refused(
      'apiVersion: apiserver.config.k8s.io/v1\n',
      `${decoding}Object 'Kind' is missing in 'apiVersion: apiserver.config.k8s.io/v1\n'`,
    );
    await refused(head, `${parsing}resources: Required value: at least one resources is required`);
    await refused(
      config('- resources: []\n'),
      `${parsing}[resources[0].resources: Required value: at least one resources[0].resources is required, resources[0].providers: Required value: at least one resources[0].providers is required]`,
    );
    await refused(
      config(entry('secrets', '{}')),
      `${parsing}resources[0].providers[0]: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":null,"KMS":null}: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`,
    );
    await refused(
      config(entry('secrets', 'aescbc: {}')),
      `${parsing}resources[0].providers[0].aescbc.keys: Required value: at least one keys is required`,
    );
    await refused(
      config(entry('secrets', `aesgcm: {keys: [{name: a, secret: "${secretOf(15)}"}]}`)),
      `${parsing}resources[0].providers[0].aesgcm.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 15, expected one of [16 24 32]`,
    );
    await refused(
      config(entry('secrets', `secretbox: {keys: [{name: "", secret: "*"}]}`)),
      `${parsing}[resources[0].providers[0].secretbox.keys[0].name: Required value: name is a mandatory field for a key, resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded]`,
    );
    await refused(
      config(entry("secrets, secrets, '*.'", 'identity: {}')),
      `${parsing}[resources[0].resources: Invalid value: ["secrets","secrets","*."]: the same resource cannot be specified multiple times, resources[0].resources: Invalid value: ["secrets","secrets","*."]: using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked]`,
    );
    await refused(
      config(entry("'*'", 'identity: {}'), entry('Secrets', 'identity: {}'), entry("'*.extensions'", 'identity: {}')),
      `${parsing}[resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources, resources[1].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters, resources[2].resources[0]: Invalid value: "*.extensions": 'extensions' group has been removed and cannot be used for encryption]`,
    );
    await refused(
      config(
        entry('secrets', 'kms: {apiVersion: v2, name: "a:b", endpoint: "http://a", cachesize: 5, timeout: 0s}'),
        entry('pods', 'kms: {apiVersion: v3, name: "a:b"}'),
      ),
      `${parsing}[resources[0].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':', resources[0].providers[0].kms.timeout: Invalid value: "0s": timeout should be a positive value, resources[0].providers[0].kms.endpoint: Invalid value: "http://a": unsupported scheme "http" for KMS provider, only unix is supported, resources[0].providers[0].kms.cachesize: Invalid value: 5: cachesize is not supported in v2, ` +
        `resources[1].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':', resources[1].providers[0].kms.name: Invalid value: "a:b": duplicate KMS provider name a:b, names must be unique, resources[1].providers[0].kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms, resources[1].providers[0].kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported]`,
    );
    const building = 'error while building transformers: ';
    await refused(
      config(entry("'*.'", 'identity: {}'), entry('secrets', 'identity: {}')),
      `${building}resource "secrets" is masked by earlier rule "*."`,
    );
    await refused(
      config(entry("'*.*'", 'identity: {}'), entry('jobs.batch', 'identity: {}')),
      `${building}resource "jobs.batch" is masked by earlier rule "*.*"`,
    );
    await refused(
      config(entry('secrets', 'kms: {name: a, endpoint: "unix:///a"}')),
      `${building}KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.`,
    );
  });

  it('never shows a secret', async () => {
    const secret = secretOf(16);
    const both = `{identity: {}, aescbc: {keys: [{name: a, secret: "${secret}"}]}}`;
    await assert.rejects(load(config(entry('secrets', both))), (error: Error) => {
      assert.match(error.message, /more than one provider specified in a single element/);
      assert.ok(!error.message.includes(secret));
      return true;
    });
  });

  it('reloads the file, and keeps the last valid configuration', async () => {
    const outcomes: ReloadOutcome[] = [];
    let heard: () => void = () => undefined;
    const next = () => new Promise<void>((resolve) => (heard = resolve));
    const replace = (text: string) => {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    };
    const one = await load(config(entry('secrets', `aescbc: ${keys('old')}`)), {
      reload: true,
      pollIntervalMs: 200,
      onReload: (outcome) => {
        outcomes.push(outcome);
        heard();
      },
    });
    assert.equal(one.healthChecks[0]?.name, 'kms-providers');
    await one.healthChecks[0]?.check();
    const transformer = one.transformerFor(secrets);
    const stored = await transformer.toStorage(plain, etcdKey);

    let reloaded = next();
    replace(config(entry('secrets', `aescbc: ${keys('new', 'old')}`)));
    await reloaded;
    assert.deepEqual(outcomes.at(-1), { succeeded: true, contentHash: one.contentHash });
    assert.deepEqual(await transformer.fromStorage(stored, etcdKey), { plain, stale: true });
    assert.ok((await written(one)).startsWith('k8s:enc:aescbc:v1:new:'));

    reloaded = next();
    replace('no: good');
    await reloaded;
    assert.equal(outcomes.at(-1)?.succeeded, false);
    assert.ok((await written(one)).startsWith('k8s:enc:aescbc:v1:new:'));
  });
});
