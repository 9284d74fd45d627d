/**
 * Finds members of classes that are private by the keyword, and exits 1 if there are any: private members are written with `#`. A constructor
 * has no such form.
 *
 *   node tools/workspace/members.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/** The positions of the members in a file. */
function privateMembersOf(source: ts.SourceFile): number[] {
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassElement(node) && !ts.isConstructorDeclaration(node) && ts.canHaveModifiers(node))
      for (const { kind } of ts.getModifiers(node) ?? [])
        if (kind === ts.SyntaxKind.PrivateKeyword) found.push(node.getStart(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = globSync(posix.join('{apps,libs,tools,examples,templates}', '**', '*.{ts,tsx}'), {
  exclude: (path) => ['node_modules', 'dist', 'generated'].includes(posix.basename(path)),
});
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  if (!/\bprivate\b/.test(text)) continue;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  for (const position of privateMembersOf(source)) {
    console.error(
      `${file}:${source.getLineAndCharacterOfPosition(position).line + 1}: a private member is written with #`,
    );
    process.exitCode = 1;
  }
}
