import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Transport } from '@apichain/client';
import { ignoringErrors, unionOf, type AuditBackend } from './backend.ts';
import { BatchBackend } from './batch-backend.ts';
import { testEvent } from '@apichain/request/event.fixture';
import type { AuditEvent } from '@apichain/request';
import { until } from '@apichain/meta/until.fixture';
import { logBackend } from './log-backend.ts';
import { RotatingFile } from './rotating-file.ts';
import { truncating } from './truncate-backend.ts';
import { WebhookBackend } from './webhook-backend.ts';

class Collecting implements AuditBackend {
  readonly name = 'collecting';
  readonly batches: (readonly AuditEvent[])[] = [];
  isClosed = false;
  process(events: readonly AuditEvent[]): boolean {
    this.batches.push(events);
    return true;
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const failures: [plugin: string, message: string, events: number][] = [];
const failed = (plugin: string, error: Error, events: readonly AuditEvent[]) =>
  failures.push([plugin, error.message, events.length]);

describe('audit events', () => {
  it('are audit.k8s.io/v1 Events in one line', () => {
    const event = testEvent({ responseStatus: { status: 'Failure', reason: 'AlreadyExists', code: 409 } });
    assert.deepEqual(JSON.parse(event.json), {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Request',
      auditID: 'id-1',
      stage: 'ResponseComplete',
      requestURI: '/api/v1/namespaces/default/pods',
      verb: 'create',
      user: { username: 'bob', groups: ['dev', 'ops'] },
      sourceIPs: ['10.0.0.1'],
      userAgent: 'test',
      objectRef: { resource: 'pods', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { metadata: {}, status: 'Failure', reason: 'AlreadyExists', code: 409 },
      requestObject: { a: 1 },
      requestReceivedTimestamp: '2026-01-02T03:04:05.060000Z',
      stageTimestamp: '2026-01-02T03:04:05.070000Z',
      annotations: { 'a/a': '1', 'b/b': '2' },
    });
    assert.doesNotMatch(event.item, /"kind":"Event"/);
  });

  it('have a legacy text format', () => {
    assert.equal(
      testEvent().legacy,
      '2026-01-02T03:04:05.06Z AUDIT: id="id-1" stage="ResponseComplete" ip="10.0.0.1" method="create" user="bob" groups="\\"dev\\",\\"ops\\"" as="<self>" asgroups="<lookup>" user-agent="test" namespace="default" uri="/api/v1/namespaces/default/pods" response="201"',
    );
    const unknown = { user: undefined, sourceIPs: [], objectRef: undefined, responseStatus: undefined };
    assert.match(
      testEvent(unknown).legacy,
      /ip="<unknown>" .*user="<none>" groups="<none>".*namespace="<none>".*<deferred>/,
    );
  });
});

describe('audit backends', () => {
  beforeEach(() => failures.splice(0));

  it('write lines, and count events that cannot be written', () => {
    const lines: string[] = [];
    const out = { write: (text: string) => void lines.push(text), close: async () => undefined };
    assert.equal(logBackend(out, 'json', failed).process([testEvent(), testEvent()]), true);
    assert.deepEqual(lines, [`${testEvent().json}\n`, `${testEvent().json}\n`]);
    void logBackend(out, 'legacy', failed).process([testEvent()]);
    assert.equal(lines[2], `${testEvent().legacy}\n`);
    const full = {
      write: () => {
        throw new Error('the disk is full');
      },
      close: async () => undefined,
    };
    const broken = logBackend(full, 'json', failed);
    assert.equal(broken.process([testEvent()]), false);
    assert.equal(ignoringErrors(broken).process([testEvent()]), true);
    assert.equal(unionOf([logBackend(out, 'json', failed), broken]).process([testEvent()]), false);
    assert.deepEqual(failures[0], ['log', 'the disk is full', 1]);
  });

  it('truncate large events', () => {
    const next = new Collecting();
    const small = testEvent().json.length + 50;
    const backend = truncating(next, { maxEventSize: small, maxBatchSize: 2 * small }, failed);
    const large = testEvent({ requestObject: JSON.stringify('x'.repeat(small)) });
    void backend.process([testEvent(), testEvent(), large, testEvent()]);
    const cut = next.batches.flat()[2];
    assert.equal(cut?.fields.requestObject, undefined);
    assert.equal(cut?.fields.annotations['audit.k8s.io/truncated'], 'true');
    assert.deepEqual(
      next.batches.map(({ length }) => length),
      [2, 2],
    );
    void backend.process([testEvent({ level: 'Metadata', userAgent: 'y'.repeat(small), requestObject: undefined })]);
    assert.deepEqual(failures, [['truncate', 'event is too large even after truncating', 1]]);
  });

  it('collect batches by number and by time', async () => {
    const next = new Collecting();
    const options = { bufferSize: 4, maxBatchSize: 2, maxBatchWaitMs: 3_600_000, concurrency: 1 };
    const backend = new BatchBackend(next, options, failed);
    backend.process([testEvent(), testEvent(), testEvent()]);
    assert.equal(next.batches.length, 0);
    const sizes = () => next.batches.map(({ length }) => length);
    await until(() => sizes().length > 0);
    assert.deepEqual(sizes(), [2]);
    const soon = new Collecting();
    const timed = new BatchBackend(soon, { ...options, maxBatchWaitMs: 20 }, failed);
    timed.process([testEvent()]);
    await until(() => soon.batches.length > 0);
    await timed.close();
    await backend.close();
    assert.deepEqual(sizes(), [2, 1]);
    assert.ok(next.isClosed);
  });

  it('drop what finds no room', async () => {
    const next = new Collecting();
    const options = { bufferSize: 4, maxBatchSize: 2, maxBatchWaitMs: 3_600_000, concurrency: 1 };
    const backend = new BatchBackend(next, options, failed);
    backend.process(Array.from({ length: 5 }, () => testEvent()));
    assert.deepEqual(failures, [['buffered', 'audit buffer queue blocked', 1]]);
    await backend.close();
    assert.equal(next.batches.flat().length, 4);
    backend.process([testEvent()]);
    assert.deepEqual(failures[1], ['buffered', 'audit backend shut down', 1]);
  });

  it('throttle batches', async () => {
    const next = new Collecting();
    const throttle = { qps: 0.001, burst: 2 };
    const options = { bufferSize: 10, maxBatchSize: 1, maxBatchWaitMs: 0, concurrency: 1, throttle };
    const backend = new BatchBackend(next, options, failed);
    backend.process([testEvent(), testEvent(), testEvent(), testEvent()]);
    await until(() => next.batches.length > 1);
    assert.equal(next.batches.length, 2);
    await backend.close();
    assert.equal(next.batches.length, 4);
  });

  it('retry a webhook', async () => {
    const codes = [500, 200];
    const bodies: string[] = [];
    const transport: Transport = {
      send: async ({ body }) => {
        bodies.push(String(body));
        const stream = Object.assign((async function* () {})(), { dump: async () => undefined });
        return { status: codes.shift() ?? 200, headers: {}, body: stream };
      },
      close: async () => undefined,
    };
    const backend = new WebhookBackend({ transport, path: '/audit', initialBackoffMs: 1 }, failed);
    assert.equal(await backend.process([testEvent(), testEvent()]), true);
    assert.equal(bodies.length, 2);
    const list = JSON.parse(bodies[0] ?? '') as { kind: string; apiVersion: string; items: object[] };
    assert.deepEqual([list.kind, list.apiVersion, list.items.length], ['EventList', 'audit.k8s.io/v1', 2]);
    assert.ok(!('kind' in (list.items[0] ?? {})));
    codes.push(500, 500, 500, 500, 500);
    assert.equal(await backend.process([testEvent()]), false);
    assert.equal(bodies.length, 7);
    assert.deepEqual(failures, [['webhook', 'the webhook answered with code 500', 1]]);
    await backend.close();
  });

  it('do not wait for an unreachable webhook when they are closed', async () => {
    const transport: Transport = { send: () => Promise.reject(new Error('away')), close: async () => undefined };
    const backend = new WebhookBackend({ transport, path: '/', initialBackoffMs: 60_000 }, failed);
    const sending = backend.process([testEvent()]);
    await delay(5);
    await backend.close();
    assert.equal(await sending, false);
    assert.deepEqual(failures, [['webhook', 'away', 1]]);
  });
});

describe('a file of audit events', () => {
  let directory: string;
  const problems: Error[] = [];
  const open = (more: Partial<ConstructorParameters<typeof RotatingFile>[1]> = {}) =>
    new RotatingFile(
      join(directory, 'logs', 'audit.log'),
      { maxBytes: 100, maxAgeDays: 0, maxBackups: 0, compress: false, ...more },
      (error) => problems.push(error),
    );
  const files = () => readdirSync(join(directory, 'logs')).sort();
  const line = (letter: string) => `${letter.repeat(59)}\n`;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-audit-'))));
  afterEach(() => {
    rmSync(directory, { recursive: true });
    assert.deepEqual(problems, []);
  });

  it('may be shared: every line of every process is kept, in files that are not too large', async () => {
    const shared = [true, false, false].map((isKeeper) => open({ shared: { isKeeper } }));
    const lines = Array.from({ length: 30 }, (_, i) => line(String.fromCodePoint(65 + i)));
    for (const [i, text] of lines.entries()) {
      shared[i % shared.length]?.write(text);
      await delay(2);
    }
    await Promise.all(shared.map((file) => file.close()));
    const texts = files().map((name) => readFileSync(join(directory, 'logs', name), 'utf8'));
    assert.deepEqual(texts.join('').split('\n').sort(), lines.join('').split('\n').sort());
    assert.ok(texts.every((text) => text.length <= 100));
    assert.ok(texts.length > 20, String(texts.length));
  });

  it('is accessible only to its owner, and is rotated before it is too large', async () => {
    const file = open();
    for (const letter of ['a', 'b', 'c']) {
      file.write(line(letter));
      await delay(3);
    }
    await file.close();
    assert.equal(files().length, 3);
    assert.match(files()[0] ?? '', /^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
    assert.equal(statSync(join(directory, 'logs', 'audit.log')).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(directory, 'logs', 'audit.log'), 'utf8'), line('c'));
    const again = open();
    assert.throws(() => again.write('x'.repeat(101)), /write length 101 exceeds maximum file size 100/);
    again.write(line('d'));
    await again.close();
    assert.equal(files().length, 4);
  });

  it('keeps maxbackup old files, compressed with the flag', async () => {
    const file = open({ maxBackups: 2, compress: true });
    for (const letter of ['a', 'b', 'c', 'd']) {
      file.write(line(letter));
      await delay(3);
    }
    await file.close();
    const [first = '', ...others] = files();
    assert.match(first, /\.log\.gz$/);
    assert.equal(others.length, 2);
    assert.equal(gunzipSync(readFileSync(join(directory, 'logs', first))).toString(), line('b'));
  });

  it('grows without a limit when rotation is disabled', async () => {
    const file = open({ maxBytes: 0 });
    for (const letter of ['a', 'b', 'c']) file.write(line(letter));
    await file.close();
    assert.deepEqual(files(), ['audit.log']);
  });
});
