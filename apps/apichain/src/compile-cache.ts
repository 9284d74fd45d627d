import { createRequire, enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

/**
 * Enables Node's compile cache for compiled code and for sources stripped of types. Compilation is half the cost of a start. The cache is
 * in node_modules/.cache and belongs to this installation. If that folder is not writable, there is no cache. Paths in the cache are
 * relative, so a copy of the installation can use it too. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE are respected.
 */
export function keepCompiledCode(): void {
  if (getCompileCacheDir() !== undefined) return;
  const directory = join(modulesDirectory(), '.cache', 'apichain');
  try {
    enableCompileCache({ directory, portable: true });
  } catch (error) {
    // Node 22 takes only a directory.
    if (!(error instanceof TypeError)) throw error;
    enableCompileCache(directory);
  }
}

/** The node_modules folder that contains the dependencies of the services. etcd3 is one that no bundle contains. */
function modulesDirectory(): string {
  return join(createRequire(import.meta.url).resolve('etcd3/package.json'), '../..');
}
