import { readCommandLine } from '@apichain/go-text';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ApiSet, apiSet } from '@apichain/apiserver-options/api-sets';
import { type ControllerName, selectControllers, withWorkloadControllers } from '@apichain/controllers/selection';
import { type SettingTexts, flagName, isSetting, parseSettings } from '@apichain/controllers/settings';
import { StartupError } from '@apichain/chain/setup';
import { errorMessage } from '@apichain/meta';
import { workerCount } from '@apichain/workers';
import { chainDirectory } from '../lifecycle/chain-directory.ts';
import type { ManifestOptions } from '../manifests/manifest-loop.ts';
import { parseConsolePort } from './console-port.ts';
import { defaultNodes, parseSimulation, type SimulateOptions } from './simulate-options.ts';

/** The options of `apichain up` itself. All other flags are passed to the services. */
export interface UpOptions {
  /** Absolute. */
  readonly dataDir: string;
  /** The name of the chain, if it has one. */
  readonly name?: string;
  readonly bindAddress: string;
  readonly securePort: number;
  /** Whether the user chose the port. Otherwise the next free one is used. */
  readonly isPortGiven: boolean;
  /** Whether the chain runs in the background. */
  readonly detach: boolean;
  /** Whether only the flags are checked. */
  readonly dryRun: boolean;
  /** Whether a line for each finished request is printed. */
  readonly showRequests: boolean;
  /** The kubeconfig files, as in KUBECONFIG, that have a context for the chain while it runs. Empty: those that kubectl uses. */
  readonly mergedKubeconfig?: string;
  /** Undefined means a store in the data directory. */
  readonly etcdServers?: string;
  /**
   * Whether that store is the embedded one (true) or the etcd found on the PATH (false). Undefined means the kind that the directory
   * already contains.
   */
  readonly embeddedEtcd?: boolean;
  /** Whether all three services and the embedded etcd run in this process. */
  readonly inProcess: boolean;
  /** Whether the embedded etcd keeps its data in memory only. */
  readonly memory: boolean;
  /** The built-in APIs. */
  readonly apis: ApiSet;
  readonly serviceClusterIpRange: string;
  /** The controllers that run beside the services. */
  readonly controllers: readonly ControllerName[];
  /** The flags of kube-controller-manager that say how they work, checked. */
  readonly controllerFlags: SettingTexts;
  /** The simulation of nodes. Undefined means none: nothing of it is loaded. */
  readonly simulation?: SimulateOptions;
  /** Whether a terminal shows the status of the chain on its last line. */
  readonly statusLine: boolean;
  /** What is applied when the chain is ready. Undefined means nothing: nothing of it is loaded. */
  readonly manifests?: ManifestOptions;
  /** The port of the console on 127.0.0.1. Undefined means no console. */
  readonly consolePort?: number;
  /** Whether the user chose that port. Otherwise the next free one is used. */
  readonly isConsolePortGiven: boolean;
  /** The number of processes that serve each service together, or the whole chain with `inProcess`. */
  readonly workers: number;
  /** Whether the machine decided that. */
  readonly isWorkersAutomatic: boolean;
  /** All other flags as `--name=value`, in order. */
  readonly serviceFlags: readonly string[];
}

/**
 * The flags of all services, apart from their addresses and stores. By default, privileged containers are allowed, the authorization
 * modes are Node and RBAC, and NodeRestriction is on, as in clusters that kubeadm creates. Where there are no nodes, it is RBAC alone.
 * With simulated nodes pods get their ServiceAccount and its token, as in a cluster whose nodes run them.
 */
export const flagsForServices = ({
  apis,
  serviceClusterIpRange,
  showRequests,
  serviceFlags,
  simulation,
  controllers,
  workers,
}: UpOptions): readonly string[] => [
  `--apis=${apis.name}`,
  `--service-cluster-ip-range=${serviceClusterIpRange}`,
  '--allow-privileged=true',
  ...(workers === 1 ? [] : [`--workers=${workers}`]),
  ...(showRequests ? ['--show-requests'] : []),
  ...(serviceFlags.some(selectsAuthorizers) ? [] : [`--authorization-mode=${apis.authorizationMode}`]),
  ...enabledPlugins(
    simulation !== undefined && controllers.includes('serviceaccount-controller')
      ? [...apis.admissionPlugins, 'ServiceAccount']
      : apis.admissionPlugins,
    serviceFlags,
  ),
  ...serviceFlags,
];

/** The flags of the first service alone. */
export const flagsForFirst = ({ consolePort }: { readonly consolePort?: number | undefined }): readonly string[] =>
  consolePort === undefined ? [] : [`--console-port=${consolePort}`];

/** The default modes are omitted if such a flag is given: repeated modes are merged, and a configuration file excludes mode flags. */
const selectsAuthorizers = (flag: string): boolean => /^--authorization[-_](mode|config)(=|$)/.test(flag);

/** Plugins that no flag disables. `--admission-control` is a complete list, and excludes the flag that enables plugins. */
function enabledPlugins(plugins: readonly string[], serviceFlags: readonly string[]): string[] {
  if (serviceFlags.some((flag) => /^--admission[-_]control(=|$)/.test(flag))) return [];
  const disabled = serviceFlags.flatMap(
    (flag) => /^--disable[-_]admission[-_]plugins=(.*)$/.exec(flag)?.[1]?.split(',') ?? [],
  );
  const enabled = plugins.filter((plugin) => !disabled.includes(plugin));
  return enabled.length === 0 ? [] : [`--enable-admission-plugins=${enabled.join(',')}`];
}

const defaultPort = 6443;
/** The default of `--service-cluster-ip-range`. */
export const defaultClusterIpRange = '10.0.0.0/16';

/** As etcd's clients take it; without a scheme it is host:port. */
const etcdAddress = /^(?:https?:\/\/[^\s/]+\/?|unixs?:\S+|[^\s/:]+:\d+|\[[0-9a-fA-F:.]+\]:\d+)$/;

/** Flags without a value. */
const switches: ReadonlySet<string> = new Set([
  ...['in-process', 'memory', 'embedded-etcd', 'detach', 'dry-run', 'console', 'show-requests', 'scheduler'],
  ...['watch', 'recursive', 'status-line'],
]);

/** Flags with a letter of their own, as kubectl has them. */
const letters: Readonly<Record<string, string>> = { f: 'filename', R: 'recursive' };

/** The value of a flag without one. */
const bareValue = (name: string): string | undefined =>
  name === 'simulate' ? defaultNodes : switches.has(letters[name] ?? name) ? 'true' : undefined;

const withoutDefault: ReadonlySet<string> = new Set([
  ...['etcd-servers', 'embedded-etcd', 'name', 'data-dir', 'secure-port', 'merge-kubeconfig', 'console-port'],
  ...['simulate', 'stages', 'filename'],
]);

const defaults = {
  'in-process': 'false',
  memory: 'false',
  apis: 'all',
  detach: 'false',
  'dry-run': 'false',
  console: 'false',
  'show-requests': 'false',
  'bind-address': '127.0.0.1',
  'service-cluster-ip-range': defaultClusterIpRange,
  controllers: '*',
  workers: '1',
  scheduler: 'true',
  'status-line': 'true',
  watch: 'false',
  recursive: 'false',
};

/** The names of the flags of `apichain up` itself. */
export const ownFlags: readonly string[] = [...Object.keys(defaults), ...withoutDefault];

/**
 * Parses the command line of `apichain up`. Throws StartupError for an argument that is not a flag and for a bad value. The services check
 * the names of their flags.
 */
export function parseUpOptions(args: readonly string[]): UpOptions {
  const own = new Map<string, string>(Object.entries(defaults));
  const serviceFlags: string[] = [];
  const stages: string[] = [];
  const filenames: string[] = [];
  const controllerFlags: SettingTexts = {};
  readCommandLine(args, {
    bare: bareValue,
    flag: (given, value) => {
      const name = letters[given] ?? given;
      const setting = flagName(name);
      if (name === 'stages') stages.push(value ?? '');
      else if (name === 'filename') filenames.push(value ?? '');
      else if (own.has(name) || withoutDefault.has(name)) own.set(name, value ?? '');
      else if (isSetting(setting)) controllerFlags[setting] = value ?? '';
      else serviceFlags.push(value === undefined ? `--${name}` : `--${name}=${value}`);
    },
    argument: (word) => {
      throw new StartupError(`unexpected argument: ${word}`);
    },
    // A service flag may be a switch: the next word is its value only if it is not a flag.
    isValue: (word) => !word.startsWith('-') || word === '-',
  });
  const bindAddress = own.get('bind-address') ?? '';
  if (isIP(bindAddress) === 0) throw new StartupError(`--bind-address: "${bindAddress}" is not an IP address`);
  const isPortGiven = own.has('secure-port');
  const securePort = isPortGiven ? Number(own.get('secure-port')) : defaultPort;
  if (!Number.isInteger(securePort) || securePort < 1 || securePort > 65_535)
    throw new StartupError(`--secure-port: "${own.get('secure-port') ?? ''}" is not a port (1-65535)`);
  const name = own.get('name');
  if (own.get('data-dir') === '') throw new StartupError('--data-dir: must not be empty');
  const dataDir = chainDirectory({ name, dataDir: own.get('data-dir') });
  const mergedKubeconfig = own.get('merge-kubeconfig');
  const etcdServers = own.get('etcd-servers');
  const noEtcd = etcdServers?.split(',').find((text) => !etcdAddress.test(text));
  if (noEtcd !== undefined)
    throw new StartupError(`--etcd-servers: "${noEtcd}" is no address of an etcd: http://, https:// or unix://`);
  const inProcess = switchOf(own, 'in-process');
  const memory = switchOf(own, 'memory');
  const embeddedEtcd = own.has('embedded-etcd') ? switchOf(own, 'embedded-etcd') : undefined;
  if (embeddedEtcd !== undefined && etcdServers !== undefined)
    throw new StartupError('--embedded-etcd and --etcd-servers exclude each other');
  if (embeddedEtcd === false && memory) throw new StartupError('--memory and --embedded-etcd=false exclude each other');
  if (memory && !inProcess) throw new StartupError('--memory needs --in-process: only the embedded etcd can do that');
  if (memory && etcdServers !== undefined) throw new StartupError('--memory and --etcd-servers exclude each other');
  const workers = parseWorkers(own.get('workers') ?? '', inProcess ? 1 : 3);
  if (memory && workers > 1)
    throw new StartupError(
      '--memory and --workers exclude each other: the store of several workers is a process of its own',
    );
  const console = parseConsolePort(switchOf(own, 'console'), own.get('console-port'));
  const apis = parseApis(own.get('apis') ?? '');
  const simulate = { simulate: own.get('simulate'), stages, scheduler: switchOf(own, 'scheduler') };
  const simulation = parseSimulation(simulate, apis);
  return {
    dataDir,
    name,
    bindAddress,
    securePort,
    isPortGiven,
    detach: switchOf(own, 'detach'),
    dryRun: switchOf(own, 'dry-run'),
    showRequests: switchOf(own, 'show-requests'),
    mergedKubeconfig,
    etcdServers,
    embeddedEtcd,
    inProcess,
    memory,
    ...console,
    apis,
    serviceClusterIpRange: own.get('service-cluster-ip-range') ?? '',
    controllers: parseControllers(own.get('controllers') ?? '', apis, simulation !== undefined),
    controllerFlags: checked(controllerFlags),
    simulation,
    workers,
    isWorkersAutomatic: own.get('workers') === 'auto',
    statusLine: switchOf(own, 'status-line'),
    manifests: manifestsOf(filenames, switchOf(own, 'watch'), switchOf(own, 'recursive')),
    serviceFlags,
  };
}

/** The flags about manifests. Undefined without `-f`. */
function manifestsOf(paths: readonly string[], watch: boolean, recursive: boolean): ManifestOptions | undefined {
  if (paths.length === 0) {
    if (watch) throw new StartupError('--watch needs -f: the manifests to watch');
    if (recursive) throw new StartupError('--recursive needs -f: the folder of manifests');
    return undefined;
  }
  if (paths.includes('-'))
    throw new StartupError('-f: manifests are not read from standard input; name a file or folder');
  const missing = paths.find((path) => path === '' || !existsSync(path));
  if (missing !== undefined)
    throw new StartupError(`-f: there is no file or folder ${missing === '' ? '""' : missing}`);
  return { paths, recursive, watch };
}

function parseWorkers(text: string, services: number): number {
  const count = workerCount(text, services);
  if (count === undefined) throw new StartupError(`--workers: "${text}" is not a number from 1 to 256, nor auto`);
  return count;
}

function parseApis(name: string): ApiSet {
  try {
    return apiSet(name);
  } catch (error) {
    throw new StartupError(errorMessage(error));
  }
}

function parseControllers(text: string, { serves }: ApiSet, isSimulated: boolean): ControllerName[] {
  const list = text.split(',');
  try {
    return selectControllers(isSimulated ? withWorkloadControllers(list, serves) : list, serves);
  } catch (error) {
    throw new StartupError(`--controllers: ${errorMessage(error)}`);
  }
}

function checked(flags: SettingTexts): SettingTexts {
  try {
    parseSettings(flags);
    return flags;
  } catch (error) {
    throw new StartupError(errorMessage(error));
  }
}

function switchOf(own: ReadonlyMap<string, string>, name: string): boolean {
  const text = own.get(name) ?? '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new StartupError(`--${name}: "${text}" is not true or false`);
}
