import assert from 'node:assert/strict';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) => ts.sys.readFile(path)) as {
  config: object;
};
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);

/** The lines of a module in this folder that do not compile, with the numbers of their errors. */
function errorsOf(lines: readonly string[]): [line: string, code: number][] {
  const path = join(import.meta.dirname, 'snippet.ts');
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const readSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ESNext) : readSourceFile(name, ...rest);
  const program = ts.createProgram([path], { ...options, noEmit: true, composite: false, incremental: false }, host);
  const source = program.getSourceFile(path);
  return ts.getPreEmitDiagnostics(program, source).map(({ code, start = 0 }) => {
    const line = source?.getLineAndCharacterOfPosition(start).line ?? 0;
    return [lines[line] ?? '', code];
  });
}

describe('types of the built-in kinds, for the compiler', () => {
  it('refuse misspelled fields, and copies that lack the facts of their container', () => {
    const lines = [
      "import { isWholeFloat, type List } from '@apichain/meta';",
      "import { wasEmpty } from '@apichain/scheme';",
      "import type { PodSpec } from '@apichain/api/core/v1';",
      'export function given(spec: PodSpec, list: List): unknown[] {',
      '  const { volumes, ...rest } = spec;',
      '  return [',
      '    spec.nodeSelektor,',
      "    wasEmpty(spec, 'overhead'),",
      "    wasEmpty({ ...spec, volumes }, 'overhead'),",
      "    wasEmpty(rest, 'overhead'),",
      "    wasEmpty({ overhead: spec.overhead }, 'overhead'),",
      '    isWholeFloat(list, 0),',
      '    isWholeFloat(list.slice(1), 0),',
      '  ];',
      '}',
    ];
    assert.deepEqual(errorsOf(lines), [
      ['    spec.nodeSelektor,', 2551],
      ["    wasEmpty({ overhead: spec.overhead }, 'overhead'),", 2353],
      ['    isWholeFloat(list.slice(1), 0),', 2559],
    ]);
  });
});
