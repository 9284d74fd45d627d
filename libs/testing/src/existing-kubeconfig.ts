import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { errorMessage } from '@apichain/meta';

/**
 * The kubeconfig that kubectl would read: the first readable file of KUBECONFIG, otherwise ~/.kube/config. Several files are not merged. Throws Error
 * that names the files when none is readable.
 */
export function existingKubeconfig(environment: NodeJS.ProcessEnv = process.env): string {
  const named = (environment['KUBECONFIG'] ?? '')
    .split(delimiter)
    .map((file) => file.trim())
    .filter((file) => file !== '');
  const files = named.length === 0 ? [join(homedir(), '.kube', 'config')] : named;
  const failures: string[] = [];
  for (const file of files) {
    const failure = unreadable(file);
    if (failure === undefined) return file;
    failures.push(failure);
  }
  throw new Error(`no kubeconfig of an existing cluster (${failures.join('; ')}); KUBECONFIG names one`);
}

function unreadable(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
