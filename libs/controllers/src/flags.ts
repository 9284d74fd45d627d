import { parseArgs } from 'node:util';
import type { BindAddress } from '@apichain/client';
import type { CertificateFiles } from '@apichain/serving/certificate-files';
import { booleanValue, durationValue, healthAddressValue, textFlag, withBooleanValues } from './flag-values.ts';
import { controllerNames, selectControllers, withWorkloadControllers } from './selection.ts';
import {
  type ControllerSettings,
  type SettingTexts,
  flagName,
  isSetting,
  parseSettings,
  settingsHelp,
  unsupportedFlag,
} from './settings.ts';

/** The command line of the controllers. Names and semantics are those of kube-controller-manager. */
export interface ControllersFlags {
  readonly help: boolean;
  readonly kubeconfig: string;
  /** Undefined means the server in the kubeconfig. */
  readonly master?: string;
  readonly controllers: readonly string[];
  /** Undefined means the certificate authority in the kubeconfig. */
  readonly rootCaFile?: string;
  /** Undefined means that Secrets get no tokens. */
  readonly serviceAccountPrivateKeyFile?: string;
  /** The files of the authority that signs certificates. Undefined means that nobody signs them. */
  readonly clusterSigning?: CertificateFiles;
  readonly settings: ControllerSettings;
  readonly leaderElect: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly leaseName: string;
  readonly leaseNamespace: string;
  /** Undefined means no health checks. */
  readonly healthAddress?: BindAddress;
}

/** The output of `controllers --help`. */
export const helpText = `controllers runs the controllers that keep the objects of an API server consistent.

  --kubeconfig FILE                         how to reach the API server (required)
  --master URL                              URL of the API server, instead of the one in the kubeconfig
  --controllers LIST                        '*' all, 'foo' one, '-foo' not this one, '-*' none (*)
  --workload-controllers[=false]            '*' selects those of Deployments, Jobs and other workloads too (false)
  --root-ca-file FILE                       what kube-root-ca.crt contains (the authority in the kubeconfig)
  --service-account-private-key-file FILE   signs the tokens of Secrets; without it they get none
  --cluster-signing-cert-file FILE          certificate of the authority that signs CertificateSigningRequests
  --cluster-signing-key-file FILE           its private key; without both, nobody signs
  --leader-elect[=false]                    only one of several replicas is active (true)
  --leader-elect-lease-duration DURATION    (15s)
  --leader-elect-renew-deadline DURATION    (10s)
  --leader-elect-retry-period DURATION      (2s)
  --leader-elect-resource-name NAME         of the Lease (kube-controller-manager, so that a real one may take over)
  --leader-elect-resource-namespace NAME    of the Lease (kube-system)
  --health-probe-bind-address ADDRESS:PORT  serves /healthz and /readyz over HTTP (none)

How the controllers work, with the names and defaults of kube-controller-manager:

${settingsHelp}

Controllers: ${controllerNames.join(', ')}
`;

const definitions = {
  help: { type: 'boolean', short: 'h', default: false },
  kubeconfig: textFlag(''),
  master: { type: 'string' },
  controllers: { type: 'string', multiple: true },
  'workload-controllers': textFlag('false'),
  'root-ca-file': { type: 'string' },
  'service-account-private-key-file': { type: 'string' },
  'cluster-signing-cert-file': textFlag(''),
  'cluster-signing-key-file': textFlag(''),
  'leader-elect': textFlag('true'),
  'leader-elect-lease-duration': textFlag('15s'),
  'leader-elect-renew-deadline': textFlag('10s'),
  'leader-elect-retry-period': textFlag('2s'),
  'leader-elect-resource-name': textFlag('kube-controller-manager'),
  'leader-elect-resource-namespace': textFlag('kube-system'),
  'health-probe-bind-address': textFlag(''),
} as const;

const switches = ['--leader-elect', '--workload-controllers'];

/** Parses the command line of the controllers. Throws Error with a one-line message for an unknown flag or a bad value. */
export function parseControllersFlags(args: readonly string[]): ControllersFlags {
  const { given, rest } = takeSettings(args);
  const { values } = parseArgs({
    args: withBooleanValues(rest, switches),
    options: definitions,
  });
  const controllers = values.controllers?.flatMap((list) => list.split(',')) ?? ['*'];
  const rootCaFile = values['root-ca-file'];
  const serviceAccountPrivateKeyFile = values['service-account-private-key-file'];
  const flags: ControllersFlags = {
    help: values.help,
    kubeconfig: values.kubeconfig,
    master: values.master,
    controllers: booleanValue('workload-controllers', values['workload-controllers'])
      ? withWorkloadControllers(controllers)
      : controllers,
    rootCaFile,
    serviceAccountPrivateKeyFile,
    ...clusterSigningOf(values['cluster-signing-cert-file'], values['cluster-signing-key-file']),
    settings: parseSettings(given),
    leaderElect: booleanValue('leader-elect', values['leader-elect']),
    leaseDurationMs: durationValue('leader-elect-lease-duration', values['leader-elect-lease-duration']),
    renewDeadlineMs: durationValue('leader-elect-renew-deadline', values['leader-elect-renew-deadline']),
    retryPeriodMs: durationValue('leader-elect-retry-period', values['leader-elect-retry-period']),
    leaseName: values['leader-elect-resource-name'],
    leaseNamespace: values['leader-elect-resource-namespace'],
    healthAddress: healthAddressValue(values['health-probe-bind-address']),
  };
  if (!flags.help) check(flags);
  return flags;
}

/** Takes the flags that say how controllers work out of a command line. Throws Error for one of kube-controller-manager that has no place here. */
function takeSettings(args: readonly string[]): { given: SettingTexts; rest: string[] } {
  const given: SettingTexts = {};
  const rest: string[] = [];
  const words = args.values();
  for (const word of words) {
    const [flag = '', ...value] = word.split('=');
    const name = flagName(flag.replace(/^--/, ''));
    const isFlag = flag.startsWith('--');
    const problem = isFlag ? unsupportedFlag(name) : undefined;
    if (problem !== undefined) throw new Error(problem);
    if (isFlag && isSetting(name)) given[name] = value.length > 0 ? value.join('=') : (words.next().value ?? '');
    else rest.push(isFlag ? [`--${name}`, ...value].join('=') : word);
  }
  return { given, rest };
}

function check(flags: ControllersFlags): void {
  if (flags.kubeconfig === '') throw new Error('--kubeconfig is required');
  if (flags.master !== undefined && !URL.canParse(flags.master))
    throw new Error(`--master: ${JSON.stringify(flags.master)} is not a URL`);
  selectControllers(flags.controllers);
  if (flags.leaseDurationMs <= flags.renewDeadlineMs)
    throw new Error('--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline');
  if (flags.renewDeadlineMs <= 1.2 * flags.retryPeriodMs)
    throw new Error('--leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period');
}

function clusterSigningOf(certFile: string, keyFile: string): Pick<ControllersFlags, 'clusterSigning'> {
  if ((certFile === '') !== (keyFile === ''))
    throw new Error('--cluster-signing-cert-file and --cluster-signing-key-file must be given together');
  return certFile === '' ? {} : { clusterSigning: { certFile, keyFile } };
}
