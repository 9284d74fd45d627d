import { FlagError, parseFlags } from '@apichain/apiserver-options';
import { StartupError } from '@apichain/chain/setup';
import { kubeCoreFlags } from '@apichain/server-core';

/** Throws StartupError for flags that the services would refuse. In a separate module, because it imports a service. */
export function checkServiceFlags(flags: readonly string[]): void {
  try {
    parseFlags(kubeCoreFlags, flags);
  } catch (error) {
    throw error instanceof FlagError ? new StartupError(error.message) : error;
  }
}
