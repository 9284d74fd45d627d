import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  mergeKubeconfig,
  removeFromKubeconfig,
  StartupError,
  type Kubeconfig,
  writeWholeFile,
} from '@apichain/chain/setup';
import { errorMessage, makeDirectory, parseYaml, stringifyYaml } from '@apichain/meta';

/** The context of a chain without a name. */
export const defaultContext = 'apichain';

/**
 * Adds the entries of a kubeconfig to a file, as `kubectl config` does, and makes its context the current one. Returns the path of the file.
 * Throws StartupError when the file is not a kubeconfig.
 */
export function mergeIntoFile(path: string, config: Kubeconfig): string {
  const file = expand(path);
  const merged = mergeKubeconfig(existsSync(file) ? existing(file) : undefined, config);
  makeDirectory(dirname(file));
  writeWholeFile(file, stringifyYaml(merged), 0o600);
  return file;
}

/** Removes what `mergeIntoFile` added. Nothing happens when the file is gone. Throws StartupError when it is not a kubeconfig. */
export function removeFromFile(path: string, config: Kubeconfig): void {
  const file = expand(path);
  const from = existsSync(file) ? existing(file) : undefined;
  if (from !== undefined) writeWholeFile(file, stringifyYaml(removeFromKubeconfig(from, config)), 0o600);
}

function existing(file: string): Partial<Kubeconfig> | undefined {
  let value: unknown;
  try {
    value = parseYaml(readFileSync(file));
  } catch (error) {
    throw new StartupError(`${file} is not YAML: ${errorMessage(error).replaceAll('\n', ' ')}`);
  }
  if (value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw new StartupError(`${file} is not a kubeconfig`);
  return value;
}

const expand = (path: string) => resolve(path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);
