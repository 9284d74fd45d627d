import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

const repository = resolve(import.meta.dirname, '../../..');

/**
 * A regular expression that ends in a repetition takes quadratic time if the repeated part also occurs elsewhere in the text, because the
 * search restarts at each occurrence. `withoutTrailing` of libs/meta takes linear time.
 */
const endsInRepetition = /(?<!\\)(?:[+*])\)?\$$/;
/** A lookbehind keeps the search from restarting within the repetition. */
const isAnchored = (pattern: string): boolean =>
  pattern.startsWith('^') || pattern.startsWith('(?:^') || pattern.includes('(?<!');

/** Accepted expressions: their input is short or does not come from a client. */
const known: ReadonlySet<string> = new Set([
  // Sorted by file.
  'libs/kinds/src/documentation.ts /(?:^|\\n\\n)Possible enum values:[^]*$/',
  'libs/kinds/src/documentation.ts /(?<=\\.)v\\d+(?:alpha|beta)\\d+$/',
  'libs/go-text/src/go-url.ts /:[^:]*$/',
  'libs/meta/src/yaml-error.ts /[[{,]\\s*$/',
  'libs/cel/src/library/urls.ts /:(\\d*)$/',
  'libs/cel/src/library/urls.ts /:\\d*$/',
  'libs/schema/src/openapi/document.ts /[^.]*$/',
  'apps/apichain/src/up/separate-processes.ts /: warning: (.*)$/',
]);

function literalsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(resolve(repository, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('regular expressions of the sources', () => {
  it('do not begin at any position and end in a repetition', () => {
    const found: string[] = [];
    for (const file of globSync('{libs,apps}/*/src/**/*.ts', { cwd: repository })) {
      if (/\.(test|fixture|d)\.ts$|\/generated\/|^apps\/e2e\//.test(file)) continue;
      for (const literal of literalsOf(file)) {
        const pattern = literal.slice(1, literal.lastIndexOf('/'));
        if (endsInRepetition.test(pattern) && !isAnchored(pattern)) found.push(`${file} ${literal}`);
      }
    }
    assert.deepEqual(
      found.filter((entry) => !known.has(entry)),
      [],
    );
  });
});
