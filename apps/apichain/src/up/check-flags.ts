import { FlagError, parseFlags } from '@apichain/apiserver-options';
import { StartupError } from '@apichain/chain/setup';
import { checkKubeCoreFlags, kubeCoreFlags } from '@apichain/server-core';
import { flagsForServices, type UpOptions } from './options.ts';

/** Throws StartupError for flags that the services would refuse. In a separate module, because it imports a service. */
export function checkServiceFlags(options: UpOptions): void {
  try {
    checkKubeCoreFlags(parseFlags(kubeCoreFlags, flagsForServices(options)));
  } catch (error) {
    throw error instanceof FlagError ? new StartupError(error.message) : error;
  }
}
