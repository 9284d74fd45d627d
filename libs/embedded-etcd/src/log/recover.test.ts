import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '@apichain/etcd-api';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '../embedded-etcd.ts';
import { bytes, testClient, type TestClient } from '../server.fixture.ts';

describe('the data directory of the embedded etcd', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-log-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const using = async <T>(work: (client: TestClient, etcd: EmbeddedEtcd) => Promise<T>): Promise<T> => {
    const etcd = await startEmbeddedEtcd({ dataDir: directory });
    const client = testClient(etcd.url);
    try {
      return await work(client, etcd);
    } finally {
      client.close();
      await etcd.close();
    }
  };
  const write = (...keys: string[]) =>
    using(async (client) => {
      for (const key of keys) await client.put({ key: bytes(key), value: Buffer.alloc(2_000, key) });
    });
  const contents = () => using(async (client) => (await client.range(everyKey)).kvs.map(({ key }) => String(key)));
  const file = (kind: string) => {
    const name = readdirSync(directory)
      .filter((each) => each.startsWith(kind))
      .sort()
      .at(-1);
    assert.ok(name !== undefined);
    return join(directory, name);
  };
  const damage = (path: string, at: number, ...values: number[]) => {
    const data = readFileSync(path);
    values.forEach((value, i) => {
      const position = at < 0 ? data.length + at + i : at + i;
      data[position] = value === -1 ? (data[position] ?? 0) ^ 0xff : value;
    });
    writeFileSync(path, data);
  };

  it('restores revisions, versions, leases and history after a restart', async () => {
    const before = await using(async (client) => {
      await client.put({ key: bytes('a'), value: bytes('1') });
      await client.put({ key: bytes('a'), value: bytes('2') });
      await client.deleteRange({ key: bytes('a') });
      await client.put({ key: bytes('b'), value: bytes('3') });
      return client.range(everyKey);
    });
    await using(async (client) => {
      assert.deepEqual(await client.range(everyKey), before);
      const { kvs } = await client.range({ key: bytes('a'), revision: 3 });
      assert.deepEqual(
        kvs.map(({ value, version }) => [String(value), version]),
        [['2', 2]],
      );
      const watch = client.watch();
      watch.create({ ...everyKey, startRevision: 2 });
      await watch.until((responses) => responses.some(({ events }) => events.length === 4));
      watch.close();
    });
  });

  /** Simulates a server that was killed instead of closed: the manifest then does not contain the last sequence number. */
  const asAfterKill = () => {
    const path = join(directory, 'manifest');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...manifest, sequence: 1 }));
  };

  it('truncates a write that a crash left unfinished', async () => {
    await write('a', 'b');
    asAfterKill();
    truncateSync(file('log'), readFileSync(file('log')).length - 100);
    assert.deepEqual(await contents(), ['a']);
    await write('c');
    assert.deepEqual(await contents(), ['a', 'c']);
  });

  it('truncates a write with a missing sector', async () => {
    await write('a', 'b');
    asAfterKill();
    damage(file('log'), -1_200, ...Array<number>(1_200).fill(0));
    assert.deepEqual(await contents(), ['a']);
  });

  it('truncates unwritten space and a partial header', async () => {
    await write('a');
    appendFileSync(file('log'), Buffer.alloc(5_000));
    assert.deepEqual(await contents(), ['a']);
    appendFileSync(file('log'), bytes('aEf1'));
    assert.deepEqual(await contents(), ['a']);
  });

  it('refuses a flipped bit in acknowledged records', async () => {
    await write('a', 'b', 'c');
    for (const at of [30, 500, 2_500, -10]) {
      const sound = readFileSync(file('log'));
      damage(file('log'), at, -1);
      await assert.rejects(contents(), /log-0+1 is damaged at byte \d+ \(a checksum does not match\)/);
      writeFileSync(file('log'), sound);
    }
    // An empty sector followed by a valid write is not an unfinished write.
    damage(file('log'), 600, ...Array<number>(1_100).fill(0));
    await assert.rejects(contents(), /is damaged/);
  });

  it('refuses a log with a missing file or a file of another store', async () => {
    await using(async (client, _etcd) => {
      await client.put({ key: bytes('a') });
    });
    const other = readFileSync(file('log'));
    rmSync(directory, { recursive: true });
    await write('a');
    writeFileSync(join(directory, 'log-0000000000000003'), other);
    await assert.rejects(contents(), /is damaged/);
    writeFileSync(join(directory, 'log-0000000000000009'), other);
    unlinkSync(join(directory, 'log-0000000000000003'));
    await assert.rejects(contents(), /write 3 is missing/);
  });

  it('refuses a store whose log was emptied, truncated or removed, and does not change it', async () => {
    await write('a', 'b', 'c');
    asAfterKill();
    const path = file('log');
    const sound = readFileSync(path);
    for (const left of [0, 10, 24]) {
      writeFileSync(path, sound.subarray(0, left));
      await assert.rejects(contents(), /has lost all of its writes .*: restore its files or a snapshot, or remove/);
      assert.equal(readFileSync(path).length, left);
    }
    // The rest of the file looks like space that was never written.
    writeFileSync(path, Buffer.alloc(sound.length));
    await assert.rejects(contents(), /has lost all of its writes/);
    assert.equal(readFileSync(path).length, sound.length);
    writeFileSync(path, sound.subarray(40));
    await assert.rejects(contents(), /is damaged at byte 0/);
    unlinkSync(path);
    await assert.rejects(contents(), /has lost all of its writes/);
    writeFileSync(path, sound);
    assert.deepEqual(await contents(), ['a', 'b', 'c']);
    // After a clean close, the manifest contains the last write.
    writeFileSync(file('log'), readFileSync(file('log')).subarray(0, -1));
    await assert.rejects(contents(), /has lost its last 1 writes .*manifest to go on with what is left/);
    unlinkSync(join(directory, 'manifest'));
    assert.deepEqual(await contents(), ['a', 'b']);
  });

  it('refuses a checkpoint without the log after it, and files of a newer version', async () => {
    const etcd = await startEmbeddedEtcd({ dataDir: directory, checkpointBytes: 5_000 });
    const client = testClient(etcd.url);
    for (let i = 0; i < 20; i++) await client.put({ key: bytes('a'), value: Buffer.alloc(1_000) });
    client.close();
    await etcd.close();
    assert.match(file('checkpoint'), /checkpoint-/);
    const log = file('log');
    const kept = readFileSync(log);
    unlinkSync(log);
    await assert.rejects(contents(), /the log after it is missing/);
    writeFileSync(log, kept);
    const manifest = join(directory, 'manifest');
    writeFileSync(manifest, '{"format":2}');
    await assert.rejects(contents(), /written by a newer version \(format 2\); use that version/);
    for (const text of ['', 'null', '{"format":1}', '{']) {
      writeFileSync(manifest, text);
      await assert.rejects(contents(), /manifest is damaged/);
    }
    writeFileSync(manifest, '{"format":1,"clusterId":"7","sequence":1}');
    await assert.rejects(contents(), /it is of another store/);
    // Earlier versions wrote no manifest.
    unlinkSync(manifest);
    assert.deepEqual(await contents(), ['a']);
  });

  it('continues from a checkpoint, and refuses a damaged one', async () => {
    const etcd = await startEmbeddedEtcd({ dataDir: directory, checkpointBytes: 20_000 });
    const client = testClient(etcd.url);
    const keys = Array.from({ length: 200 }, (_, i) => `key-${String(i).padStart(3, '0')}`);
    for (const key of keys) await client.put({ key: bytes(key), value: Buffer.alloc(1_000) });
    await client.deleteRange({ key: bytes('key-000') });
    client.close();
    await etcd.close();
    assert.ok(readdirSync(directory).filter((name) => !name.startsWith('lock')).length <= 3);
    assert.deepEqual(await contents(), keys.slice(1));
    damage(file('checkpoint'), 1_000, -1);
    await assert.rejects(contents(), /checkpoint-\d+ is damaged/);
  });

  it('has a bounded size when keys are overwritten and history is compacted', async () => {
    const etcd = await startEmbeddedEtcd({ dataDir: directory, checkpointBytes: 50_000 });
    const client = testClient(etcd.url);
    for (let i = 0; i < 600; i++) {
      const { header } = await client.put({ key: bytes(`key-${String(i % 5)}`), value: Buffer.alloc(1_000) });
      if (i % 50 === 49) await client.compact(header?.revision ?? 0);
    }
    client.close();
    await etcd.close();
    const size = readdirSync(directory).reduce((sum, name) => sum + readFileSync(join(directory, name)).length, 0);
    assert.ok(size < 250_000, `the directory takes ${String(size)} bytes`);
    assert.equal((await contents()).length, 5);
  });

  it('is used by one server at a time', async () => {
    await using(async () => {
      await assert.rejects(startEmbeddedEtcd({ dataDir: directory }), /cannot be locked: in use/);
    });
    assert.deepEqual(await contents(), []);
  });
});
