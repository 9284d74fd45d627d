import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../..');
const pages = ['README.md', 'docs/guides/deploy.md'].map((page) => readFileSync(join(repository, page), 'utf8'));
const commands = [...pages.join('\n').matchAll(/^```bash[^\n]*\n(.*?)^```$/gms)].flatMap(([, text = '']) =>
  text.split('\n').map((line) => line.replace(/ +#.*/, '')),
);
const own = commands.filter((line) => /\bnode (?:apps|tools)\//.test(line));

describe('the commands in a checkout', () => {
  it('run with the Node of the repository, whatever Node the machine has', () => {
    assert.ok(own.length >= 5, `${own.length} commands`);
    for (const line of own) {
      assert.match(line, /^npx node /);
      const [, program = ''] = /\bnode (\S+)/.exec(line) ?? [];
      assert.ok(existsSync(join(repository, program)), program);
    }
    for (const page of pages) assert.doesNotMatch(page, /export PATH=/);
  });

  it('find that Node without a PATH set by hand', () => {
    const paths = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
    const { status, stdout, stderr } = spawnSync('npx', ['node', '--version'], {
      cwd: repository,
      env: { ...process.env, PATH: paths.join(delimiter) },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      devDependencies: { node: string };
    };
    assert.equal(stdout.trim(), `v${manifest.devDependencies.node}`);
  });
});
