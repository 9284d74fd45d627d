import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ServiceName } from '@apichain/chain/setup';

/** The parts of a chain that can run as separate processes. */
type ProgramName = ServiceName | 'chain' | 'controllers' | 'simulation' | 'embedded-etcd';

const require = createRequire(import.meta.url);

/** The file with which Node runs a part: beside this file in the published package, among the sources of the part in the repository. */
export function programOf(name: ProgramName): string {
  const published = join(import.meta.dirname, `${name}.js`);
  if (existsSync(published)) return published;
  if (name === 'chain') return join(import.meta.dirname, 'chain-main.ts');
  if (name === 'embedded-etcd') return require.resolve('@apichain/embedded-etcd/serve');
  return join(import.meta.dirname, `../../../${name}/src/main.ts`);
}
