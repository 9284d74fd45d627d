import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { everyKey, putRequest, requestOp } from '@apichain/etcd-api';
import { startEmbeddedEtcd, type EmbeddedEtcd } from './embedded-etcd.ts';
import { restoreDataDir } from './create-data-dir.ts';
import { bytes, testClient, type TestClient } from './server.fixture.ts';
import { findProgram } from './real-etcd.fixture.ts';

const run = promisify(execFile);

describe('the embedded etcd', () => {
  let directory: string;
  let etcd: EmbeddedEtcd;
  let client: TestClient;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-embedded-'));
    etcd = await startEmbeddedEtcd({ dataDir: join(directory, 'data'), listen: { host: '127.0.0.1', port: 0 } });
    client = testClient(etcd.url);
  });
  afterEach(async () => {
    client.close();
    await etcd.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const contents = async () =>
    (await client.range(everyKey)).kvs.map(({ key, value }) => `${String(key)}=${String(value)}`);

  it('serves etcdctl', async function () {
    const etcdctl = process.env['APICHAIN_ETCDCTL'] ?? findProgram('etcdctl');
    if (etcdctl === undefined) throw new Error('this test needs etcdctl (Debian: etcd-client)');
    const ctl = async (...words: string[]) => {
      const options = { env: { ...process.env, ETCDCTL_API: '3' } };
      const { stdout } = await run(etcdctl, ['--endpoints', new URL(etcd.url).host, ...words], options);
      return stdout.trim();
    };
    assert.equal(await ctl('put', 'a', '1'), 'OK');
    assert.equal(await ctl('put', 'b', '2'), 'OK');
    assert.equal(await ctl('get', '--prefix', '', '--sort-by=KEY', '--order=DESCEND', '--print-value-only'), '2\n1');
    assert.equal(await ctl('get', 'a', '--rev', '1'), '');
    assert.equal(await ctl('del', 'a', '--prev-kv'), '1\na\n1');
    assert.equal(await ctl('watch', 'a', '--rev', '2', '--', 'sh', '-c', 'kill $PPID').catch(() => 'seen'), 'seen');
    const [, id = ''] = /lease ([0-9a-f]+) granted/.exec(await ctl('lease', 'grant', '60')) ?? [];
    assert.equal(await ctl('put', 'leased', 'x', '--lease', id), 'OK');
    assert.match(await ctl('lease', 'timetolive', id, '--keys'), /attached keys\(\[leased\]\)/);
    assert.match(await ctl('lease', 'revoke', id), /revoked/);
    assert.match(await ctl('member', 'list'), /started, embedded/);
    assert.match(await ctl('endpoint', 'status'), /3\.5\.\d+/);
    assert.match(await ctl('endpoint', 'hashkv'), /\d+/);
    assert.equal(await ctl('compact', '3'), 'compacted revision 3');
    await assert.rejects(ctl('get', 'b', '--rev', '2'), /required revision has been compacted/);
    assert.match(await ctl('defrag'), /Finished/);
    await assert.rejects(
      ctl('auth', 'enable'),
      /AuthEnable is not implemented: the embedded etcd has no authentication/,
    );
    await assert.rejects(ctl('member', 'add', 'x', '--peer-urls=http://127.0.0.1:1'), /has no clustering/);
    const saved = join(directory, 'saved');
    await ctl('snapshot', 'save', saved);
    await ctl('put', 'later', 'x');
    await restoreDataDir({ snapshot: saved, dataDir: join(directory, 'restored') });
    const restored = await startEmbeddedEtcd({ dataDir: join(directory, 'restored') });
    const reader = testClient(restored.url);
    assert.deepEqual(
      (await reader.range(everyKey)).kvs.map(({ key }) => String(key)),
      ['b'],
    );
    reader.close();
    await restored.close();
    const cut = join(directory, 'cut');
    writeFileSync(cut, readFileSync(saved).subarray(0, -1));
    await assert.rejects(
      restoreDataDir({ snapshot: cut, dataDir: join(directory, 'other') }),
      /is not a whole snapshot/,
    );
    await assert.rejects(restoreDataDir({ snapshot: saved, dataDir: join(directory, 'restored') }), /is not empty/);
  });

  it('enforces the limits of etcd', async () => {
    await assert.rejects(
      client.put({ key: bytes('a'), value: Buffer.alloc(1_572_865) }),
      /etcdserver: request is too large/,
    );
    await assert.rejects(client.put({ key: bytes('a'), value: Buffer.alloc(3_000_000) }), /message larger than max/);
    const success = Array.from({ length: 129 }, (_, i) =>
      requestOp({ requestPut: putRequest({ key: bytes(String(i)) }) }),
    );
    await assert.rejects(client.txn({ success }), /too many operations in txn request/);
    await assert.rejects(client.range({ ...everyKey, revision: 99 }), /future revision/);
  });

  it('restores a snapshot in one new revision', async () => {
    await client.put({ key: bytes('a'), value: bytes('1') });
    await client.put({ key: bytes('b'), value: bytes('1') });
    const before = etcd.snapshot();
    await client.put({ key: bytes('a'), value: bytes('2') });
    await client.deleteRange({ key: bytes('b') });
    await client.put({ key: bytes('c'), value: bytes('2') });
    const { revision } = etcd;
    const watch = client.watch();
    watch.create(everyKey);
    await watch.until((responses) => responses.length > 0);
    assert.equal(await etcd.restore(before), revision + 1);
    assert.deepEqual(await contents(), ['a=1', 'b=1']);
    await watch.until((responses) => responses.some(({ events }) => events.length === 3));
    watch.close();
    assert.equal(await etcd.restore(before), revision + 1, 'nothing differs');
  });

  it('gives concurrent transactions one winner', async () => {
    const claim = (value: string) =>
      client.txn({
        compare: [{ result: 0, target: 2, key: bytes('lock'), modRevision: 0, rangeEnd: Buffer.alloc(0) }],
        success: [requestOp({ requestPut: putRequest({ key: bytes('lock'), value: bytes(value) }) })],
      });
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => claim(String(i))));
    assert.equal(outcomes.filter(({ succeeded }) => succeeded).length, 1);
  });

  it('fails immediately when a directory cannot be created', async () => {
    const dataDir = '/proc/none/data';
    await assert.rejects(startEmbeddedEtcd({ dataDir, listen: { host: '127.0.0.1', port: 0 } }), { code: 'ENOENT' });
  });

  it('starts several independent instances in one process', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => startEmbeddedEtcd({ memory: true })));
    const users = stores.map(({ url }) => testClient(url));
    await Promise.all(users.map((user, i) => user.put({ key: bytes(`k${String(i)}`) })));
    for (const user of users) assert.equal((await user.range(everyKey)).count, 1);
    for (const user of users) user.close();
    await Promise.all(stores.map((store) => store.close()));
  });
});
