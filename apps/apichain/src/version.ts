import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the package. */
export function packageVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The version of the package, and the Kubernetes release whose API it serves. */
export const versionText = (): string => `apichain ${packageVersion()} (Kubernetes API 1.36)`;
