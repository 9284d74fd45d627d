import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './chain.ts';

describe('what npm ci prepares', () => {
  let copy: string;

  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', timeout: 60_000 }).stdout;

  before(function () {
    this.timeout(60_000);
    copy = mkdtempSync(join(tmpdir(), 'apichain-prepared-'));
    for (const path of ['package.json', 'package-lock.json', 'libs', 'apps', 'tools'])
      cpSync(join(repository, path), join(copy, path), { recursive: true });
    const modules = join(repository, 'node_modules');
    mkdirSync(join(copy, 'node_modules'));
    for (const name of readdirSync(modules))
      if (name === '@apichain')
        cpSync(join(modules, name), join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
      else if (name !== '.cache') symlinkSync(join(modules, name), join(copy, 'node_modules', name));
    run('tools/workspace/warm-up.ts');
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  it('runs as long as no source has changed', () => {
    const bundled = join(copy, 'node_modules/.cache/apichain/prepared/lib/apichain.js');
    assert.match(run('apps/apichain/start.js', 'version'), /^apichain \d/);
    appendFileSync(bundled, "\nconsole.log('bundled');\n");
    for (const program of ['start.js', 'src/main.ts'])
      assert.match(run(`apps/apichain/${program}`, 'version'), /^apichain \d[^]*\nbundled\n$/);
  });

  it('gives way to a source that was edited', () => {
    const source = join(copy, 'apps/apichain/src/version.ts');
    writeFileSync(source, readFileSync(source, 'utf8').replace('return `apichain', 'return `edited'));
    for (const program of ['start.js', 'src/main.ts'])
      assert.match(run(`apps/apichain/${program}`, 'version'), /^edited \d[^\n]*\n$/);
  });
});
