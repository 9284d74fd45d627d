import { readFileSync } from 'node:fs';
import { StartupError } from '@apichain/chain/setup';
import {
  checkCaBundle,
  checkServerName,
  namespaceOf,
  parseAddress,
  parseNamespace,
  parseRegisteredGroupVersion,
  parseServiceTarget,
  register,
  registrationContent,
  RegistrationError,
  registrationObjects,
  unregister,
  type RegisterOptions,
  type RegistrationTarget,
} from '@apichain/extension-server/registration';
import { errorMessage, stringifyYaml } from '@apichain/meta';
import { clusterKubeconfig, withClusterClient } from '../cluster-client.ts';
import type { CommandArguments } from '../commands/command.ts';

/** `apichain register`. Throws StartupError for invalid flags, and when the API server refuses something or does not respond. */
export const registerCommand = (args: CommandArguments): Promise<void> =>
  inOneLine(async () => {
    const isDryRun = args.boolean('dry-run');
    const content = {
      server: required(args, 'name', checkServerName),
      groupVersions: groupVersionsOf(args),
      target: targetOf(args),
      caBundle: caBundleOf(args),
      ...rightsOf(args),
    };
    await withClusterClient(args, 'apichain-register', async (client) => {
      const options: RegisterOptions = { ...content, client, force: args.boolean('force'), report };
      if (!isDryRun) return register(options);
      // Standard output is for the objects.
      const described = await registrationContent({ ...content, client, report: (line) => console.error(line) });
      process.stdout.write(registrationObjects(described).map(stringifyYaml).join('---\n'));
    });
  });

/** `apichain unregister`. Throws StartupError like `registerCommand`. */
export const unregisterCommand = (args: CommandArguments): Promise<void> =>
  inOneLine(async () => {
    const server = required(args, 'name', checkServerName);
    await withClusterClient(args, 'apichain-register', (client) => unregister({ client, server, report }));
  });

const report = (line: string): void => console.log(line);

async function inOneLine(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof RegistrationError) throw new StartupError(error.message);
    throw error;
  }
}

/** The value of a flag. The errors of `check` get the flag's name. */
function parsed<Value>(flag: string, value: string, check: (value: string) => Value): Value {
  try {
    return check(value);
  } catch (error) {
    throw new StartupError(`--${flag}: ${errorMessage(error)}`);
  }
}

function required(args: CommandArguments, flag: string, check: (value: string) => void): string {
  const value = args.string(flag) ?? '';
  if (value === '') throw new StartupError(`--${flag} is needed`);
  parsed(flag, value, check);
  return value;
}

function groupVersionsOf(args: CommandArguments) {
  const texts = [...new Set(args.list('group-version'))];
  if (texts.length === 0) throw new StartupError('--group-version is needed, e.g. wardle.example.com/v1beta1');
  return texts.map((text) => parsed('group-version', text, parseRegisteredGroupVersion));
}

function targetOf(args: CommandArguments): RegistrationTarget {
  const [service, address, namespace] = ['service', 'address', 'namespace'].map((flag) => args.string(flag));
  if ((service === undefined) === (address === undefined))
    throw new StartupError('either --service NS/NAME[:PORT] or --address HOST:PORT is needed');
  if (address !== undefined) {
    const place =
      namespace === undefined ? namespaceOf(clusterKubeconfig(args)) : parsed('namespace', namespace, parseNamespace);
    return { address: { ...parsed('address', address, parseAddress), namespace: place } };
  }
  if (namespace !== undefined) throw new StartupError('--namespace is for --address: --service names its namespace');
  return { service: parsed('service', service ?? '', parseServiceTarget) };
}

function caBundleOf(args: CommandArguments): string {
  const file = args.string('ca-file') ?? '';
  if (file === '') throw new StartupError("--ca-file is needed: the authorities of the server's certificate");
  const text = parsed('ca-file', file, (path) => readFileSync(path, 'utf8'));
  parsed('ca-file', text, checkCaBundle);
  return text;
}

function rightsOf(args: CommandArguments): { user?: string | false } {
  const rbac = args.string('rbac') ?? 'true';
  const user = args.string('user');
  if (rbac === 'true') return user === undefined ? {} : { user };
  if (user !== undefined) throw new StartupError('--user has no effect with --rbac=false');
  return { user: false };
}
