import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

/** The environment variables with which a process that this one starts uses the same cache of compiled code; none if this one has no cache. */
export function compileCacheEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  // Node appends a subfolder for each version, user and set of flags.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: join(directory, '..'), NODE_COMPILE_CACHE_PORTABLE: '1' };
}
