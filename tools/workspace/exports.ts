/**
 * Checks the entries of the libraries (called `face` in this code). An entry is a file that a package's manifest exports: `src/index.ts`,
 * and further ones such as `./model`.
 *
 * - Exports are listed by name: no `export *`.
 * - Every export has a documentation comment at its declaration.
 * - What an entry re-exports from another file is used outside the library. Entries of the published package are exempt.
 * - A README refers only to files that exist.
 *
 *   node tools/workspace/exports.ts [--check] [LIBRARY...]
 *
 * Prints a line for each problem. With `--check`, exits 1 if there is any.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Libraries and entries that are part of the published package: see tools/package/build.ts. */
const published: ReadonlySet<string> = new Set([
  'chain',
  'testing',
  'envtest',
  'embedded-etcd',
  'extension-server',
  '@apichain/client/library',
]);

const parsed = new Map<string, ts.SourceFile>();

/** The parsed syntax tree of a file. Each file is parsed once. */
function sourceOf(file: string): ts.SourceFile {
  let source = parsed.get(file);
  if (source === undefined) {
    source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    parsed.set(file, source);
  }
  return source;
}

interface Face {
  readonly library: string;
  readonly file: string;
  /** The specifier in imports: `@apichain/kinds/model`. */
  readonly specifier: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

const faces: readonly Face[] = globSync('libs/*/package.json')
  .sort()
  .flatMap((manifest) => {
    const { name, exports } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
    return Object.entries(exports)
      .filter(([, target]) => target.endsWith('.ts') && !target.includes('/generated/'))
      .map(([path, target]) => ({
        library: name.replace('@apichain/', ''),
        file: resolve(dirname(manifest), target),
        specifier: join(name, path),
      }));
  });

const faceOf = new Map(faces.flatMap((face) => [face.specifier, face.file].map((key) => [key, face] as const)));

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const moduleOf = (node: ts.ImportDeclaration | ts.ExportDeclaration): string | undefined =>
  node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)
    ? node.moduleSpecifier.text
    : undefined;

/** The statements of a file that declare a name. There are several for overloads and merged declarations. */
function declarationsOf(source: ts.SourceFile, name: string): ts.Node[] {
  return source.statements.filter((statement) => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.some(({ name: declared }) => declared.getText(source) === name);
    return (
      (ts.isFunctionDeclaration(statement) ||
        ts.isClassDeclaration(statement) ||
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement)) &&
      statement.name?.text === name
    );
  });
}

/** The declarations of an export of `file`. Follows re-exports and imports. Undefined for a package from the registry. */
function findDeclarations(file: string, name: string): ts.Node[] | undefined {
  const source = sourceOf(file);
  const own = declarationsOf(source, name);
  if (own.length > 0) return own;
  for (const statement of source.statements) {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) continue;
    const bindings = isImport ? statement.importClause?.namedBindings : statement.exportClause;
    if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) continue;
    for (const element of bindings.elements) {
      if (element.name.text !== name) continue;
      const from = moduleOf(statement);
      const original = (element.propertyName ?? element.name).text;
      if (from === undefined) {
        if (original !== name) return findDeclarations(file, original);
        continue;
      }
      const target = from.startsWith('.') ? resolve(dirname(file), from) : faceOf.get(from)?.file;
      return target === undefined ? undefined : findDeclarations(target, original);
    }
  }
  return [];
}

const isDocumented = (node: ts.Node): boolean => ts.getJSDocCommentsAndTags(node).some(ts.isJSDoc);

/** The names that a file declares and exports. */
function exportedDeclarations(file: string): string[] {
  const source = sourceOf(file);
  return source.statements.filter(isExported).flatMap((statement) => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText(source));
    const { name } = statement as ts.DeclarationStatement;
    return name === undefined ? [] : [name.text];
  });
}

/** The names that files outside the library import from each entry, by file of the entry. */
function importedNames(): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  const note = (importer: string, specifier: string, names: readonly string[]) => {
    const key = specifier.startsWith('.') ? resolve(dirname(importer), specifier) : specifier;
    const face = faceOf.get(key);
    if (face === undefined || importer.startsWith(resolve('libs', face.library) + '/')) return;
    const all = used.get(face.file) ?? new Set();
    used.set(face.file, all);
    for (const name of names) all.add(name);
  };
  for (const path of globSync('{apps,libs,tools,examples}/**/*.ts', {
    exclude: ['**/node_modules/**', '**/generated/**'],
  })) {
    const file = resolve(path);
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
        const specifier = moduleOf(node);
        const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
        if (
          specifier !== undefined &&
          bindings !== undefined &&
          (ts.isNamedImports(bindings) || ts.isNamedExports(bindings))
        )
          note(
            file,
            specifier,
            bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text),
          );
        return;
      }
      // const { a, b } = await import('...')
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
        const [specifier] = node.arguments;
        const holder = ts.isAwaitExpression(node.parent) ? node.parent.parent : node.parent;
        if (
          specifier !== undefined &&
          ts.isStringLiteral(specifier) &&
          ts.isVariableDeclaration(holder) &&
          ts.isObjectBindingPattern(holder.name)
        )
          note(
            file,
            specifier.text,
            holder.name.elements.map(({ name, propertyName }) => (propertyName ?? name).getText()),
          );
      }
      ts.forEachChild(node, visit);
    };
    visit(sourceOf(file));
  }
  return used;
}

const problems: string[] = [];
let checked = 0;
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isWanted = (library: string): boolean => wanted.length === 0 || wanted.includes(library);
const used = importedNames();

function checkDocumentation(face: Face, file: string, name: string): void {
  checked++;
  const declarations = findDeclarations(file, name);
  if (declarations === undefined) return;
  const [first] = declarations;
  if (first === undefined) problems.push(`${relative('.', face.file)}: ${name} has no declaration`);
  else if (!declarations.some(isDocumented)) {
    const source = first.getSourceFile();
    const line = source.getLineAndCharacterOfPosition(first.getStart(source)).line + 1;
    problems.push(`${relative('.', source.fileName)}:${line}: ${name} has no documentation comment`);
  }
}

for (const face of faces.filter(({ library }) => isWanted(library))) {
  for (const name of exportedDeclarations(face.file)) checkDocumentation(face, face.file, name);
  for (const statement of sourceOf(face.file).statements) {
    if (!ts.isExportDeclaration(statement)) continue;
    const { exportClause } = statement;
    const from = moduleOf(statement);
    const target = from === undefined ? face.file : resolve(dirname(face.file), from);
    const names: string[] = [];
    if (exportClause === undefined) problems.push(`${relative('.', face.file)}: export * from '${from}' names nothing`);
    else if (ts.isNamespaceExport(exportClause)) {
      names.push(exportClause.name.text);
      for (const member of exportedDeclarations(target)) checkDocumentation(face, target, member);
    } else
      for (const { name, propertyName } of exportClause.elements) {
        names.push(name.text);
        const original = (propertyName ?? name).text;
        if (from === undefined || from.startsWith('.')) checkDocumentation(face, target, original);
      }
    for (const name of names)
      if (!published.has(face.library) && !published.has(face.specifier) && used.get(face.file)?.has(name) !== true)
        problems.push(`${relative('.', face.file)}: ${name} is not used outside of the library`);
  }
}

const linkPattern = /\]\((?!https?:)([^)#]+)/g;
for (const readme of globSync('libs/*/README.md').sort())
  if (isWanted(readme.split('/')[1] ?? ''))
    for (const [, target = ''] of readFileSync(readme, 'utf8').matchAll(linkPattern))
      if (!existsSync(join(dirname(readme), target))) problems.push(`${readme}: there is no ${target}`);

for (const problem of [...new Set(problems)]) console.log(problem);
if (process.argv.includes('--check')) {
  if (problems.length > 0) process.exitCode = 1;
} else console.log(`${checked} exports`);
