import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
