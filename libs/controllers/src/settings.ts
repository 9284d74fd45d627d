import { parseDurationMs } from '@apichain/go-text';

/** A flag of kube-controller-manager that says how controllers work. */
interface Setting {
  /** `count` is a whole number, `share` any number; a duration is kept in milliseconds. */
  readonly type: 'count' | 'share' | 'duration';
  /** As on the command line. */
  readonly default: string;
  readonly least?: number;
  readonly most?: number;
  readonly help: string;
}

/** More workers than this would wait for nothing but each other. */
const mostWorkers = 10_000;
const workers = (count: number, help: string, most = mostWorkers) =>
  ({ type: 'count', default: String(count), least: 1, most, help: `${help} processed at once` }) as const;
const duration = (text: string, help: string, least = 1) => ({ type: 'duration', default: text, least, help }) as const;
const share = (value: number, help: string) => ({ type: 'share', default: String(value), least: 0, help }) as const;

/** The flags with the defaults of kube-controller-manager 1.36. */
export const settings = {
  'concurrent-cron-job-syncs': workers(5, 'CronJobs'),
  'concurrent-daemonset-syncs': workers(2, 'DaemonSets'),
  'concurrent-deployment-syncs': workers(5, 'Deployments'),
  'concurrent-endpoint-syncs': workers(5, 'Services whose Endpoints are'),
  'concurrent-ephemeralvolume-syncs': workers(5, 'pods with ephemeral volumes'),
  'concurrent-gc-syncs': workers(20, 'objects of the garbage collector'),
  'concurrent-horizontal-pod-autoscaler-syncs': workers(5, 'autoscalers'),
  'concurrent-job-syncs': workers(5, 'Jobs'),
  'concurrent-namespace-syncs': workers(10, 'namespaces'),
  'concurrent-rc-syncs': workers(5, 'ReplicationControllers'),
  'concurrent-replicaset-syncs': workers(5, 'ReplicaSets'),
  'concurrent-resource-quota-syncs': workers(5, 'quotas'),
  'concurrent-service-endpoint-syncs': workers(5, 'Services whose EndpointSlices are', 50),
  'concurrent-serviceaccount-token-syncs': workers(5, 'Secrets with tokens'),
  'concurrent-statefulset-syncs': workers(5, 'StatefulSets'),
  'concurrent-ttl-after-finished-syncs': workers(5, 'finished Jobs'),
  'mirroring-concurrent-service-endpoint-syncs': workers(5, 'Endpoints to be mirrored', 50),
  'cluster-signing-duration': duration('8760h0m0s', 'how long signed certificates live at most'),
  'horizontal-pod-autoscaler-cpu-initialization-period': duration('5m0s', 'how long pods use processors to start', 0),
  'horizontal-pod-autoscaler-downscale-stabilization': duration('5m0s', 'how long a higher recommendation counts', 0),
  'horizontal-pod-autoscaler-initial-readiness-delay': duration('30s', 'how long pods take to become ready', 0),
  'horizontal-pod-autoscaler-sync-period': duration('15s', 'between two looks at an autoscaler'),
  'horizontal-pod-autoscaler-tolerance': share(0.1, 'how much metrics may differ from their targets'),
  'large-cluster-size-threshold': { type: 'count', default: '50', least: 0, help: 'nodes of a large zone' },
  'node-eviction-rate': share(0.1, 'nodes a second whose pods are evicted'),
  'node-monitor-grace-period': duration('50s', 'after which a silent node is not ready'),
  'node-startup-grace-period': duration('1m0s', 'the same for a node that starts'),
  'pvclaimbinder-sync-period': duration('15s', 'between two looks at a claim that waits'),
  'resource-quota-sync-period': duration('5m0s', 'between two counts of everything'),
  'secondary-node-eviction-rate': share(0.01, 'the same rate in a large zone with problems'),
  'terminated-pod-gc-threshold': { type: 'count', default: '12500', help: 'how many ended pods are kept; 0: all' },
  'unhealthy-zone-threshold': share(0.55, 'share of nodes not ready with which a zone has problems'),
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a flag that says how controllers work. */
export type SettingName = keyof typeof settings;

/** A value for each flag: a number, or milliseconds. */
export type ControllerSettings = Readonly<Record<SettingName, number>>;

const placeholders = { count: 'N', share: 'SHARE', duration: 'DURATION' } as const;

/** The flags, one a line, for the help of a program. */
export const settingsHelp = Object.entries(settings)
  .map(([name, setting]) => {
    const flag = `  --${name} ${placeholders[setting.type]}`;
    return `${flag.padEnd(64)}  ${setting.help} (${setting.default})`;
  })
  .join('\n');

/** Flags as they are given. */
export type SettingTexts = Partial<Record<SettingName, string>>;

/** Why flags of kube-controller-manager have no place here. */
const unsupported: Readonly<Record<string, readonly string[]>> = {
  'controllers react to changes, so nothing is looked at again from time to time': [
    ...['namespace-sync-period', 'min-resync-period', 'node-monitor-period', 'attach-detach-reconcile-sync-period'],
    ...['disable-attach-detach-reconcile-sync', 'endpoint-updates-batch-period', 'endpointslice-updates-batch-period'],
    'mirroring-endpointslice-updates-batch-period',
  ],
  'one authority signs for all signers, that of --cluster-signing-cert-file': [
    ...['kubelet-serving', 'kubelet-client', 'kube-apiserver-client', 'legacy-unknown'].flatMap((signer) => [
      `cluster-signing-${signer}-cert-file`,
      `cluster-signing-${signer}-key-file`,
    ]),
  ],
  'there are no volumes but those of drivers and of the simulated provisioner': [
    ...['enable-dynamic-provisioning', 'enable-hostpath-provisioner', 'flex-volume-plugin-dir'],
    ...['pv-recycler-increment-timeout-nfs', 'pv-recycler-minimum-timeout-hostpath', 'pv-recycler-minimum-timeout-nfs'],
    ...['pv-recycler-pod-template-filepath-hostpath', 'pv-recycler-pod-template-filepath-nfs'],
    ...['pv-recycler-timeout-increment-hostpath', 'disable-force-detach-on-timeout'],
  ],
  'the division of endpoints is fixed: 100 in a slice, 1000 mirrored for a subset': [
    ...['max-endpoints-per-slice', 'mirroring-max-endpoints-per-subset'],
  ],
  'there is no network to configure': [
    ...['allocate-node-cidrs', 'cidr-allocator-type', 'cloud-config', 'cloud-provider', 'cluster-cidr', 'cluster-name'],
    ...['configure-cloud-routes', 'node-cidr-mask-size', 'node-cidr-mask-size-ipv4', 'node-cidr-mask-size-ipv6'],
    ...['route-reconciliation-period', 'service-cluster-ip-range', 'external-cloud-volume-plugin'],
  ],
  'the controller does not run here': [
    ...['concurrent-device-taint-eviction-syncs', 'concurrent-resourceclaim-syncs', 'concurrent-service-syncs'],
    ...['concurrent-validating-admission-policy-status-syncs', 'legacy-service-account-token-clean-up-period'],
  ],
  'select controllers with --controllers': ['enable-garbage-collector'],
  'all controllers are one client, that of --kubeconfig': [
    ...['use-service-account-credentials', 'kube-api-burst', 'kube-api-content-type', 'kube-api-qps'],
  ],
};

const reasons = new Map(Object.entries(unsupported).flatMap(([reason, names]) => names.map((name) => [name, reason])));

/** As kube-controller-manager reads it: words may also be separated by underscores. */
export const flagName = (name: string): string => name.replaceAll('_', '-');

/** Whether a flag says how controllers work. */
export const isSetting = (name: string): name is SettingName => Object.hasOwn(settings, name);

/** Why a flag of kube-controller-manager is refused: a line that names it. Undefined for all other names. */
export function unsupportedFlag(name: string): string | undefined {
  const reason = reasons.get(name);
  return reason === undefined ? undefined : `--${name} is not supported: ${reason}`;
}

/** The settings that flags say, and the defaults of the others. Throws Error with one line for a bad value. */
export function parseSettings(given: Readonly<SettingTexts> = {}): ControllerSettings {
  const names = Object.keys(settings).filter(isSetting);
  const values = names.map((name) => [name, valueOf(name, given[name] ?? settings[name].default)] as const);
  return Object.fromEntries(values) as Record<SettingName, number>;
}

function valueOf(name: SettingName, text: string): number {
  const { type, least = -Infinity, most = Infinity }: Setting = settings[name];
  const value = type === 'duration' ? durationOf(text) : text.trim() === '' ? NaN : Number(text);
  const isValid = Number.isFinite(value) && (type !== 'count' || Number.isSafeInteger(value));
  if (isValid && value >= least && value <= most) return value;
  const wanted =
    type === 'duration'
      ? `a duration such as 15s${least > 0 ? ', longer than 0' : ''}`
      : `a ${type === 'count' ? 'whole number' : 'number'}${rangeText(least, most)}`;
  throw new Error(`--${name}: ${JSON.stringify(text)} is not ${wanted}`);
}

function rangeText(least: number, most: number): string {
  if (most < Infinity) return ` (${least}-${most})`;
  return least > -Infinity ? `, at least ${least}` : '';
}

function durationOf(text: string): number {
  try {
    return parseDurationMs(text);
  } catch {
    return NaN;
  }
}
