import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '@apichain/etcd-api';
import { startEmbeddedEtcd } from './embedded-etcd.ts';
import { repairDataDir, type StoreDamage } from './repair-data-dir.ts';
import { bytes, testClient, type TestClient } from './server.fixture.ts';

describe('a damaged data directory', () => {
  let folder: string;
  let directory: string;
  let target: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'apichain-repair-'));
    directory = join(folder, 'store');
    target = join(folder, 'repaired');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const using = async <T>(dataDir: string, work: (client: TestClient) => Promise<T>, checkpointBytes?: number) => {
    const etcd = await startEmbeddedEtcd({ dataDir, ...(checkpointBytes === undefined ? {} : { checkpointBytes }) });
    const client = testClient(etcd.url);
    try {
      return await work(client);
    } finally {
      client.close();
      await etcd.close();
    }
  };
  const write = (keys: readonly string[], checkpointBytes?: number) =>
    using(
      directory,
      async (client) => {
        for (const key of keys) await client.put({ key: bytes(key), value: Buffer.alloc(2_000, key) });
      },
      checkpointBytes,
    );
  const stateOf = (dataDir: string) =>
    using(dataDir, async (client) => {
      const { header, kvs } = await client.range(everyKey);
      return { revision: Number(header?.revision), keys: kvs.map(({ key }) => String(key)) };
    });
  const files = (kind: string) =>
    readdirSync(directory)
      .filter((name) => name.startsWith(kind))
      .sort()
      .map((name) => join(directory, name));
  const last = (kind: string): string => {
    const file = files(kind).at(-1);
    assert.ok(file !== undefined);
    return file;
  };
  const flip = (path: string, at: number) => {
    const data = readFileSync(path);
    data[at] = (data[at] ?? 0) ^ 0xff;
    writeFileSync(path, data);
  };
  /** Repairs, and checks that the damaged files stay as they were. */
  const repair = async (): Promise<StoreDamage & { readonly isWritten: boolean }> => {
    const before = files('').filter((path) => !path.endsWith('lock'));
    const contents = before.map((path) => readFileSync(path));
    const { damage, isWritten } = await repairDataDir({ directory, target, agrees: () => true });
    assert.ok(damage !== undefined);
    assert.deepEqual(
      before.map((path) => readFileSync(path)),
      contents,
    );
    return { ...damage, isWritten };
  };

  it('has the writes before a flipped byte', async () => {
    await write(['a', 'b', 'c', 'd']);
    // The second of the four writes of 2 kB.
    flip(last('log'), 3_000);
    await assert.rejects(stateOf(directory), /is damaged at byte \d+ .*apichain doctor --repair/);
    const { reason, kept, isWritten } = await repair();
    assert.match(reason, /log-0+1 is damaged at byte \d+ \(a checksum does not match\)/);
    assert.deepEqual([kept, isWritten], [{ revision: 2, keys: 1, lostWrites: 3 }, true]);
    assert.deepEqual(await stateOf(target), { revision: 2, keys: ['a'] });
    await using(target, async (client) => {
      const { header } = await client.put({ key: bytes('e') });
      assert.equal(Number(header?.revision), 3);
    });
    assert.deepEqual(await stateOf(target), { revision: 3, keys: ['a', 'e'] });
  });

  it('has the writes before the place where a log was cut off', async () => {
    await write(['a', 'b', 'c']);
    const log = readFileSync(last('log'));
    writeFileSync(last('log'), log.subarray(0, log.length - 2_500));
    await assert.rejects(stateOf(directory), /has lost its last 2 writes/);
    assert.deepEqual((await repair()).kept, { revision: 2, keys: 1, lostWrites: 2 });
    assert.deepEqual((await stateOf(target)).keys, ['a']);
  });

  it('has the writes before a missing file of the log', async () => {
    await write(['a', 'b']);
    const first = last('log');
    // The log goes on in a new file when a checkpoint is begun, and the process is killed before the checkpoint is complete.
    const copy = join(folder, 'copy');
    cpSync(directory, copy, { recursive: true });
    await write(['c', 'd', 'e', 'f', 'g', 'h'], 6_000);
    const checkpoint = files('checkpoint').at(-1);
    assert.ok(checkpoint !== undefined && files('log').length > 0);
    unlinkSync(checkpoint);
    cpSync(join(copy, first.split('/').at(-1) ?? ''), first);
    await assert.rejects(stateOf(directory), /write \d+ is missing/);
    const { kept } = await repair();
    assert.deepEqual([kept?.revision, kept?.keys], [3, 2]);
    assert.ok((kept?.lostWrites ?? 0) > 0);
    assert.deepEqual((await stateOf(target)).keys, ['a', 'b']);
  });

  it('goes on from its checkpoint, and is lost when that is damaged', async () => {
    await write(
      Array.from({ length: 30 }, (_, index) => `key-${index}`),
      10_000,
    );
    // Behind the last checkpoint, however late that was.
    await write(['last']);
    const { keys } = await stateOf(directory);
    const log = readFileSync(last('log'));
    flip(last('log'), log.length - 10);
    const { kept } = await repair();
    assert.deepEqual([kept?.keys, kept?.lostWrites], [keys.length - 1, 1]);
    rmSync(target, { recursive: true });
    // The head of the file that was begun with the checkpoint.
    flip(last('log'), 20);
    const { kept: before } = await repair();
    assert.ok(before !== undefined && before.keys > 0 && before.lostWrites > 0);
    assert.ok(before.keys + before.lostWrites >= keys.length, `${before.keys} keys, ${before.lostWrites} writes lost`);
    rmSync(target, { recursive: true });
    flip(last('checkpoint'), 500);
    const lost = await repair();
    assert.match(lost.reason, /checkpoint-\d+ is damaged/);
    assert.deepEqual([lost.kept, lost.isWritten, existsSync(target)], [undefined, false, false]);
  });

  it('is whole behind a damaged manifest, and gone without its log', async () => {
    await write(['a', 'b']);
    writeFileSync(join(directory, 'manifest'), '{');
    assert.deepEqual((await repair()).kept, { revision: 3, keys: 2, lostWrites: 0 });
    assert.deepEqual((await stateOf(target)).keys, ['a', 'b']);
    rmSync(target, { recursive: true });
    unlinkSync(last('log'));
    assert.deepEqual((await repair()).kept, undefined);
    writeFileSync(join(directory, 'manifest'), '{"format":2}');
    await assert.rejects(repair(), /written by a newer version/);
  });

  it('is left alone when it is whole, in use, or when the answer is no', async () => {
    await write(['a']);
    const whole = await repairDataDir({ directory, target, agrees: () => assert.fail('nothing to ask') });
    assert.deepEqual(whole, { damage: undefined, isWritten: false });
    flip(last('log'), 1_000);
    const { isWritten } = await repairDataDir({ directory, target, agrees: () => false });
    assert.deepEqual([isWritten, existsSync(target)], [false, false]);
    flip(last('log'), 1_000);
    await using(directory, async () => {
      await assert.rejects(repairDataDir({ directory, target, agrees: () => true }), /in use by another process/);
    });
  });
});
