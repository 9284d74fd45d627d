/**
 * Finds import cycles between source files, and exits 1 if there are any. Type imports count: they cause no cycle at run time, but a reader
 * has to read all files of a cycle to understand one of them.
 *
 *   node tools/workspace/circles.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** The fields of a manifest that are used here. */
interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
}

/** The source file of every specifier of a library, e.g. `@apichain/meta`. */
function libraryFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const file of globSync('libs/*/package.json')) {
    const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    for (const [subpath, target] of Object.entries(exports))
      files.set(posix.join(name, subpath), posix.join(posix.dirname(file), target));
  }
  return files;
}

/** The imports of each file, by path from the root. */
function importGraph(files: readonly string[]): Map<string, readonly string[]> {
  const libraries = libraryFiles();
  const importsOf = (file: string): string[] =>
    ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.flatMap(({ fileName }) => {
      const target = fileName.startsWith('.') ? posix.join(posix.dirname(file), fileName) : libraries.get(fileName);
      return target === undefined ? [] : [target];
    });
  return new Map(files.map((file) => [file, importsOf(file)]));
}

/** The groups of files that import each other, directly or indirectly (strongly connected components, after Tarjan). */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const earliest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const position = order.size;
    order.set(file, position);
    path.push(file);
    let reached = position;
    for (const imported of graph.get(file) ?? []) {
      if (!graph.has(imported)) continue;
      if (!order.has(imported)) reached = Math.min(reached, visit(imported));
      else if (path.includes(imported)) reached = Math.min(reached, earliest.get(imported) ?? order.get(imported) ?? 0);
    }
    earliest.set(file, reached);
    if (reached === position) {
      const group = path.splice(path.indexOf(file));
      if (group.length > 1 || graph.get(file)?.includes(file) === true) circles.push(group.sort());
    }
    return reached;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

const files = globSync(join('{apps,libs,tools,examples,templates}', '**', '*.ts'), {
  exclude: (path) => ['node_modules', 'dist'].includes(posix.basename(path)),
});
const circles = circlesOf(importGraph(files));
for (const circle of circles) console.error(`import each other:\n${circle.map((file) => `  ${file}\n`).join('')}`);
if (circles.length > 0) process.exitCode = 1;
