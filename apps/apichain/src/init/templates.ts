import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kinds of projects. Each has a folder of `templates`. */
export type ProjectType = 'api' | 'operator' | 'control-plane';

/** The versions of packages that projects use beside apichain: those with which the templates are tested. */
export const packageVersions = { pino: '10.4.0', '@types/node': '24.19.2', typescript: '6.0.3' };

/** The package.json of a project with a kind. `apichain` is what npm is to install: a range of versions, or `file:` and a path. */
export function manifestOf(type: ProjectType, name: string, kind: string, apichain: string): string {
  const types = `src/resources/${kind.toLowerCase()}.ts`;
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=22.20' },
    scripts: {
      build: 'tsc --noEmit',
      start: type === 'api' ? 'node src/local.ts' : 'node src/main.ts',
      test: 'node --test "src/**/*.test.ts"',
      ...(type !== 'api' && { generate: `apichain generate types config/crd.json --output ${types}` }),
    },
    // Its script only warns of versions: npm need not ask whether it may run.
    allowScripts: { protobufjs: false },
    dependencies: {
      apichain,
      ...(type === 'control-plane' ? { pino: `^${packageVersions.pino}` } : {}),
    },
    devDependencies: {
      '@types/node': `^${packageVersions['@types/node']}`,
      typescript: `~${packageVersions.typescript}`,
    },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The file of a project: its path below the folder, and its text. */
interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** npm does not pack files of these names, so the templates have them without a dot. */
const dotFiles: Readonly<Record<string, string>> = { gitignore: '.gitignore', dockerignore: '.dockerignore' };

/** Reads the files of a template, with those that all templates have. The names in them are those of the template. */
export function readTemplate(template: string): ProjectFile[] {
  const directory = templatesDirectory();
  return ['common', template].flatMap((folder) => filesOf(join(directory, folder)));
}

/** The folder beside this module in a bundle, and that of the repository otherwise. */
function templatesDirectory(): string {
  const bundled = join(import.meta.dirname, 'templates');
  return existsSync(bundled) ? bundled : join(import.meta.dirname, '../../../../templates');
}

function filesOf(directory: string): ProjectFile[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = file.slice(directory.length + 1);
      return { path: dotFiles[path] ?? path, text: readFileSync(file, 'utf8') };
    });
}
