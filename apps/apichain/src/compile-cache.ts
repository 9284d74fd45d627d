import { createRequire, enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

/**
 * Lets Node keep compiled code (and sources stripped of their types) between runs: half of what a start costs is compiling.
 * The cache lies in node_modules/.cache, for this installation alone; where that cannot be written there is none. It names files by where they
 * are from there, so that it serves a copy of the installation too. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE are obeyed.
 */
export function keepCompiledCode(): void {
  if (getCompileCacheDir() === undefined)
    enableCompileCache({ directory: join(modulesDirectory(), '.cache', 'apichain'), portable: true });
}

/** The environment with which a service shares the cache. */
export function compileCacheEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  // Node appends a folder of its own for each version, user and set of flags.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: join(directory, '..'), NODE_COMPILE_CACHE_PORTABLE: '1' };
}

/** Where npm put what every service needs. */
function modulesDirectory(): string {
  return join(createRequire(import.meta.url).resolve('express/package.json'), '../..');
}
