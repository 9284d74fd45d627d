import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomNumbers } from '@apichain/meta/random-numbers.fixture';
import { Lessor } from '../lease/lessor.ts';
import { FailingDisk } from '../log/failing-disk.fixture.ts';
import { FileLog } from '../log/file-log.ts';
import { recover } from '../log/recover.ts';
import { afterEveryKey } from '../mvcc/key-range.ts';
import { FormerValues } from '../mvcc/former-values.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import { noLease, sizeOf } from '../mvcc/version.ts';
import { Engine } from './engine.ts';
import { loadInto } from './load.ts';

const rounds = 150;
const writers = 8;
const everyKey = { start: '', end: afterEveryKey };

interface Opened {
  readonly engine: Engine;
  readonly store: MvccStore;
  readonly lessor: Lessor;
}

/** The keys as a reader sees them, with their leases. */
function contentsOf({ store }: Opened, revision: number): Map<string, string> {
  const found = new Map<string, string>();
  store.visit(everyKey, revision, ({ key, kv }) => {
    found.set(key, `${String(kv.value)} ${kv.lease === noLease ? '' : kv.lease}`);
    return true;
  });
  return found;
}

/** The memory for former versions, in bytes. */
const histories = { 'in memory': Infinity, 'on disk': 1_000 };

for (const [where, historyBytes] of Object.entries(histories))
  describe(`the embedded etcd with its history ${where} on a disk that is full at times`, () => {
    let directory: string;
    const disk = new FailingDisk();
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'apichain-full-'));
    });
    afterEach(() => {
      rmSync(directory, { recursive: true, force: true });
    });

    const open = async (): Promise<Opened> => {
      const store = new MvccStore({ bytes: historyBytes, values: new FormerValues(directory) });
      const lessor = new Lessor();
      const position = await recover(directory, loadInto(store, lessor));
      const identity = position.identity ?? { clusterId: '1', memberId: '2' };
      const engine = await Engine.open({
        identity,
        store,
        lessor,
        quotaBytes: 2 ** 30,
        openLog: (view) =>
          FileLog.open({ directory, identity, position, view, checkpointBytes: 20_000, openFile: disk.open }),
      });
      return { engine, store, lessor };
    };

    /** Asserts that the leases and other derived state agree with the keys. */
    const check = (opened: Opened, expected: ReadonlyMap<string, string>, leases: ReadonlySet<string>) => {
      const { engine, store, lessor } = opened;
      assert.deepEqual(contentsOf(opened, engine.revision), new Map([...expected].sort()));
      assert.equal(store.head, engine.revision, 'memory is not ahead of the disk');
      assert.deepEqual(new Set(lessor.list().map(({ id }) => id)), leases);
      for (const { id, keys } of lessor.list()) {
        const held = [...expected].filter(([, value]) => value.endsWith(` ${id}`)).map(([key]) => key);
        assert.deepEqual([...keys].sort(), held.sort(), `the keys of lease ${id}`);
      }
      const versions = [...store.histories()].flatMap((history) => history.versions);
      assert.equal(
        store.bytes,
        versions.reduce((sum, version) => sum + sizeOf(version), 0),
      );
    };

    it('refuses writes that it cannot store, keeps acknowledged writes, and resumes', async () => {
      const random = randomNumbers(7);
      let opened = await open();
      const expected = new Map<string, string>();
      const leases = new Set<string>();
      let refused = 0;
      const attempt = async (work: () => Promise<unknown>, done: () => void) => {
        try {
          await work();
          done();
        } catch (error) {
          assert.match(String(error), /no space left on the disk/);
          refused++;
        }
      };
      const oneWrite = (writer: number, i: number): Promise<void> => {
        const { engine } = opened;
        const key = `${String(writer)}/${String(random(5))}`;
        const value = `${String(i)}${'x'.repeat(random(300))}`;
        const held = [...leases].filter((id) => Number(id) % writers === writer);
        const lease = random(3) === 0 ? (held[random(held.length)] ?? noLease) : noLease;
        switch (random(8)) {
          case 0:
            return attempt(
              () => engine.write((txn) => txn.delete({ start: key, end: undefined })),
              () => expected.delete(key),
            );
          case 1: {
            const id = String(1_000 + i * writers + writer);
            return attempt(
              () => engine.grant(id, 60_000),
              () => leases.add(id),
            );
          }
          case 2: {
            const [id] = held;
            if (id === undefined) return Promise.resolve();
            return attempt(
              () => engine.revoke(id),
              () => {
                leases.delete(id);
                for (const [held, text] of expected) if (text.endsWith(` ${id}`)) expected.delete(held);
              },
            );
          }
          default:
            return attempt(
              () => engine.write((txn) => txn.put(Buffer.from(key), Buffer.from(value), lease)),
              () => expected.set(key, `${value} ${lease === noLease ? '' : lease}`),
            );
        }
      };
      for (let round = 0; round < rounds; round++) {
        disk.failure = undefined;
        const fails = random(3) === 0;
        const writing = Array.from({ length: writers }, async (_, writer) => {
          for (let i = 0; i < 4; i++) {
            await oneWrite(writer, round * 4 + i);
            if (fails && writer === 3 && i === 1) disk.failure = 'ENOSPC';
          }
        });
        await Promise.all(writing);
        check(opened, expected, leases);
        disk.failure = undefined;
        const { engine, store } = opened;
        if (round % 10 === 9 && engine.revision > store.compactRevision) await engine.compact(engine.revision);
        if (round % 25 !== 24) continue;
        await engine.close();
        opened = await open();
        check(opened, expected, leases);
      }
      await opened.engine.close();
      assert.ok(refused > rounds, `hardly anything was refused: ${String(refused)}`);
    });
  });
