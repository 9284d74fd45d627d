import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The documentation of a type, and of its fields by JSON name. */
export type TypeDocumentation = readonly [type: string, fields: Readonly<Record<string, string>>];
/** The documentation of a group-version's types, by type name. */
export type GroupVersionDocumentation = Readonly<Record<string, TypeDocumentation>>;

/** The folder of a group-version's declarations in two npm packages, by its name in the type tables. */
export interface DocumentationFolder {
  readonly groupVersion: string;
  readonly folder: string;
}

const sharedTypes: readonly (readonly [groupVersion: string, path: string])[] = [
  ['meta.v1', 'apis/meta/v1'],
  ['resource', 'api/resource'],
  ['runtime', 'runtime'],
  ['intstr', 'util/intstr'],
  ['version', 'version'],
];
const version = /^v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * The folders of `kubernetes-models` and of `@kubernetes-models/apimachinery`, where those are installed. Each has one file per type, with the
 * OpenAPI descriptions of the type and of its fields.
 */
export function documentationFolders(models: string, apimachinery: string): DocumentationFolder[] {
  const shared = sharedTypes.map(([groupVersion, path]) => ({ groupVersion, folder: join(apimachinery, path) }));
  const groups = readdirSync(models, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const served = groups.flatMap(({ name: group }) => {
    if (group === 'v1') return [{ groupVersion: 'core.v1', folder: join(models, group) }];
    return readdirSync(join(models, group))
      .filter((name) => version.test(name))
      .map((name) => ({ groupVersion: `${group}.${name}`, folder: join(models, group, name) }));
  });
  return [...shared, ...served];
}

const ending = '.d.ts';

/** Reads the documentation from the declarations in a folder. Throws Error when the folder cannot be read. */
export function extractDocumentation(folder: string): GroupVersionDocumentation {
  const types: Record<string, TypeDocumentation> = {};
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(ending) || file === `index${ending}`) continue;
    const name = file.slice(0, -ending.length);
    const found = typeDocumentation(name, readFileSync(join(folder, file), 'utf8'));
    if (found !== undefined) types[name] = found;
  }
  return types;
}

const comment = String.raw`/\*\*\n((?: *\*(?: .*)?\n)*?) *\*/\n`;
const fieldComment = new RegExp(`^    ${comment}    "([^"]+)"`, 'gm');

/** Undefined for a declaration without documentation. */
function typeDocumentation(name: string, declarations: string): TypeDocumentation | undefined {
  const head = new RegExp(String.raw`(?:^${comment})?export (?:interface|type) I${name}\b.*\n`, 'm').exec(declarations);
  if (head === null) return undefined;
  const body = head[0].endsWith('{\n') ? declarations.slice(head.index + head[0].length).split('\n}\n')[0] : '';
  const fields: Record<string, string> = {};
  for (const [, lines = '', field = ''] of (body ?? '').matchAll(fieldComment)) fields[field] = commentText(lines);
  const text = commentText(head[1] ?? '');
  return text === '' && Object.keys(fields).length === 0 ? undefined : [text, fields];
}

/** Reverses two changes of the package: a tag added to deprecated fields, and escaped characters (asterisks, and slashes after an asterisk). */
function commentText(lines: string): string {
  return lines
    .split('\n')
    .map((line) => line.replace(/^ *\* ?/, ''))
    .join('\n')
    .trimEnd()
    .replace(/\n@deprecated$/, '')
    .replaceAll(String.raw`\*`, '*')
    .replaceAll(String.raw`*\/`, '*/');
}
