import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The programs of an environment. Only kubectl is used by tests; the servers run in the process of the test. */
export interface BinaryPaths {
  etcd: string;
  kubeApiserver: string;
  kubectl: string;
  /** The folder of kubectl. Empty when it was not found. */
  dir: string;
  /** Always absent: nothing is downloaded. */
  version?: string;
}

/**
 * Finds the programs as envtest does: by TEST_ASSET_KUBECTL and the like, then in `directory`, in KUBEBUILDER_ASSETS and on the PATH. A program that is
 * not found has its name as path. Nothing is downloaded.
 */
export function findBinaries(directory?: string, environment: NodeJS.ProcessEnv = process.env): BinaryPaths {
  const folders = [directory, environment['KUBEBUILDER_ASSETS'], ...(environment['PATH'] ?? '').split(delimiter)];
  const find = (name: string): string => {
    const asset = environment[`TEST_ASSET_${name.toUpperCase().replaceAll('-', '_')}`];
    if (asset !== undefined && asset !== '') return asset;
    const paths = folders.flatMap((folder) => (folder === undefined || folder === '' ? [] : [join(folder, name)]));
    return paths.find((path) => existsSync(path)) ?? name;
  };
  const kubectl = find('kubectl');
  const folder = dirname(kubectl);
  return {
    etcd: find('etcd'),
    kubeApiserver: find('kube-apiserver'),
    kubectl,
    dir: folder === '.' ? '' : folder,
  };
}
