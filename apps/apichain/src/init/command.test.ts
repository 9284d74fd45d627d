import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dependencyFor } from './command.ts';
import { withNames } from './names.ts';

describe('a new project', () => {
  let directory: string;
  beforeEach(() => (directory = realpathSync(mkdtempSync(join(tmpdir(), 'apichain-dependency-')))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('depends on the tarball from which apichain was installed, else on its version', () => {
    const packages = join(directory, 'tools/node_modules');
    const module = join(packages, 'apichain/lib/apichain.js');
    mkdirSync(join(packages, 'apichain/lib'), { recursive: true });
    writeFileSync(module, '');
    const project = join(directory, 'projects/shop');
    assert.match(dependencyFor(project), /^\^\d/);
    assert.match(dependencyFor(project, module), /^\^\d/);
    const noted = (resolved: string) =>
      writeFileSync(
        join(packages, '.package-lock.json'),
        JSON.stringify({ packages: { 'node_modules/apichain': { resolved } } }),
      );
    noted('file:../apichain.tgz');
    assert.match(dependencyFor(project, module), /^\^\d/, 'the tarball is gone');
    writeFileSync(join(directory, 'apichain.tgz'), '');
    assert.equal(dependencyFor(project, module), 'file:../../apichain.tgz');
    noted('https://registry.example.com/apichain.tgz');
    assert.match(dependencyFor(project, module), /^\^\d/);
  });

  it('has the article of its kind', () => {
    const text = (kind: string) => withNames('A Widget, a Widget, the Widget', { project: 'p', group: 'g.io', kind });
    assert.equal(text('Order'), 'An Order, an Order, the Order');
    assert.equal(text('Backup'), 'A Backup, a Backup, the Backup');
    assert.equal(text('User'), 'A User, a User, the User');
  });
});
