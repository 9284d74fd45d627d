import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EtcdServerError } from '@apichain/etcd-api';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { testClient, type TestClient } from './server.fixture.ts';

const kills = Number(process.env['APICHAIN_KILLS'] ?? '20');
const seed = Number(process.env['SEED'] ?? '20260401');
const writers = 64;
/** Small, so that checkpoints and changes of the log file are also interrupted by kills. */
const checkpointBytes = 100_000;

/** Random numbers from 0 to 1, the same sequence for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly client: TestClient;
}

async function start(directory: string): Promise<Running> {
  const socket = join(directory, 'etcd.sock');
  const program = fileURLToPath(new URL('serve.ts', import.meta.url));
  const options = ['--data-dir', join(directory, 'data'), '--listen-client-urls', `unix://${socket}`];
  const child = spawn(process.execPath, [program, ...options, '--checkpoint-bytes', String(checkpointBytes)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stderr.on('data', (text) => output.push(String(text)));
  const [first] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as unknown[];
  if (!String(first).startsWith('ready')) throw new Error(`the embedded etcd did not start: ${output.join('')}`);
  return { child, client: testClient(`unix://${socket}`) };
}

/** The writes made between one start of the server and its kill, as its clients saw them. */
interface Life {
  readonly attempted: Map<string, string>;
  /** Keys whose write was acknowledged or seen in a watch, with the revision of the write. */
  readonly known: Map<string, number>;
  /** Keys whose deletion was acknowledged. */
  readonly deleted: Set<string>;
}

/** Writes unique keys until the server is gone, and deletes every fifth of them again. */
async function write(client: TestClient, life: Life, prefix: string): Promise<void> {
  for (let i = 0; ; i++) {
    const key = `${prefix}/${String(i)}`;
    const value = `${key}=${'x'.repeat((i * 37) % 500)}`;
    life.attempted.set(key, value);
    try {
      const { header } = await client.put({ key: Buffer.from(key), value: Buffer.from(value) });
      life.known.set(key, header?.revision ?? 0);
      if (i % 5 !== 4) continue;
      life.known.delete(key);
      await client.deleteRange({ key: Buffer.from(key) });
      life.deleted.add(key);
    } catch (error) {
      if (error instanceof EtcdServerError) return;
      throw error;
    }
  }
}

/** Records the events of a watch: those writes must survive too. */
function observe(client: TestClient, life: Life, prefix: string): void {
  const watch = client.watch();
  watch.create({ key: Buffer.from(prefix), rangeEnd: Buffer.from(`${prefix}~`) });
  watch.stream.on('data', (response: { events: { type: number; kv?: KeyValue }[] }) => {
    for (const { type, kv } of response.events) {
      const key = String(kv?.key);
      if (type === 0 && !isDeletedLater(key)) life.known.set(key, kv?.modRevision ?? 0);
    }
  });
}
const isDeletedLater = (key: string) => Number(key.split('/').at(-1)) % 5 === 4;

function verify(life: Life, found: readonly KeyValue[]): void {
  const present = new Map(found.map((kv) => [String(kv.key), kv]));
  for (const [key, revision] of life.known) {
    const kv = present.get(key);
    assert.ok(kv !== undefined, `${key} of revision ${String(revision)} was acknowledged and is lost`);
    assert.equal(kv.modRevision, revision, `${key} has another revision`);
  }
  for (const [key, kv] of present) {
    assert.equal(String(kv.value), life.attempted.get(key), `${key} was never written like this`);
    assert.ok(!life.deleted.has(key), `${key} was deleted and is back`);
  }
}

describe('the embedded etcd killed under load', () => {
  it(`keeps every acknowledged write and invents none over ${String(kills)} kills`, async function () {
    this.timeout(kills * 10_000 + 20_000);
    const random = randomFrom(seed);
    const directory = mkdtempSync(join(tmpdir(), 'apichain-crash-'));
    let life: Life = { attempted: new Map(), known: new Map(), deleted: new Set() };
    let highest = 0;
    let compacted = 0;
    let acknowledged = 0;
    let running: Running | undefined;
    try {
      for (let round = 0; round <= kills; round++) {
        running = await start(directory);
        const { child, client } = running;
        const whole = await client.range({ key: Buffer.from('/'), rangeEnd: Buffer.from('0') });
        verify(life, whole.kvs);
        const revision = whole.header?.revision ?? 0;
        assert.ok(revision >= highest, `revision ${String(revision)} is before ${String(highest)}`);
        if (round === kills) break;
        // Deletes the keys of the previous round to keep the store small. The revisions of the next round come after the deletion.
        await client.deleteRange({ key: Buffer.from('/'), rangeEnd: Buffer.from('0') });
        // Several rounds may end before anything is written: then there is nothing to compact.
        if (revision > Math.max(highest + 1, compacted) && round % 2 === 1) {
          await client.compact(revision);
          compacted = revision;
        }
        life = { attempted: new Map(), known: new Map(), deleted: new Set() };
        const prefix = `/${String(round)}`;
        observe(client, life, prefix);
        const writing = Array.from({ length: writers }, (_, i) => write(client, life, `${prefix}/${String(i)}`));
        await delay(random() * 300);
        child.kill('SIGKILL');
        await once(child, 'exit');
        await Promise.all(writing);
        client.close();
        for (const made of life.known.values()) {
          assert.ok(made > revision, `revision ${String(made)} was given twice`);
          highest = Math.max(highest, made);
        }
        assert.equal(new Set(life.known.values()).size, life.known.size, 'two writes share a revision');
        acknowledged += life.known.size + life.deleted.size;
      }
      assert.ok(acknowledged > kills, 'hardly anything was written');
      const data = join(directory, 'data');
      const size = readdirSync(data).reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
      assert.ok(size < 64 * 2 ** 20, `the data directory grew to ${String(size)} bytes`);
    } finally {
      running?.client.close();
      running?.child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
