import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

export interface Literal {
  readonly file: string;
  readonly line: number;
  readonly expression: RegExp;
}

function compiled(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

function literalsIn(file: string): Literal[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ file, line: line + 1, expression: compiled(node.text) });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** The regular expression literals in the sources of the servers, except tests. */
export const regularExpressions = (): Literal[] =>
  globSync('{apps,libs}/*/src/**/*.ts')
    .filter(
      (file) => !/\.(?:test|fixture|d)\.ts$/.test(file) && !/^(?:apps\/e2e|libs\/(?:testing|envtest))\//.test(file),
    )
    .sort()
    .flatMap(literalsIn);
