import { mkdirSync, readdirSync, writeFileSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, relative } from 'node:path';
import { StartupError } from '@apichain/chain/setup';
import { hasErrorCode, isRecord } from '@apichain/meta';
import type { CommandArguments } from '../commands/command.ts';
import { packageVersion } from '../version.ts';
import { checkGroup, checkKind, checkProject, withNames } from './names.ts';
import { readTemplate, manifestOf, type ProjectType } from './templates.ts';

const projects: Readonly<Record<ProjectType, string>> = {
  api: 'an extension API server',
  operator: 'an operator',
  'control-plane': 'a control plane',
};

/**
 * `apichain init`. Makes a project from a template. Throws StartupError for invalid names and for a folder that is not empty; nothing is
 * written then.
 */
export async function initCommand(args: CommandArguments): Promise<void> {
  const [type = '', given = '.'] = args.arguments;
  if (!isProjectType(type))
    throw new StartupError('which project? apichain init api, operator or control-plane (see apichain init --help)');
  const folder = resolve(given);
  const [project, group, kind] = [basename(folder), args.string('group') ?? '', args.string('kind') ?? ''];
  checkProject(project);
  checkGroup(group, type === 'api');
  checkKind(kind);
  checkEmpty(folder, given);
  const names = { project, group, kind };
  const files = readTemplate(type).map(({ path, text }) => ({
    path: withNames(path, names),
    text: withNames(text, names),
  }));
  for (const { path, text } of [
    ...files,
    { path: 'package.json', text: manifestOf(type, project, kind, dependencyFor(folder)) },
  ]) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
  console.log(nextSteps(type, given));
}

const isProjectType = (type: string): type is ProjectType => Object.hasOwn(projects, type);

function checkEmpty(folder: string, given: string): void {
  try {
    if (readdirSync(folder).length > 0) throw new StartupError(`${given} is not empty: choose another folder`);
  } catch (error) {
    if (hasErrorCode(error, 'ENOTDIR')) throw new StartupError(`${given} is not a folder`);
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
}

function nextSteps(type: ProjectType, folder: string): string {
  const lines = [
    ...(folder === '.' ? [] : [`cd ${/^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`}`]),
    'npm install',
    'npm test',
    ...(type === 'control-plane' ? [] : ['npx apichain up --in-process --memory    # in another terminal']),
    'npm start',
  ];
  return `made ${projects[type]} in ${folder}; README.md describes it. Next:\n\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/**
 * The version of apichain for the package.json of a project in `folder`: the tarball from which npm has installed the package that runs, as
 * `file:` and a path, or else a range with the version of that package. `module` is a file of the package.
 */
export function dependencyFor(folder: string, module = import.meta.filename): string {
  const tarball = tarballOf(module);
  return tarball === undefined ? `^${packageVersion()}` : `file:${relative(resolve(folder), tarball)}`;
}

/** The tarball of an installed package. npm notes where packages come from in a file beside them. */
function tarballOf(module: string): string | undefined {
  const installed = /^(?<packages>.*\/node_modules)\/apichain\//.exec(realpathSync(module))?.groups?.['packages'];
  if (installed === undefined) return undefined;
  const file = join(installed, '.package-lock.json');
  if (!existsSync(file)) return undefined;
  const lock: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  const entry = packages['node_modules/apichain'];
  const resolved = isRecord(entry) ? entry['resolved'] : undefined;
  if (typeof resolved !== 'string' || !resolved.startsWith('file:')) return undefined;
  const path = resolve(dirname(installed), resolved.slice('file:'.length));
  return existsSync(path) ? path : undefined;
}
