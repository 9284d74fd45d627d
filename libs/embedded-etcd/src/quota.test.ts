import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MaintenanceService } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd, type EmbeddedEtcd } from './embedded-etcd.ts';
import { findProgram, realEtcdProgram, startRealEtcd, type RealEtcd } from './real-etcd.fixture.ts';
import { bytes, testClient } from './server.fixture.ts';

const run = promisify(execFile);
const quotaBytes = 16 << 20;
const large = 'x'.repeat(100_000);

/** The last line that etcdctl prints for each step, without the ids of members. */
async function session(url: string): Promise<{ readonly puts: number; readonly steps: readonly string[] }> {
  const etcdctl = process.env['APICHAIN_ETCDCTL'] ?? findProgram('etcdctl');
  if (etcdctl === undefined) throw new Error('this test needs etcdctl (Debian: etcd-client)');
  const ctl = async (...words: string[]): Promise<string> => {
    const all = ['--endpoints', new URL(url).host, ...words];
    const { stdout, stderr } = await run(etcdctl, all, { env: { ...process.env, ETCDCTL_API: '3' } }).catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    );
    const [line = ''] = `${stderr}${stdout}`.trim().split('\n').slice(-1);
    return line
      .replace(/memberID:\d+/, 'memberID:ID')
      .replace(/revision \d+/, 'revision N')
      .replaceAll(new URL(url).host, 'HOST');
  };
  const client = testClient(url);
  let puts = 0;
  let problem = '';
  while (problem === '') {
    try {
      await client.put({ key: bytes(`k${puts % 3}`), value: bytes(large) });
      puts++;
    } catch (error) {
      problem = String(error);
    }
  }
  const { kvs } = await client.range({ key: bytes('k1') });
  assert.equal(kvs[0]?.value.length, large.length, 'reads go on');
  const { errors, header: full } = await client.call(MaintenanceService.status, {});
  // etcd refuses the put before or after it has applied it, by the state of its last commit.
  const filled = full?.revision ?? assert.fail('no revision');
  const steps = [problem, errors.join().replace(/\d+/, 'ID')];
  const commands: readonly (readonly string[])[] = [
    ['alarm', 'list'],
    ['put', 'a', 'b'],
    ['lease', 'grant', '100'],
    ['del', 'k0'],
    ['del', 'nothing'],
    ['compact', String(filled + 1)],
    ['put', 'a', large],
    ['alarm', 'disarm'],
    ['alarm', 'list'],
    // The database is as large as before.
    ['put', 'a', large],
    ['alarm', 'list'],
    ['defrag'],
    ['put', 'a', 'b'],
    ['alarm', 'disarm'],
    ['put', 'a', 'b'],
    ['alarm', 'list'],
    ['alarm', 'disarm'],
  ];
  for (const [name = '', ...words] of commands) steps.push(`${name}: ${await ctl(name, ...words)}`);
  const { header, dbSize } = await client.call(MaintenanceService.status, {});
  steps.push(`revision ${(header?.revision ?? 0) - filled} later`, `small again: ${dbSize < quotaBytes / 10}`);
  client.close();
  return { puts, steps };
}

describe('the quota of the embedded etcd', function () {
  let directory: string;
  let etcd: EmbeddedEtcd;
  const start = (options: Partial<Parameters<typeof startEmbeddedEtcd>[0]> = {}) =>
    startEmbeddedEtcd({
      ...{ dataDir: join(directory, 'data'), listen: { host: '127.0.0.1', port: 0 }, quotaBytes },
      ...options,
    });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-quota-'));
  });
  afterEach(async () => {
    await etcd.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('counts, alarms and is remedied as that of etcd', async () => {
    const program = realEtcdProgram();
    if (program === undefined) throw new Error('this test needs etcd on the PATH or in APICHAIN_ETCD');
    etcd = await start();
    const actual = await session(etcd.url);
    const real: RealEtcd = await startRealEtcd(program, undefined, ['--quota-backend-bytes', String(quotaBytes)]);
    try {
      const expected = await session(real.url);
      assert.deepEqual(actual.steps, expected.steps);
      // What etcd needs beside the values depends on how it happens to arrange them.
      const ratio = actual.puts / expected.puts;
      assert.ok(ratio > 0.5 && ratio < 2, `${actual.puts} puts fit, ${expected.puts} into etcd`);
    } finally {
      await real.close();
    }
  });

  it('keeps its alarm through a restart', async () => {
    etcd = await start({ quotaBytes: 50_000 });
    const fill = testClient(etcd.url);
    await assert.rejects(fill.put({ key: bytes('a'), value: Buffer.alloc(60_000) }), /database space exceeded/);
    const { alarms } = await fill.call(MaintenanceService.alarm, { action: 0, memberID: '0', alarm: 0 });
    assert.equal(alarms.length, 1);
    await fill.call(MaintenanceService.defragment, {});
    fill.close();
    for (const checkpointed of [false, true]) {
      await etcd.close();
      etcd = await start();
      const client = testClient(etcd.url);
      await assert.rejects(client.put({ key: bytes('a') }), /database space exceeded/, String(checkpointed));
      if (!checkpointed) await client.call(MaintenanceService.defragment, {});
      client.close();
    }
    const client = testClient(etcd.url);
    const [raised] = (await client.call(MaintenanceService.alarm, { action: 0, memberID: '0', alarm: 1 })).alarms;
    assert.deepEqual(raised, alarms[0]);
    await client.call(MaintenanceService.alarm, { action: 2, memberID: raised?.memberID ?? '', alarm: 1 });
    await client.put({ key: bytes('a') });
    client.close();
  });

  it('can be declared used up by hand', async () => {
    etcd = await start({ memory: true });
    const client = testClient(etcd.url);
    const alarm = (action: 0 | 1 | 2, memberID: string) =>
      client.call(MaintenanceService.alarm, { action, memberID, alarm: 1 });
    assert.equal((await alarm(1, '7')).alarms[0]?.memberID, '7');
    assert.equal((await alarm(1, '7')).alarms.length, 1);
    await assert.rejects(client.put({ key: bytes('a') }), /database space exceeded/);
    assert.deepEqual(
      (await alarm(0, '0')).alarms.map(({ memberID }) => memberID),
      ['7'],
    );
    assert.equal((await alarm(2, '8')).alarms.length, 0);
    assert.equal((await alarm(2, '7')).alarms.length, 1);
    await client.put({ key: bytes('a') });
    await assert.rejects(
      client.call(MaintenanceService.alarm, { action: 1, memberID: '7', alarm: 2 }),
      /the embedded etcd has no alarms other than NOSPACE/,
    );
    client.close();
  });
});
