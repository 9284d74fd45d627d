/**
 * Checks the imports between source files, and exits 1 if any is wrong: see layers.ts for what may import what, and circles.ts for files that
 * import each other.
 *
 *   node tools/workspace/imports.ts
 */
import { circlesOf } from './circles.ts';
import { readImports } from './import-graph.ts';
import { violationsOf } from './layers.ts';

const graph = readImports();
const circles = circlesOf(graph).map((circle) => `import each other:${circle.map((file) => `\n  ${file}`).join('')}`);
const problems = [...violationsOf(graph), ...circles];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
