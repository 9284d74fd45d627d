import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mock } from 'node:test';
import { parseArguments } from '../commands/parse.ts';
import { commands } from '../commands/table.ts';
import { initCommand } from './command.ts';
import { packageVersions } from './templates.ts';
import { pluralOf } from './names.ts';

const repository = resolve(import.meta.dirname, '../../../..');
const init = commands.find(({ name }) => name === 'init');

describe('apichain init', () => {
  let directory: string;
  let printed: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-init-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const run = async (...args: string[]): Promise<void> => {
    assert.ok(init !== undefined);
    const print = mock.method(console, 'log', (text: string) => (printed = text));
    try {
      await initCommand(parseArguments(init, args));
    } finally {
      print.mock.restore();
    }
  };
  const refused = (message: RegExp, ...args: string[]) =>
    assert.rejects(run(...args), (error: Error) => {
      assert.equal(error.name, 'StartupError');
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  const filesOf = (folder: string) =>
    globSync('**/*', { cwd: folder, exclude: ['node_modules'], withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();

  for (const type of ['api', 'operator', 'control-plane'])
    it(`makes a project of the type ${type} with the names that are given`, async () => {
      const folder = join(directory, 'nested', 'backups');
      await run(type, folder, '--group=storage.acme.org', '--kind=BackupPolicy');
      assert.ok(existsSync(join(folder, 'src/resources/backuppolicy.ts')));
      assert.ok(existsSync(join(folder, '.gitignore')));
      const texts = filesOf(folder).map((path) => path + readFileSync(join(folder, path), 'utf8'));
      const all = texts.join('\n');
      assert.doesNotMatch(all, /widget|example\.com|my-project/i);
      for (const name of ['backuppolicies', 'BackupPolicy', 'storage.acme.org', 'backups'])
        assert.ok(all.includes(name));
      const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        dependencies: object;
        scripts: object;
      };
      assert.equal(manifest.name, 'backups');
      assert.equal((manifest.dependencies as { apichain: string }).apichain, `^${version}`);
      const scripts = ['build', 'start', 'test', ...(type === 'api' ? [] : ['generate'])];
      assert.deepEqual(Object.keys(manifest.scripts), scripts);
      assert.match(
        printed,
        new RegExp(`^made an? .* in .*backups; README.md describes it.*cd .*backups\n  npm install\n`, 's'),
      );
    });

  it('uses an empty folder, and refuses one that is not empty without a change', async () => {
    const folder = join(directory, 'demo');
    mkdirSync(folder);
    await run('operator', folder);
    const before = filesOf(folder);
    await refused(/demo is not empty: choose another folder$/, 'api', folder);
    assert.deepEqual(filesOf(folder), before);
    writeFileSync(join(directory, 'file'), '');
    await refused(/file is not a folder$/, 'api', join(directory, 'file'));
  });

  it('refuses invalid names in one line, and makes no folder', async () => {
    const folder = join(directory, 'demo');
    await refused(/^which project\? apichain init api, operator or control-plane/);
    await refused(/"My Demo" cannot be the name of the project: a DNS-1035 label/, 'api', join(directory, 'My Demo'));
    await refused(/cannot have the name "apichain"/, 'api', join(directory, 'apichain'));
    for (const group of ['', 'Example.com', 'a_b.com', 'a..b'])
      await refused(/^--group: "/, 'api', folder, `--group=${group}`);
    await refused(/^--group: "apps" must be a domain/, 'api', folder, '--group=apps');
    await refused(/reserved for Kubernetes/, 'operator', folder, '--group=apps.k8s.io');
    for (const kind of ['', 'backup', 'Back-up', '1Backup', 'Büro', "A'; exit"])
      await refused(/^--kind: ".*" must be letters and digits in CamelCase/, 'api', folder, `--kind=${kind}`);
    await refused(/longer than 50/, 'api', folder, `--kind=A${'b'.repeat(50)}`);
    assert.ok(!existsSync(folder));
    // An extension API server may serve metrics.
    await run('api', folder, '--group=custom.metrics.k8s.io');
  });

  it('forms plurals', () => {
    for (const [word, plural] of [
      ['widget', 'widgets'],
      ['policy', 'policies'],
      ['key', 'keys'],
      ['class', 'classes'],
      ['Box', 'Boxes'],
      ['Batch', 'Batches'],
    ] as const)
      assert.equal(pluralOf(word), plural);
  });

  it('uses packages in the versions with which the repository tests the templates', () => {
    const root = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    const versions = { ...root.devDependencies, ...root.dependencies };
    for (const [name, version] of Object.entries(packageVersions)) assert.equal(version, versions[name], name);
  });
});
