import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, parseYaml } from '@apichain/meta';

export interface NamedManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; resourceVersion?: string };
}

/**
 * Reads the documents of the requested kinds from files and folders (not recursively); other kinds are ignored. Throws Error for a path that does
 * not exist, unless `missingIsError` is false, and for a file that is not YAML or JSON.
 */
export function readKinds(paths: readonly string[], kinds: readonly string[], missingIsError = true): NamedManifest[] {
  const what = kinds.includes('CustomResourceDefinition') ? 'CRD' : 'webhook';
  return paths
    .flatMap((path) => filesOf(path, what, missingIsError))
    .flatMap((file) => documentsOf(file))
    .filter((document): document is NamedManifest => {
      const { kind, metadata } = (document ?? {}) as Partial<NamedManifest>;
      return kinds.includes(kind ?? '') && typeof metadata?.name === 'string';
    });
}

function filesOf(path: string, what: string, missingIsError: boolean): string[] {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined && missingIsError) throw new Error(`${what} path does not exist: ${path}`);
  if (info === undefined) return [];
  if (!info.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

function documentsOf(file: string): unknown[] {
  const texts = readFileSync(file, 'utf8').split(/^---(?=\s|$)/m);
  return texts.map((text) => {
    try {
      return parseYaml(text);
    } catch (error) {
      throw new Error(`${file}: ${errorMessage(error)}`);
    }
  });
}
