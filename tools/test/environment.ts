/**
 * Prints the dependencies of the tests outside the repository: programs on the PATH, recorded responses, environment variables. nx uses
 * cached results only if this output is the same.
 *
 *   node tools/test/environment.ts
 */
import { existsSync, globSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const programs = ['etcd', 'etcdctl', 'kubectl', 'openssl', 'git', 'bash', 'chromium'];
const variables = /^(?:APICHAIN_(?!TEST_STATISTICS).*|CI|SEED|USE_EXISTING_CLUSTER)$/;

/**
 * The path, size and modification time of a program. Another version differs in these. Running each program for its version would take
 * longer than everything else.
 */
function stampOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${path} ${size} ${mtimeMs}`;
}

console.log(process.version, process.platform, process.arch);
for (const name of programs) {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name));
  const found = paths.find((path) => existsSync(path));
  console.log(name, found === undefined ? 'is absent' : stampOf(found));
}
const recorded = resolve(process.env['APICHAIN_SHARED'] ?? join(import.meta.dirname, '../../../shared'));
for (const path of globSync('**/*', { cwd: recorded }).sort()) console.log(stampOf(join(recorded, path)));
for (const name of Object.keys(process.env).sort())
  if (variables.test(name)) console.log(`${name}=${process.env[name] ?? ''}`);
