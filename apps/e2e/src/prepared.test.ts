import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './chain.ts';

const programs = ['start.js', 'src/main.ts'];

describe('the bundled programs of npm start', () => {
  let directory: string;
  let copy: string;

  const run = (program: string, cwd = copy) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`apps/apichain/${program}`, 'version'], {
      cwd,
      encoding: 'utf8',
      timeout: 240_000,
    });
    assert.equal(status, 0, stderr);
    return { stdout, stderr };
  };

  /** Copies the repository with new modification times, as `cp -r` and a checkout do. */
  const copyTo = (from: string, to: string, paths: readonly string[]) => {
    for (const path of paths) cpSync(join(from, path), join(to, path), { recursive: true, verbatimSymlinks: true });
  };

  const sources = ['package.json', 'package-lock.json', 'libs', 'apps', 'templates', 'tools'];

  /** Changes the bundle so that it prints a line when it runs. */
  const markBundle = () =>
    appendFileSync(join(copy, 'dist/apps/apichain/lib/apichain.js'), "\nconsole.log('bundled');\n");

  before(function () {
    this.timeout(480_000);
    directory = mkdtempSync(join(tmpdir(), 'apichain-prepared-'));
    copy = join(directory, 'copy');
    copyTo(repository, copy, sources);
    const modules = join(repository, 'node_modules');
    mkdirSync(join(copy, 'node_modules'));
    for (const name of readdirSync(modules))
      if (name === '@apichain') copyTo(repository, copy, [`node_modules/${name}`]);
      else if (name !== '.cache') symlinkSync(join(modules, name), join(copy, 'node_modules', name));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('are bundled by the first npm start, which logs one line, and by no other command', () => {
    assert.equal(run('src/main.ts').stderr, '');
    assert.equal(existsSync(join(copy, 'dist')), false);
    const { stdout, stderr } = run('start.js');
    assert.match(stdout, /^apichain \d[^\n]*\n$/);
    assert.match(stderr, /^apichain: preparing the programs[^\n]*\n$/);
  });

  it('are used as long as no source has changed', () => {
    markBundle();
    for (const program of programs) {
      const { stdout, stderr } = run(program);
      assert.match(stdout, /^apichain \d[^]*\nbundled\n$/);
      assert.equal(stderr, '');
    }
  });

  it('are used in a copied and in a moved checkout, which records its times', () => {
    const second = join(directory, 'second');
    copyTo(copy, second, [...sources, 'dist', 'node_modules']);
    const noted = () => readFileSync(join(second, 'dist/apps/apichain/sources'), 'utf8');
    const before = noted();
    assert.match(run('start.js', second).stdout, /\nbundled\n$/);
    assert.notEqual(noted(), before);
    const after = noted();
    assert.match(run('src/main.ts', second).stdout, /\nbundled\n$/);
    assert.equal(noted(), after);
    const moved = join(directory, 'moved');
    renameSync(second, moved);
    assert.match(run('start.js', moved).stdout, /\nbundled\n$/);
  });

  it('are not used after a source was edited, and are bundled again by npm start', () => {
    const source = join(copy, 'apps/apichain/src/version.ts');
    writeFileSync(source, readFileSync(source, 'utf8').replace('=> `apichain', '=> `edichain'));
    assert.match(run('src/main.ts').stdout, /^edichain \d[^\n]*\n$/);
    const { stdout, stderr } = run('start.js');
    assert.match(stdout, /^edichain \d[^\n]*\n$/);
    assert.match(stderr, /^apichain: preparing the programs/);
    assert.equal(run('start.js').stderr, '');
  });

  it('are replaced by the sources when bundling fails', () => {
    rmSync(join(copy, 'dist'), { recursive: true });
    rmSync(join(copy, 'node_modules/esbuild'));
    const { stdout, stderr } = run('start.js');
    assert.match(stdout, /^edichain \d[^\n]*\n$/);
    assert.match(stderr, /\napichain: the programs cannot be prepared, so the sources run: [^\n]*esbuild[^\n]*\n$/);
  });
});
