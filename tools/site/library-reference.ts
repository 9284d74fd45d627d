import { mkdirSync, readFileSync } from 'node:fs';
import { normalize } from 'node:path';
import { Application, type ProjectReflection } from 'typedoc';

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
}

/**
 * Writes a page for each module of the published package, from the documentation comments and types of its sources. Throws Error when TypeDoc
 * cannot read them.
 */
export async function writeLibraryReference(folder: string): Promise<void> {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const modules = Object.entries(exports).map(([path, source]) => ({
    name: path === '.' ? 'apichain' : `apichain/${path.slice(2)}`,
    source: normalize(source),
  }));
  mkdirSync(folder, { recursive: true });
  const application = await Application.bootstrapWithPlugins({
    name: 'The library',
    entryPoints: modules.map(({ source }) => source),
    tsconfig: 'tsconfig.json',
    plugin: ['typedoc-plugin-markdown'],
    // Types are checked by `npm run check`.
    skipErrorChecking: true,
    disableSources: true,
    excludePrivate: true,
    excludeExternals: true,
    readme: 'none',
    router: 'module',
    logLevel: 'Error',
    ...options,
  });
  const project = await application.convert();
  if (project === undefined) throw new Error('TypeDoc did not read the sources of the modules');
  rename(project, modules);
  await application.outputs.writeOutput({ name: 'markdown', path: folder }, project);
  if (application.logger.hasErrors()) throw new Error('TypeDoc reported errors');
}

/** Options of typedoc-plugin-markdown. https://typedoc-plugin-markdown.org/docs/options */
const options: object = {
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideSources: true, hideModifiers: true, hideInherited: true, hideOverrides: true },
};

/** TypeDoc names a module after its path below the common folder. Here it has the name that programs import. */
function rename(project: ProjectReflection, modules: readonly { name: string; source: string }[]): void {
  for (const module of project.children ?? []) {
    const found = modules.find(({ source }) => sourceNameOf(source) === module.name);
    if (found === undefined) throw new Error(`TypeDoc has a module of an unknown name: ${module.name}`);
    module.name = found.name;
  }
}

/** `libs/chain/src/index.ts` is `chain/src` for TypeDoc. */
const sourceNameOf = (file: string) =>
  file
    .replace(/^libs\//, '')
    .replace(/\.ts$/, '')
    .replace(/\/index$/, '');
