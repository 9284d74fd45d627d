import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const readme = `# create-apichain

Makes a TypeScript project on [apichain](https://www.npmjs.com/package/apichain), as \`apichain init\` does.

\`\`\`sh
npm create apichain@latest my-operator                                  # an operator
npm create apichain@latest api my-api -- --group example.com --kind Order   # an extension API server
npm create apichain@latest control-plane my-platform                    # a control plane of your own
\`\`\`

Node 22.20 or newer is needed.
`;

/**
 * Writes the package `create-apichain` into a folder: its program, which `npm create apichain` runs, is `apichain init` of the package of the same version.
 * The working directory must be the repository.
 */
export function writeCreatePackage(
  directory: string,
  { version, license }: { readonly version: string; readonly license: string },
): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, 'bin'), { recursive: true });
  cpSync('tools/package/files/create.js', join(directory, 'bin/create-apichain.js'));
  cpSync('LICENSE', join(directory, 'LICENSE'));
  writeFileSync(join(directory, 'README.md'), readme);
  const manifest = {
    name: 'create-apichain',
    version,
    description: 'Makes a project on apichain: an operator, an extension API server or a control plane',
    keywords: ['kubernetes', 'operator', 'apichain'],
    license,
    type: 'module',
    engines: { node: '>=22.20' },
    bin: { 'create-apichain': 'bin/create-apichain.js' },
    dependencies: { apichain: version },
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
