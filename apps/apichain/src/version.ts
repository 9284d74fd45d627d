import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the package, and the Kubernetes release whose API it serves. */
export function versionText(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return `apichain ${version} (Kubernetes API 1.36)`;
}
