import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chainDirectory } from './chain-directory.ts';
import { chainState } from './chain-state.ts';
import { formatLogLine, parseLogLine } from './log-line.ts';
import { Tail } from './tail.ts';

describe('the life cycle of chains', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-lifecycle-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('finds a chain by its name or its directory', () => {
    const { XDG_DATA_HOME: before } = process.env;
    delete process.env['XDG_DATA_HOME'];
    assert.equal(chainDirectory({ name: 'dev' }), join(homedir(), '.local/share/apichain/dev'));
    process.env['XDG_DATA_HOME'] = directory;
    assert.equal(chainDirectory({ name: 'dev' }), join(directory, 'apichain/dev'));
    if (before === undefined) delete process.env['XDG_DATA_HOME'];
    else process.env['XDG_DATA_HOME'] = before;
    assert.equal(chainDirectory({}), resolve('.apichain'));
    assert.equal(chainDirectory({ dataDir: 'x' }), resolve('x'));
    assert.throws(() => chainDirectory({ name: '../dev' }), /--name: "..\/dev" is not a name of lower case letters/);
    assert.throws(() => chainDirectory({ name: 'dev', dataDir: 'x' }), /exclude each other/);
  });

  it('knows a chain that is stopped, and one whose process is gone', async () => {
    mkdirSync(join(directory, 'pki'));
    const { status, pid, processes } = await chainState(directory);
    assert.deepEqual({ status, pid, processes }, { status: 'stopped', pid: undefined, processes: [] });
    writeFileSync(join(directory, 'lock'), '2147483646\n');
    assert.equal((await chainState(directory)).status, 'stopped');
  });

  it('follows a file that is appended to, replaced and truncated', () => {
    const file = join(directory, 'a.log');
    const tail = new Tail(file);
    assert.deepEqual(tail.last(), []);
    writeFileSync(file, 'one\ntwo\nthr');
    assert.deepEqual(tail.last(), ['one', 'two']);
    assert.deepEqual(tail.next(), []);
    appendFileSync(file, 'ee\n\u00fc');
    assert.deepEqual(tail.next(), ['three']);
    appendFileSync(file, 'mlaut\n');
    assert.deepEqual(tail.next(), ['\u00fcmlaut']);
    writeFileSync(join(directory, 'b.log'), 'new\n');
    renameSync(join(directory, 'b.log'), file);
    assert.deepEqual(tail.next(), ['new']);
    writeFileSync(file, 'x\n');
    assert.deepEqual(tail.next(), ['x']);
  });

  it('reads the last MiB of a large file, and a line without end in pieces', () => {
    const file = join(directory, 'a.log');
    writeFileSync(file, `${'x'.repeat(99)}\n`.repeat(20_000));
    const lines = new Tail(file).last();
    assert.ok(lines.length > 10_000 && lines.length < 10_500, String(lines.length));
    assert.ok(lines.every((line) => line.length === 99));
    writeFileSync(file, 'y'.repeat(3_000_000));
    const tail = new Tail(file);
    assert.deepEqual([tail.next().length, tail.next().length, tail.next().length], [1, 1, 0]);
  });

  it('shows log entries of pino and of etcd, and other lines as they are', () => {
    const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
    const pino = JSON.stringify({
      level: 40,
      time,
      pid: 1,
      hostname: 'h',
      name: 'kube-core',
      path: '/a b',
      msg: 'slow',
    });
    const shown = (text: string, isColored = false) => formatLogLine(parseLogLine(text, 'etcd'), 10, isColored);
    assert.equal(shown(pino), '03:04:05.006 WARN  kube-core  slow path="/a b"');
    assert.equal(shown(pino, true), '03:04:05.006 \u001b[33mWARN \u001b[39m kube-core  slow path="/a b"');
    const etcd = JSON.stringify({
      level: 'info',
      ts: new Date(time).toISOString(),
      caller: 'x',
      msg: 'ready',
      took: 3,
    });
    assert.equal(shown(etcd), '03:04:05.006 INFO  etcd       ready took=3');
    assert.equal(
      shown(JSON.stringify({ level: 50, err: { message: 'no', stack: 's' } })).trim(),
      'ERROR etcd        err="no"',
    );
    assert.equal(shown('panic: no').trim(), 'etcd       panic: no');
    assert.equal(shown('{"cut').trim(), 'etcd       {"cut');
  });
});
