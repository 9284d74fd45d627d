import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

const repository = resolve(import.meta.dirname, '../..');

/** What each rule is there to find. */
const violations: Readonly<Record<string, string>> = {
  'typescript/await-thenable': 'await 1;',
  'typescript/ban-ts-comment': '// @ts-ignore\nexport const a = 1;',
  'typescript/consistent-type-imports': "import { Stats } from 'node:fs';\nexport type A = Stats;",
  'typescript/no-array-delete': 'const list = [1];\ndelete list[0];',
  'typescript/no-base-to-string': 'export const a = (object: { b: string }) => `${String(object)}`;',
  'typescript/no-duplicate-enum-values': 'export enum A {\n  B = 1,\n  C = 1,\n}',
  'typescript/no-duplicate-type-constituents': "export type A = 'b' | 'b';",
  'typescript/no-empty-object-type': 'export type A = {};',
  'typescript/no-explicit-any': 'export const a = (b: any) => b !== 1;',
  'typescript/no-extra-non-null-assertion': 'export const a = (b?: string) => b!!.length;',
  'typescript/no-floating-promises': 'Promise.resolve(1);',
  'typescript/no-for-in-array': 'for (const at in [1]) Number(at);',
  'typescript/no-implied-eval': "setTimeout('run()', 1);",
  'typescript/no-misused-new': 'export interface A {\n  new (): A;\n}',
  'typescript/no-misused-promises': 'if (Promise.resolve(true)) Number(1);',
  'typescript/no-namespace': 'export namespace A {\n  export const b = 1;\n}',
  'typescript/no-non-null-asserted-optional-chain': 'export const a = (b?: { c: string }) => b?.c!;',
  'typescript/no-redundant-type-constituents': 'export type A = string | unknown;',
  'typescript/no-require-imports': "export const a = require('node:fs') as object;",
  'typescript/no-this-alias': 'export function a(this: object) {\n  const self = this;\n  return self;\n}',
  'typescript/no-unnecessary-type-assertion': "export const a = (b: string) => (b as string) + 'c';",
  'typescript/no-unnecessary-type-constraint': 'export const a = <T extends unknown>(b: T) => b;',
  'typescript/no-unsafe-argument': "Number(1).toFixed(JSON.parse('1'));",
  'typescript/no-unsafe-assignment': "export const a = JSON.parse('1');",
  'typescript/no-unsafe-call': "JSON.parse('1')();",
  'typescript/no-unsafe-declaration-merging': 'export interface A {\n  b: string;\n}\nexport class A {}',
  'typescript/no-unsafe-enum-comparison': 'enum A {\n  B,\n}\nexport const a = (b: A) => b === 0;',
  'typescript/no-unsafe-function-type': 'export type A = Function;',
  'typescript/no-unsafe-member-access': "export const a = Boolean(JSON.parse('1').b);",
  'typescript/no-unsafe-return': "export const a = () => JSON.parse('1');",
  'typescript/no-unsafe-unary-minus': 'export const a = (b: string) => -b;',
  'typescript/no-wrapper-object-types': 'export type A = String;',
  'typescript/only-throw-error': "throw 'a';",
  'typescript/prefer-as-const': "export const a = 'b' as 'b';",
  'typescript/prefer-namespace-keyword': 'declare module A {\n  const b: number;\n}',
  'typescript/prefer-promise-reject-errors': "export const a = Promise.reject('b');",
  'typescript/restrict-plus-operands': 'export const a = (b: number) => b + 1n;',
  'typescript/restrict-template-expressions': 'export const a = (b: object) => `${b}`;',
  'typescript/triple-slash-reference': '/// <reference path="./b.ts" />\nexport const a = 1;',
  'typescript/unbound-method': 'class A {\n  b() {}\n}\nexport const { b } = new A();',
  eqeqeq: 'export const a = (b: unknown) => b == 1;',
  'no-array-constructor': 'export const a: unknown[] = Array(1, 2);',
  'no-console': 'console.log(1);',
  'no-empty': 'export const a = () => {\n  try {\n    Number(1);\n  } catch {}\n};',
  'no-unused-expressions': 'export const a = (b: number) => {\n  b + 1;\n};',
  'no-unused-vars': 'const a = 1;\nexport type A = typeof a;',
  'no-var': 'export var a = 1;',
  'prefer-const': 'let a = 1;\nexport { a };',
  'prefer-rest-params': 'export function a() {\n  return arguments[0] as unknown;\n}',
  'prefer-spread': 'export const a = (b: number[]) => Math.max.apply(Math, b);',
  'no-restricted-globals': 'export const a = structuredClone({});',
};

interface Finding {
  readonly filename: string;
  /** `typescript(no-var)`, or `eslint(no-var)`. */
  readonly code?: string;
  readonly message: string;
}

describe('the linter', function () {
  let directory: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-lint-'));
    for (const file of ['.oxlintrc.jsonc', 'tsconfig.base.json', 'tsconfig.json'])
      copyFileSync(join(repository, file), join(directory, file));
    symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'some', type: 'module' }));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** The findings in files, as `FILE: RULE`, sorted. */
  function lint(files: Readonly<Record<string, string>>): string[] {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), `${text}\n`);
    }
    const args = [join(repository, 'node_modules/oxlint/bin/oxlint'), '--format=json', ...Object.keys(files)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' });
    assert.equal(stderr, '');
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Finding[] };
    assert.equal(status, diagnostics.length === 0 ? 0 : 1);
    const found = diagnostics.map(({ filename, code, message }) => {
      const [, plugin, rule] = /^(\w+)\((.+)\)$/.exec(code ?? '') ?? [undefined, undefined, message];
      return `${filename}: ${plugin === 'typescript' ? 'typescript/' : ''}${rule}`;
    });
    return [...new Set(found)].sort();
  }

  it('finds what each of its rules forbids', () => {
    const { config } = ts.readConfigFile(join(repository, '.oxlintrc.jsonc'), (path) => readFileSync(path, 'utf8')) as {
      config: { overrides: readonly { rules: object }[] };
    };
    const rules = Object.keys(config.overrides[0]?.rules ?? {});
    assert.deepEqual(Object.keys(violations), [...rules, 'no-restricted-globals']);
    const fileOf = (rule: string) => `libs/some/src/${rule}.ts`;
    const files = Object.entries(violations).map(([rule, text]) => [fileOf(rule), text]);
    const found = lint(Object.fromEntries(files) as Record<string, string>);
    const missed = Object.keys(violations).filter((rule) => !found.includes(`${fileOf(rule)}: ${rule}`));
    assert.deepEqual(missed, []);
  });

  it('finds it in the console and in tests, too, but for what tests may do', () => {
    const unsafe = "export const a = JSON.parse('1');\nvoid a.b;\nPromise.resolve(1);";
    const tsx = 'libs/console/src/web/some.tsx';
    const test = 'libs/some/src/some.test.ts';
    assert.deepEqual(lint({ [tsx]: unsafe, [test]: unsafe }), [
      `${tsx}: typescript/no-floating-promises`,
      `${tsx}: typescript/no-unsafe-assignment`,
      `${tsx}: typescript/no-unsafe-member-access`,
      `${test}: typescript/no-floating-promises`,
    ]);
  });

  it('knows where something is allowed', () => {
    const copy = 'export const a = structuredClone({});';
    const print = 'console.log(1);';
    const chain = "import * as chain from '@apichain/chain';\nvoid chain;";
    const typeOfChain = "import type * as chain from '@apichain/chain';\nexport type A = typeof chain;";
    const test = "import { test } from 'node:test';\ntest('a', () => undefined);";
    assert.deepEqual(
      lint({
        'libs/testing/src/copy.ts': copy,
        'libs/some/src/some.fixture.ts': copy,
        'tools/some/print.ts': print,
        'apps/e2e/src/print.ts': print,
        'apps/kube-core/src/print.ts': print,
        'apps/kube-core/src/chain.ts': chain,
        'apps/apichain/src/chain.ts': chain,
        'apps/apichain/src/some.test.ts': chain,
        'apps/apichain/src/types.ts': typeOfChain,
        'apps/apichain/src/up/in-process.ts': chain,
        'examples/some/some.test.ts': test,
        'libs/some/src/other.test.ts': test,
      }),
      [
        'apps/apichain/src/chain.ts: no-restricted-imports',
        'apps/kube-core/src/print.ts: no-console',
        'libs/some/src/other.test.ts: typescript/no-floating-promises',
      ],
    );
  });

  it('finds what does not compile, in generated files, too', () => {
    const types = 'libs/some/src/types.ts';
    const text = [
      'class Hidden {',
      '  protected a = 1;',
      '}',
      'export const unnamed = class extends Hidden {};',
      "export const wrong: number = 'a';",
      'export const missing = [1, 2][0].toFixed();',
      'export function unused(b: number) {}',
      '// @ts-expect-error for nothing',
      'export const right = 1;',
    ].join('\n');
    const generated = 'libs/some/src/generated/types.ts';
    const found = ['TS2322', 'TS2532', 'TS2578', 'TS4094', 'TS6133'];
    assert.deepEqual(
      lint({ [types]: text, [generated]: `/* eslint-disable */\n${text}\nexport const any = (b: any) => b == 1;` }),
      [
        ...found.map((code) => `${generated}: typescript/${code}`),
        ...found.map((code) => `${types}: typescript/${code}`),
        `${types}: no-unused-vars`,
      ].sort(),
    );
  });

  it('refuses a comment that turns off what finds nothing', () => {
    const file = 'libs/some/src/comment.ts';
    const [finding = '', ...more] = lint({ [file]: '// oxlint-disable-next-line no-var\nexport const a = 1;' });
    assert.match(finding, /Unused/);
    assert.deepEqual(more, []);
  });

  it('leaves private members to a check beside it', () => {
    const classes = [
      'export abstract class A {',
      '  private a = 1;',
      '  private static b = 1;',
      '  private get c() {',
      '    return 1;',
      '  }',
      '  private d() {}',
      '  private accessor e = 1;',
      '  private constructor() {}',
      '  protected f = "private g = 1;";',
      '}',
    ];
    const file = 'libs/some/src/members.ts';
    writeFileSync(join(directory, file), classes.join('\n'));
    const { status, stderr } = spawnSync(process.execPath, [join(repository, 'tools/workspace/members.ts')], {
      cwd: directory,
      encoding: 'utf8',
    });
    const lines = [2, 3, 4, 7, 8].map((line) => `${file}:${line}: a private member is written with #\n`);
    assert.deepEqual([stderr, status], [lines.join(''), 1]);
  });
});
