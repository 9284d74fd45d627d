import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import { configMap, listOptions, type TestStore } from '@apichain/storage/store.fixture';
import { testStore } from '@apichain/watch-cache/store.fixture';
import { loadEncryptionConfig, type EncryptionTransformers } from './encryption-config.ts';

describe('a store with encryption at rest', () => {
  let etcd: TestEtcd;
  let directory: string;
  const open: (TestStore | EncryptionTransformers)[] = [];

  before(async () => {
    etcd = await startTestEtcd();
    directory = mkdtempSync(join(tmpdir(), 'apichain-encryption-'));
  });
  after(async () => {
    for (const one of open) await one.close();
    await etcd.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function store(prefix: string, ...providers: string[]): Promise<TestStore> {
    const path = join(directory, `${open.length}.yaml`);
    const text = providers.map((provider) => `    - ${provider}\n`).join('');
    writeFileSync(
      path,
      `kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources:\n  - resources: [configmaps]\n    providers:\n${text}`,
    );
    const encryption = await loadEncryptionConfig(path, { reload: false });
    const opened = testStore(etcd.url, {
      prefix,
      transformer: encryption.transformerFor({ group: '', resource: 'configmaps' }),
    });
    open.push(encryption, opened);
    return opened;
  }
  const provider = (kind: string, name: string) =>
    `${kind}: {keys: [{name: ${name}, secret: "${Buffer.alloc(32, name).toString('base64')}"}]}`;
  const stored = async ({ connection }: TestStore, key: string) =>
    (await connection.readKey(Buffer.from(connection.prefix + key))).kv?.value.toString('latin1') ?? '';

  it('keeps values encrypted and serves them plain', async () => {
    const one = await store('/encrypted', provider('aesgcm', 'a'));
    const key = one.key('a');
    await one.storage.create(key, configMap('a', { word: 'hush' }));
    const raw = await stored(one, key);
    assert.ok(raw.startsWith('k8s:enc:aesgcm:v1:a:'));
    assert.ok(!raw.includes('hush'));
    assert.match((await one.storage.get(key, { resourceVersion: '' })).json.toString(), /"hush"/);
    const list = await one.storage.list(one.root, listOptions());
    assert.equal(list.items.length, 1);
  });

  it('rewrites a stale value on an update without changes, once', async () => {
    const old = await store('/rotated', provider('aescbc', 'a'));
    const key = old.key('a');
    await old.storage.create(key, configMap('a'));
    const fresh = await store('/rotated', provider('secretbox', 'b'), provider('aescbc', 'a'));
    await fresh.storage.list(fresh.root, listOptions());
    const touch = () =>
      fresh.storage.guaranteedUpdate(key, {
        ignoreNotFound: false,
        tryUpdate: (current) => ({ object: current?.parse() ?? configMap('a') }),
      });
    const first = await touch();
    assert.ok((await stored(fresh, key)).startsWith('k8s:enc:secretbox:v1:b:'));
    assert.equal((await touch()).revision, first.revision);
  });

  it('returns an internal error for undecryptable values', async () => {
    const writer = await store('/unreadable', provider('aescbc', 'a'));
    const key = writer.key('a');
    await writer.storage.create(key, configMap('a'));
    const reader = await store('/unreadable', provider('aesgcm', 'a'));
    await assert.rejects(reader.storage.get(key, { resourceVersion: '' }), (error: Error) => {
      assert.equal(error.message, 'Internal error occurred: no matching prefix found');
      return true;
    });
    const plain = testStore(etcd.url, { prefix: '/unreadable' });
    open.push(plain);
    await assert.rejects(plain.storage.get(key, { resourceVersion: '' }), (error: Error) => {
      assert.equal(error.message, 'Internal error occurred: identity transformer tried to read encrypted data');
      return true;
    });
  });
});
