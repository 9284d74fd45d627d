import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { circlesOf } from './circles.ts';
import { readImports, type ImportGraph } from './import-graph.ts';
import { layers, violationsOf } from './layers.ts';

describe('the imports between projects', () => {
  const rows = [['top'], ['left', 'right'], ['low', 'types']];

  /** The imports of a small repository: the libraries of the rows, and the given files. */
  function graphOf(files: Readonly<Record<string, string>>): ImportGraph {
    const root = mkdtempSync(join(tmpdir(), 'apichain-layers-'));
    const write = (file: string, text: string) => {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    };
    for (const library of rows.flat()) {
      const exports = library === 'types' ? { './*': './src/made/*.ts' } : { '.': './src/index.ts' };
      write(`libs/${library}/package.json`, JSON.stringify({ name: `@apichain/${library}`, exports }));
    }
    for (const [file, text] of Object.entries(files)) write(file, text);
    const graph = readImports(root);
    rmSync(root, { recursive: true });
    return graph;
  }

  const violations = (file: string, text: string) =>
    violationsOf(graphOf({ [file]: text }), rows).map((line) => line.replace(`${file}: `, ''));

  it('go down, and from programs, tools and examples', () => {
    const graph = graphOf({
      'libs/top/src/some.ts': "import { left } from '@apichain/left';\nexport { other } from './other.ts';",
      'libs/left/src/some.test.ts':
        "import type { Pod } from '@apichain/types/core/v1';\nimport assert from 'node:assert';",
      'apps/program/src/main.ts': "import { low } from '@apichain/low';\nimport express from 'express';",
      'tools/some.ts': "import { inner } from '../libs/top/src/inner.ts';",
      'examples/some.ts': "import { connect } from 'apichain';",
    });
    assert.deepEqual(violationsOf(graph, rows), []);
  });

  it('do not go up or sideways, whatever form they have', () => {
    const forms = [
      "import { a } from '@apichain/top';",
      "import type { a } from '@apichain/top';",
      "import {\n  type a,\n  b,\n} from '@apichain/top';",
      "import '@apichain/top';",
      "export { a } from '@apichain/top';",
      "export * from '@apichain/top';",
      "const a = await import('@apichain/top');",
      "const a = require('@apichain/top');",
    ];
    for (const file of ['src/some.ts', 'src/some.test.ts', 'src/web/some.tsx'])
      for (const form of forms)
        assert.deepEqual(violations(`libs/left/${file}`, form), ['@apichain/top is not below libs/left'], form);
    const sideways = violations('libs/left/src/some.ts', "import { a } from '@apichain/right';");
    assert.deepEqual(sideways, ['@apichain/right is not below libs/left']);
    const types = violations('libs/low/src/some.ts', "import type { Pod } from '@apichain/types/core/v1';");
    assert.deepEqual(types, ['@apichain/types/core/v1 is not below libs/low']);
  });

  it('use names between libraries, and paths within one', () => {
    assert.deepEqual(violations('libs/left/src/some.ts', "import { a } from '../../low/src/index.ts';"), [
      '../../low/src/index.ts is outside of libs/left: import a library by its name',
    ]);
    assert.deepEqual(violations('apps/program/src/main.ts', "import { a } from '../../../libs/low/src/index.ts';"), [
      '../../../libs/low/src/index.ts is outside of apps/program: import a library by its name',
    ]);
    assert.deepEqual(violations('libs/left/src/some.ts', "import { a } from 'libs/low/src/index.ts';"), [
      'libs/low/src/index.ts is no path from the file',
    ]);
    assert.deepEqual(violations('libs/left/src/some.ts', "import { a } from '@apichain/left';"), [
      '@apichain/left is the own library: import the file by its path',
    ]);
  });

  it('never mean a program, a tool, or a library without a row', () => {
    assert.deepEqual(violations('libs/left/src/some.ts', "import { main } from '@apichain/program';"), [
      '@apichain/program is no entry of a library',
    ]);
    assert.deepEqual(violations('apps/program/src/main.ts', "import { run } from '../../../tools/run.ts';"), [
      '../../../tools/run.ts is outside of apps/program: import a library by its name',
    ]);
    const without = violationsOf(graphOf({ 'libs/top/src/some.ts': "import { low } from '@apichain/low';" }), [
      ['top'],
    ]);
    assert.deepEqual(without, [
      'libs/top/src/some.ts: @apichain/low has no row for libs/low in tools/workspace/layers.ts',
    ]);
  });

  it('do not load at the start what a file of the project loads when it is needed', () => {
    const lazy = { 'libs/top/src/lazy.ts': "const { left } = await import('@apichain/left');" };
    const type = "import type { left } from '@apichain/left';";
    assert.deepEqual(violationsOf(graphOf({ ...lazy, 'libs/top/src/some.ts': type }), rows), []);
    const value = "import { left } from '@apichain/left';";
    assert.deepEqual(violationsOf(graphOf({ ...lazy, 'libs/top/src/some.ts': value }), rows), [
      'libs/top/src/some.ts: @apichain/left is loaded only when it is needed',
    ]);
  });

  it('make no circles of files', () => {
    const graph = graphOf({
      'libs/low/src/a.ts': "import { b } from './b.ts';",
      'libs/low/src/b.ts': "import type { c } from './c.ts';",
      'libs/low/src/c.ts': "export { a } from './a.ts';\nimport { d } from './d.ts';",
      'libs/low/src/d.ts': '',
    });
    assert.deepEqual(circlesOf(graph), [['libs/low/src/a.ts', 'libs/low/src/b.ts', 'libs/low/src/c.ts']]);
  });

  it('have a row for every library of the repository, and for nothing else', () => {
    const libraries = globSync('libs/*/package.json', { cwd: resolve(import.meta.dirname, '../..') });
    assert.deepEqual(layers.flat().toSorted(), libraries.map((file) => basename(dirname(file))).sort());
  });
});
