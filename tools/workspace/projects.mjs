/**
 * What nx knows about a project besides its manifest, by one rule: its targets. How a target is run stands in nx.json. Plain
 * JavaScript, because nx loads it before it knows of TypeScript.
 *
 * https://nx.dev/docs/extending-nx/project-graph-plugins
 */
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const manifests = '{apps/*/package.json,libs/*/package.json,tools/project.json}';

/** Every project is linted, what has tests is tested, a program is built and served. */
function targetsOf(folder) {
  const hasTests = globSync('**/*.test.ts', { cwd: folder }).length > 0;
  const isProgram = existsSync(join(folder, 'src/main.ts'));
  const names = ['lint', ...(hasTests ? ['test'] : []), ...(isProgram ? ['build', 'serve'] : [])];
  return Object.fromEntries(names.map((name) => [name, {}]));
}

const projectOf = (folder, workspaceRoot) => ({ root: folder, targets: targetsOf(join(workspaceRoot, folder)) });

export const createNodes = [
  manifests,
  (files, _options, { workspaceRoot }) =>
    files.map((file) => [file, { projects: { [dirname(file)]: projectOf(dirname(file), workspaceRoot) } }]),
];
