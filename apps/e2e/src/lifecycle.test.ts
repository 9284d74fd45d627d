import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './chain.ts';
import { apichain, failsWith, succeeds } from './command-line.ts';

interface State {
  readonly status: string;
  readonly server: string;
  readonly processes: readonly { readonly name: string; readonly pid: number; readonly memory: number }[];
}

describe('chains in the background', () => {
  const { XDG_DATA_HOME: dataHome } = process.env;
  let directory: string;
  let kubeconfig: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-lifecycle-'));
    kubeconfig = join(directory, 'config');
    process.env['XDG_DATA_HOME'] = directory;
  });
  afterEach(async () => {
    for (const name of ['dev', 'other']) await apichain('down', '--name', name);
  });
  after(() => {
    if (dataHome === undefined) delete process.env['XDG_DATA_HOME'];
    else process.env['XDG_DATA_HOME'] = dataHome;
    rmSync(directory, { recursive: true, force: true });
  });

  const state = async (name: string) =>
    JSON.parse(await succeeds('status', '--name', name, '--output', 'json')) as State;
  const up = (name: string, ...flags: string[]) =>
    succeeds('up', '--detach', '--name', name, '--in-process', '--memory', '--apis=minimal', ...flags);

  it('have names, ports of their own and a context in a kubeconfig', async () => {
    writeFileSync(
      kubeconfig,
      'apiVersion: v1\nkind: Config\ncurrent-context: mine\ncontexts: [{name: mine, context: {}}]\n',
    );
    assert.match(await up('dev'), /^apichain is ready at https:.*\nkubeconfig: .*dev\/admin.kubeconfig\n/);
    await up('other', '--merge-kubeconfig', kubeconfig);
    const [dev, other] = [await state('dev'), await state('other')];
    assert.deepEqual([dev.status, other.status], ['ready', 'ready']);
    assert.notEqual(dev.server, other.server);
    assert.deepEqual(
      other.processes.map(({ name }) => name),
      ['apichain'],
    );
    assert.ok((other.processes[0]?.memory ?? 0) > 10e6);
    const list = await succeeds('list');
    assert.match(list, new RegExp(`^dev +ready +\\d+s +${dev.server} `, 'm'));
    assert.match(list, new RegExp(`^other +ready +\\d+s +${other.server} `, 'm'));
    const merged = readFileSync(kubeconfig, 'utf8');
    assert.match(merged, /^current-context: other$/m);
    assert.ok(merged.includes(other.server) && merged.includes('mine'));

    assert.match(await succeeds('down', '--name', 'other'), /stopped the chain/);
    await succeeds('wait', '--name', 'other', '--stopped', '--timeout', '0');
    await failsWith(/is not ready after 0 s: no chain runs on it/, 'wait', '--name', 'other', '--timeout', '0');
    await failsWith(/no chain runs on/, 'status', '--name', 'other');
    const restored = readFileSync(kubeconfig, 'utf8');
    assert.ok(!restored.includes(other.server) && restored.includes('mine'), restored);
    assert.match(await succeeds('list'), /^other +stopped/m);
  });

  it('have a context in the files of KUBECONFIG, also until one that was killed is taken down', async () => {
    const { KUBECONFIG: before } = process.env;
    const [first, second] = [join(directory, 'first'), join(directory, 'second')];
    const context = '{name: mine, context: {}}';
    writeFileSync(second, `apiVersion: v1\nkind: Config\ncurrent-context: mine\ncontexts: [${context}]\n`);
    process.env['KUBECONFIG'] = `${first}:${second}`;
    const kubectl = () => execFileSync('kubectl', ['config', 'current-context'], { stdio: 'pipe' }).toString().trim();
    try {
      await up('dev', '--merge-kubeconfig');
      assert.equal(kubectl(), 'dev');
      assert.equal(existsSync(first), false);
      await succeeds('down', '--name', 'dev');
      assert.throws(kubectl, /current-context is not set/);
      assert.doesNotMatch(readFileSync(second, 'utf8'), /dev/);
      await up('dev', '--merge-kubeconfig');
      process.kill((await state('dev')).processes[0]?.pid ?? 0, 'SIGKILL');
      await succeeds('wait', '--name', 'dev', '--stopped');
      assert.equal(kubectl(), 'dev');
      await succeeds('down', '--name', 'dev');
      assert.doesNotMatch(readFileSync(second, 'utf8'), /dev/);
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  });

  it('are what kubectl uses when they are chosen, until they stop', async () => {
    const { KUBECONFIG: before } = process.env;
    const file = join(directory, 'chosen');
    writeFileSync(file, 'apiVersion: v1\nkind: Config\ncurrent-context: mine\ncontexts: [{name: mine, context: {}}]\n');
    process.env['KUBECONFIG'] = file;
    const kubectl = (...words: string[]) => execFileSync('kubectl', words, { stdio: 'pipe' }).toString().trim();
    try {
      await failsWith(/there is no chain nowhere: there are /, 'use', 'nowhere');
      await up('dev');
      await up('other', '--merge-kubeconfig', join(directory, 'elsewhere'));
      await failsWith(/there is no chain nobody: there are dev, other$/m, 'use', 'nobody');
      await failsWith(/--name: "..\/dev" is not a name/, 'use', '../dev');
      assert.equal(await succeeds('use', 'dev'), `context dev is the current one in ${file}\n`);
      assert.match(kubectl('get', 'namespaces', '-o', 'name'), /^namespace\/default$/m);
      await succeeds('use', 'other');
      assert.equal(kubectl('config', 'current-context'), 'other');
      await succeeds('use', 'dev');
      await succeeds('down', '--name', 'other');
      assert.equal(kubectl('config', 'get-contexts', '-o', 'name'), 'dev\nmine');
      assert.doesNotMatch(readFileSync(join(directory, 'elsewhere'), 'utf8'), /other/);
      await failsWith(/the chain other does not run: start it with/, 'use', 'other');
      // One that is merged for good goes with the data of its chain.
      await succeeds('kubeconfig', '--name', 'dev', '--merge', file);
      await succeeds('delete', 'dev', 'other');
      assert.equal(kubectl('config', 'get-contexts', '-o', 'name'), 'mine');
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  });

  it('have logs that can be read in order, and a log of their start', async () => {
    await up('dev', '--v=3');
    assert.match(await succeeds('logs', '--name', 'dev', 'up'), /apichain is ready at/);
    let lines: string[] = [];
    const read = async () => {
      const { stdout } = await apichain('logs', '--name', 'dev', 'aggregator', '--tail', '5');
      lines = stdout.trimEnd().split('\n');
      return lines.length === 5;
    };
    await waitFor(read, 30_000, () => `${lines.length} lines`);
    for (const line of lines) assert.match(line, /^\d\d:\d\d:\d\d\.\d{3} (DEBUG|INFO ) aggregator /);
    const times = (await succeeds('logs', '--name', 'dev', '--output', 'json'))
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [(JSON.parse(line) as { time: number }).time] : []));
    assert.ok(times.length > 5);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    await failsWith(/service: "nobody" is not one of aggregator/, 'logs', '--name', 'dev', 'nobody');
  });

  it('have snapshots that bring their objects back', async () => {
    const data = join(directory, 'apichain/saved');
    const start = () => succeeds('up', '--detach', '--name', 'dev', '--in-process', '--apis=minimal');
    const kubectl = (...words: string[]) =>
      execFileSync('kubectl', ['--kubeconfig', join(directory, 'apichain/dev/admin.kubeconfig'), ...words]).toString();
    await start();
    kubectl('create', 'configmap', 'kept');
    assert.match(await succeeds('snapshot', 'save', 'one', '--name', 'dev'), /^saved \d+ keys at revision \d+ in /);
    await failsWith(/one\.db exists/, 'snapshot', 'save', 'one', '--name', 'dev');
    await failsWith(/stop it first/, 'snapshot', 'restore', 'one', '--name', 'dev');
    kubectl('delete', 'configmap', 'kept');
    await succeeds('down', '--name', 'dev');
    await failsWith(/two\.db does not exist/, 'snapshot', 'restore', 'two', '--name', 'dev');
    await failsWith(/is no backup of an etcd|damaged/, 'snapshot', 'restore', kubeconfig, '--name', 'dev');
    assert.match(await succeeds('snapshot', 'restore', 'one', '--name', 'dev'), /^restored /);
    assert.match(await succeeds('snapshot', 'list', '--name', 'dev'), /^one +\d+ KiB +\d+s ago\n$/);
    await start();
    assert.match(kubectl('get', 'configmap', 'kept', '-o', 'name'), /^configmap\/kept\n$/);
    await failsWith(/holds no chain/, 'snapshot', 'list', '--data-dir', data);
  });

  it('have snapshots of a store in memory, while they run', async () => {
    // The store that an earlier chain left in the directory is not the one that runs.
    await succeeds('up', '--detach', '--name', 'dev', '--in-process', '--apis=minimal');
    await succeeds('down', '--name', 'dev');
    await up('dev');
    const kubectl = (...words: string[]) =>
      execFileSync('kubectl', ['--kubeconfig', join(directory, 'apichain/dev/admin.kubeconfig'), ...words]).toString();
    kubectl('create', 'configmap', 'of-memory');
    const saved = join(directory, 'memory.db');
    assert.match(await succeeds('snapshot', 'save', saved, '--name', 'dev'), /^saved \d+ keys at revision \d+ in /);
    await succeeds('delete', 'dev');
    await up('dev');
    await succeeds('down', '--name', 'dev');
    await failsWith(/chain with --memory is saved while it runs/, 'snapshot', 'save', 'late', '--name', 'dev');
    await succeeds('snapshot', 'restore', saved, '--name', 'dev');
    await succeeds('up', '--detach', '--name', 'dev', '--in-process', '--apis=minimal');
    assert.match(kubectl('get', 'configmap', 'of-memory', '-o', 'name'), /^configmap\/of-memory\n$/);
    await succeeds('delete', 'dev');
  });

  it('are told from those that were stopped when they are killed', async () => {
    await up('dev');
    const pid = (await state('dev')).processes[0]?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await succeeds('wait', '--name', 'dev', '--stopped');
    const message = new RegExp(
      `no chain runs on .*: process ${pid} ended without being stopped, \\d+s ago or later \\(see .*/logs/`,
    );
    assert.match(await failsWith(message, 'status', '--name', 'dev'), /^status +stopped \(killed\)$/m);
    assert.match(await succeeds('list'), /^dev +killed/m);
    const json = JSON.parse(await failsWith(message, 'status', '--name', 'dev', '-o', 'json')) as {
      status: string;
      killed: { pid: number };
    };
    assert.deepEqual([json.status, json.killed.pid], ['stopped', pid]);
    await succeeds('down', '--name', 'dev');
    await failsWith(/no chain runs on \S+dev$/m, 'status', '--name', 'dev');
  });

  it('are deleted with their data, and nothing else is', async () => {
    await up('dev');
    await failsWith(/^apichain: there is no chain nobody/, 'delete', 'dev', 'nobody');
    await failsWith(/--name: "..\/dev" is not a name/, 'delete', '../dev');
    mkdirSync(join(directory, 'apichain/foreign'));
    writeFileSync(join(directory, 'apichain/foreign/pids.json'), '{}');
    await failsWith(/^apichain: there is no chain foreign/, 'delete', 'foreign');
    assert.deepEqual(readdirSync(join(directory, 'apichain/foreign')), ['pids.json']);
    rmSync(join(directory, 'apichain/foreign'), { recursive: true });
    assert.equal((await state('dev')).status, 'ready');
    assert.match(await succeeds('delete', 'dev'), /^stopped the chain on .*\ndeleted .*dev\n$/);
    assert.doesNotMatch(await succeeds('list'), /^dev /m);
    const here = join(directory, 'here');
    await succeeds('up', '--detach', '--data-dir', here, '--in-process', '--memory', '--apis=minimal');
    writeFileSync(join(here, 'notes.txt'), 'mine');
    assert.match(
      await succeeds('down', '--delete', '--data-dir', here),
      /what is not of the chain stays: notes\.txt\n$/,
    );
    assert.deepEqual(readdirSync(here), ['notes.txt']);
  });

  it('tell in one line why they do not start', async () => {
    await failsWith(/unknown flag: --etcd-server; did you mean/, 'up', '--detach', '--name', 'dev', '--etcd-server=x');
    await failsWith(/--name: "a b" is not a name/, 'up', '--detach', '--name', 'a b');
    await failsWith(/holds no chain: start one with apichain up/, 'status', '--name', 'nowhere');
  });
});
