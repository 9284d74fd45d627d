import { auditFlags } from './audit-flags.ts';
import { joinFlags, type FlagDefinition } from './flag.ts';
import { flagsOfGoExtensionServers, flagsOfOthers } from './other-flags.ts';
import { authenticationFlags, authorizationFlags } from './access-flags.ts';
import {
  builtinApiFlags,
  delegationFlags,
  etcdFlags,
  genericFlags,
  loggingFlags,
  servingFlags,
  workersFlags,
} from './server-flags.ts';

/**
 * Every flag of an extension API server: the common flags except those of the chain and of built-in resources, `own`, and the other flags
 * of a Go extension API server, which are accepted with a warning. A flag of `own` replaces a common flag of the same name.
 */
export function extensionServerFlags(own: readonly FlagDefinition[]): readonly FlagDefinition[] {
  const replaced = new Set(own.map(({ name }) => name));
  const common = joinFlags(servingFlags, etcdFlags, auditFlags, genericFlags, loggingFlags);
  return joinFlags(
    common.filter(({ name }) => !replaced.has(name)),
    own,
    flagsOfGoExtensionServers(),
  );
}

/**
 * Every flag of a service: the common flags, its own flags, and the other flags of kube-apiserver, which are accepted with a warning.
 * A flag of `own` replaces a common flag of the same name, e.g. to change a default.
 */
export function serviceFlags(own: readonly FlagDefinition[] = []): readonly FlagDefinition[] {
  const common = joinFlags(
    servingFlags,
    etcdFlags,
    authenticationFlags,
    authorizationFlags,
    delegationFlags,
    auditFlags,
    genericFlags,
    builtinApiFlags,
    loggingFlags,
    workersFlags,
  );
  const replaced = new Set(own.map(({ name }) => name));
  const built = joinFlags(
    common.filter(({ name }) => !replaced.has(name)),
    own,
  );
  return joinFlags(built, flagsOfOthers(built));
}
