import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManifestFiles } from './manifest-files.ts';

describe('ManifestFiles', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'manifest-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const object = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;
  function read({ recursive = false, needsFiles = true, paths = [folder] } = {}) {
    const { objects, problems } = new ManifestFiles(paths, recursive).read(needsFiles);
    return {
      names: objects.map(({ object: { metadata } }) => metadata.name),
      problems: problems.map((line) => line.replaceAll(`${folder}/`, '').replaceAll(folder, 'FOLDER')),
    };
  }

  it('reads all documents, the items of lists, and folders below with recursive', () => {
    write('b.yaml', `---\n${object('b1')}\n---\n# nothing\n---\n${object('b2')}\n`);
    write(
      'a.json',
      `{"apiVersion":"v1","kind":"List","items":[${JSON.stringify({ apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } })}]}`,
    );
    write('kustomization.yaml', 'resources: [b.yaml]');
    write('.#b.yaml', 'not of the user');
    write('notes.txt', 'no manifest');
    mkdirSync(join(folder, 'below'));
    write('below/c.yml', object('c'));
    assert.deepEqual(read(), { names: ['a', 'b1', 'b2'], problems: [] });
    assert.deepEqual(read({ recursive: true }).names, ['a', 'b1', 'b2', 'c']);
    assert.deepEqual(read({ paths: [join(folder, 'below/c.yml'), folder, folder] }).names, ['c', 'a', 'b1', 'b2']);
  });

  it('says in a line what is wrong, with the file and the document, and reads the rest', () => {
    write('a.yaml', `${object('a')}\n---\nkind: ConfigMap\n---\n[1\n---\n${object('b')}`);
    write('b.yaml', `{apiVersion: a/b/c, kind: X, metadata: {name: x}}`);
    write('c.yaml', `{apiVersion: v1, kind: ConfigMap, metadata: {generateName: x}}`);
    write('d.yaml', object('a'));
    symlinkSync('nowhere', join(folder, 'e.yaml'));
    const { names, problems } = read();
    assert.deepEqual(names, ['a', 'b']);
    assert.deepEqual(problems.slice(0, 1), ['a.yaml, document 2: apiVersion and kind are required']);
    assert.match(problems[1] ?? '', /^a\.yaml, document 3: yaml: line \d+: .*$/);
    assert.deepEqual(problems.slice(2, 5), [
      'b.yaml: unexpected GroupVersion string: a/b/c',
      'c.yaml: ConfigMap without metadata.name',
      'd.yaml: configmap/a is in a.yaml, document 1, too',
    ]);
    assert.match(problems[5] ?? '', /^e\.yaml: ENOENT: /);
  });

  it('misses files that are needed', () => {
    assert.deepEqual(read({ needsFiles: false }), { names: [], problems: [] });
    assert.deepEqual(read().problems, ['FOLDER: no manifest is in it (.yaml, .yml or .json)']);
    assert.deepEqual(read({ paths: [join(folder, 'x')], needsFiles: false }).problems, ['x: no such file or folder']);
  });
});
