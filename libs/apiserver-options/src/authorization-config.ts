import { errorMessage } from '@apichain/meta';
import {
  checkAuthorizationConfiguration,
  parseAuthorizationConfiguration,
  type AuthorizationConfiguration,
} from '@apichain/authz';
import { FlagError } from './flag.ts';

import type { ParsedFlags } from './parse-flags.ts';

const flag = 'authorization-config';
/** The flags that the configuration file replaces. */
const replaced: readonly string[] = [
  'authorization-mode',
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
];

/** Reads the file of `--authorization-config`. `expected`: see `checkAuthorizationConfiguration`. Throws Error with the text of kube-apiserver. */
export function readAuthorizationConfiguration(
  text: string,
  expected?: ReadonlySet<string>,
): AuthorizationConfiguration {
  let configuration;
  try {
    configuration = parseAuthorizationConfiguration(text);
  } catch (error) {
    throw new FlagError(`failed to load AuthorizationConfiguration from file: ${errorMessage(error)}`);
  }
  try {
    checkAuthorizationConfiguration(configuration, expected);
  } catch (error) {
    throw new FlagError(errorMessage(error));
  }
  return configuration;
}

/** The configuration that the flags give without a file. Throws FlagError. */
export function authorizationOfFlags(flags: ParsedFlags): AuthorizationConfiguration {
  const modes = flags.strings('authorization-mode');
  const problems = [...modes.flatMap((mode) => modeProblems(mode, flags)), ...strayFiles(modes, flags)];
  if (new Set(modes).size < modes.length) {
    const shown = modes.map((mode) => JSON.stringify(mode)).join(' ');
    problems.push(`authorization-mode [${shown}] has mode specified more than once`);
  }
  if (problems.length > 0)
    throw new FlagError(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
  const webhook = {
    authorizedTTL: flags.duration('authorization-webhook-cache-authorized-ttl'),
    cacheAuthorizedRequests: true,
    unauthorizedTTL: flags.duration('authorization-webhook-cache-unauthorized-ttl'),
    cacheUnauthorizedRequests: true,
    timeout: 30_000,
    subjectAccessReviewVersion: flags.string('authorization-webhook-version'),
    matchConditionSubjectAccessReviewVersion: '',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: flags.string('authorization-webhook-config-file') },
    matchConditions: [],
  };
  return {
    authorizers: modes.map((mode) =>
      mode === 'Webhook' ? { type: mode, name: 'default', webhook } : { type: mode, name: mode.toLowerCase() },
    ),
  };
}

/** The path of the file; undefined when there is none. Throws FlagError when flags that the file replaces are set too. */
export function authorizationConfigFile(flags: ParsedFlags): string | undefined {
  const path = flags.string(flag);
  if (path === '') return undefined;
  if (!replaced.some((name) => flags.isSet(name))) return path;
  throw new FlagError(
    `--${flag} can not be specified when --authorization-mode or --authorization-webhook-* flags are defined`,
  );
}

const knownModes: ReadonlySet<string> = new Set(['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook']);
const filesOfModes = [
  ['ABAC', 'authorization-policy-file', "authorization-mode ABAC's authorization policy file not passed"],
  ['Webhook', 'authorization-webhook-config-file', "authorization-mode Webhook's authorization config file not passed"],
] as const;

function modeProblems(mode: string, flags: ParsedFlags): string[] {
  if (!knownModes.has(mode)) return [`authorization-mode ${JSON.stringify(mode)} is not a valid mode`];
  return filesOfModes.flatMap(([of, file, problem]) => (of === mode && flags.string(file) === '' ? [problem] : []));
}

const strayFiles = (modes: readonly string[], flags: ParsedFlags): string[] =>
  filesOfModes.flatMap(([mode, file]) =>
    flags.string(file) !== '' && !modes.includes(mode) ? [`cannot specify --${file} without mode ${mode}`] : [],
  );
