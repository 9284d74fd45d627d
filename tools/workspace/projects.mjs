/**
 * What nx knows about a project besides its manifest, by one rule: its tag (`lib:meta`, `app:kube-core`), which the layers of eslint.config.mjs
 * name, and its targets. How a target is run stands in nx.json. Plain JavaScript, because nx loads it before it knows of TypeScript.
 *
 * https://nx.dev/docs/extending-nx/project-graph-plugins
 */
import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const manifests = '{apps/*/package.json,libs/*/package.json,tools/project.json}';

/** Every project is linted, what has tests is tested, a program is built and served. */
function targetsOf(folder) {
  const hasTests = globSync('**/*.test.ts', { cwd: folder }).length > 0;
  const isProgram = existsSync(join(folder, 'src/main.ts'));
  const names = ['lint', ...(hasTests ? ['test'] : []), ...(isProgram ? ['build', 'serve'] : [])];
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function projectOf(folder, workspaceRoot) {
  const kind = { apps: 'app', libs: 'lib' }[dirname(folder)];
  const tags = kind === undefined ? [] : [`${kind}:${basename(folder)}`];
  return { root: folder, tags, targets: targetsOf(join(workspaceRoot, folder)) };
}

export const createNodes = [
  manifests,
  (files, _options, { workspaceRoot }) =>
    files.map((file) => [file, { projects: { [dirname(file)]: projectOf(dirname(file), workspaceRoot) } }]),
];
