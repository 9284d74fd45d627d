import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { repository } from './chain.ts';
import { apichain, failsWith, succeeds } from './command-line.ts';

const forms: Readonly<Record<string, readonly string[]>> = {
  'three services': [],
  'one process': ['--in-process'],
  'in the background': ['--detach'],
  'one process in the background': ['--detach', '--in-process'],
};

describe('a command that is refused', () => {
  let directory: string;
  let data: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'refused-'));
    data = join(directory, 'data');
  });
  afterEach(async () => {
    if (existsSync(data)) await apichain('down', '--data-dir', data);
    rmSync(directory, { recursive: true, force: true });
  });

  it('names the flag that it does not have, and makes nothing, whatever the command', async () => {
    const names = [...(await succeeds('--help')).matchAll(/^ *apichain ([a-z]+) {2,}/gm)].map(([, name = '']) => name);
    assert.ok(names.includes('up') && names.length > 15, names.join());
    for (const name of names) {
      const place = name === 'up' ? ['--data-dir', data] : [];
      const { code, stderr } = await apichain(name, ...place, '--nmae=x');
      assert.notEqual(code, 0);
      assert.match(stderr, /^apichain: unknown flag: --nmae/, name);
      assert.deepEqual(readdirSync(directory), []);
    }
  });

  for (const [form, flags] of Object.entries(forms))
    it(`makes nothing for a flag of a service or a bad value (${form})`, async () => {
      const up = ['up', '--data-dir', data, '--apis=minimal', ...flags];
      for (const flag of ['--nmae=x', '--etcd-server=x', '--max-requests-inflight=many'])
        await failsWith(/max-requests-inflight|unknown flag: --/, ...up, flag);
      assert.deepEqual(readdirSync(directory), []);
    });

  for (const first of ['three services', 'one process'])
    it(`leaves a running chain as it is, whatever the form (${first})`, async () => {
      const port = String(await freePort());
      const up = ['up', '--data-dir', data, '--apis=minimal', '--secure-port', port];
      await succeeds(...up, ...(forms[first] ?? []), '--detach');
      const files = () =>
        readdirSync(data, { recursive: true, encoding: 'utf8' })
          .filter((file) => !file.startsWith('embedded-etcd') && (file === 'logs/up.log' || !file.startsWith('logs')))
          .sort()
          .map((file) => {
            const path = join(data, file);
            return statSync(path).isFile() ? `${file} ${readFileSync(path, 'base64')}` : file;
          });
      const before = files();
      assert.ok(before.some((line) => line.startsWith('pids.json ')));
      for (const flags of Object.values(forms)) {
        await failsWith(/is in use by process \d+: stop it/, ...up, ...flags);
        await failsWith(/unknown flag: --nmae; did you mean --name\?/, ...up, ...flags, '--nmae=x');
        assert.deepEqual(files(), before);
      }
      assert.match(await succeeds('status', '--data-dir', data), /^status +ready$/m);
    });

  it('leaves a chain as it is that was started in the folder of the program', async () => {
    const words = ['src/main.ts', 'up', '--memory', '--in-process', '--apis=minimal', '--data-dir', data];
    const first = spawn(process.execPath, words, { cwd: join(repository, 'apps/apichain'), stdio: 'ignore' });
    const exited = once(first, 'exit');
    try {
      const up = ['up', '--data-dir', data, '--memory', '--in-process', '--apis=minimal'];
      await succeeds('wait', '--data-dir', data);
      await failsWith(/is in use by process \d+: stop it/, ...up);
      assert.ok(existsSync(join(data, 'pids.json')));
      assert.match(await succeeds('status', '--data-dir', data), /^status +ready$/m);
    } finally {
      first.kill();
      await exited;
    }
  });

  it('in the background ends when another chain takes the directory meanwhile', async () => {
    mkdirSync(join(data, 'logs'), { recursive: true });
    writeFileSync(join(data, 'logs/up.log'), '');
    const words = ['up', '--data-dir', data, '--in-process', '--memory', '--apis=minimal', '--detach'];
    const outcomes = await Promise.all([1, 2, 3].map(() => apichain(...words)));
    assert.deepEqual(outcomes.map(({ code }) => code).sort(), [0, 1, 1], outcomes.map(({ stderr }) => stderr).join(''));
    for (const { code, stderr } of outcomes)
      if (code === 1) assert.match(stderr, /^apichain: --data-dir .* (?:in use|being taken)/);
    assert.match(await succeeds('status', '--data-dir', data), /^status +ready$/m);
  });
});

describe('a command that takes time', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-ended-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const lasting: Readonly<Record<string, readonly string[]>> = {
    wait: ['wait', '--timeout=600'],
    'logs --follow': ['logs', '--follow'],
    up: ['up', '--in-process', '--memory', '--apis=minimal'],
    'up --detach': ['up', '--detach', '--in-process', '--memory', '--apis=minimal'],
  };
  for (const [name, words] of Object.entries(lasting))
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      it(`ends at ${signal}: ${name}`, async () => {
        const main = join(repository, 'apps/apichain/src/main.ts');
        const child = spawn(process.execPath, [main, ...words, '--data-dir', join(directory, 'data')], {
          stdio: 'ignore',
        });
        await once(child, 'spawn');
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      });
});
