/** The kinds of projects. Each has a folder of `templates`. */
export type ProjectType = 'api' | 'operator' | 'control-plane';

/** The versions of packages that projects use beside apichain: those with which the templates are tested. */
export const packageVersions = { pino: '10.4.0', '@types/node': '24.19.2', typescript: '6.0.3' };

/** The package.json of a project. `apichain` is what npm is to install: a range of versions, or `file:` and a path. */
export function manifestOf(type: ProjectType, name: string, apichain: string): string {
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
    },
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
