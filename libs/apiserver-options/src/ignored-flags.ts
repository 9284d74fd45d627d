import { errorMessage } from '@apichain/meta';
import { FlagError, type FlagDefinition, type FlagType } from './flag.ts';
import { readNamed } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** Flags of kube-apiserver for features that are not implemented, by the type of their value. */
const names: Readonly<Record<Exclude<FlagType, 'float' | 'ip' | 'namedCertKey'>, readonly string[]>> = {
  bool: [
    'allow-privileged',
    'aggregator-reject-forwarding-redirect',
    'allow-metric-labels-manifest-strict',
    'contention-profiling',
    'enable-aggregator-routing',
    'enable-garbage-collector',
    'enable-logs-handler',
    'permit-address-sharing',
    'permit-port-sharing',
    'service-account-extend-token-expiration',
    'service-account-lookup',
    'emulation-forward-compatible',
    'runtime-config-emulation-forward-compatible',
  ],
  string: [
    'admission-control-config-file',
    'advertise-address',
    'cert-dir',
    'cloud-config',
    'cloud-provider',
    'egress-selector-config-file',
    'endpoint-reconciler-type',
    'external-hostname',
    'kubelet-certificate-authority',
    'kubelet-client-certificate',
    'kubelet-client-key',
    'logging-format',
    'peer-advertise-ip',
    'peer-advertise-port',
    'peer-ca-file',
    'service-account-issuer-key',
    'service-account-jwks-uri',
    'service-account-signing-endpoint',
    'service-account-signing-key-file',
    'service-cluster-ip-range',
    'service-node-port-range',
    'show-hidden-metrics-for-version',
    'storage-backend',
    'storage-media-type',
    'vmodule',
    'allow-metric-labels-manifest',
  ],
  strings: [
    'allow-metric-labels',
    'api-audiences',
    'disable-admission-plugins',
    'disabled-metrics',
    'enable-admission-plugins',
    'kubelet-preferred-address-types',
    'service-account-issuer',
    'service-account-key-file',
    'emulated-version',
    'min-compatibility-version',
  ],
  int: [
    'advertise-port',
    'apiserver-count',
    'default-not-ready-toleration-seconds',
    'default-unreachable-toleration-seconds',
    'default-watch-cache-size',
    'kubelet-port',
    'kubernetes-service-node-port',
    'kubelet-read-only-port',
    'lease-max-object-count',
    'max-connection-bytes-per-sec',
  ],
  duration: [
    'coordinated-leadership-lease-duration',
    'coordinated-leadership-renew-deadline',
    'coordinated-leadership-retry-period',
    'etcd-count-metric-poll-period',
    'etcd-db-metric-poll-interval',
    'kubelet-timeout',
    'log-flush-frequency',
    'service-account-max-token-expiration',
    'storage-initialization-timeout',
  ],
  map: [],
};

const texts: readonly string[] = [
  'log-json-info-buffer-size',
  'log-json-split-stream',
  'log-text-info-buffer-size',
  'log-text-split-stream',
];

/** All ignored flags, which are accepted with a warning; `except` are those that the service defines itself. */
export function ignoredFlags(except: readonly FlagDefinition[]): readonly FlagDefinition[] {
  const defined = new Set(except.map(({ name }) => name));
  const typed = Object.entries(names).flatMap(([type, list]) => list.map((name) => ({ name, type: flagType(type) })));
  return [...typed, ...texts.map((name) => ({ name, type: 'string' as const }))]
    .filter(({ name }) => !defined.has(name))
    .map(({ name, type }) => ({ name, type, ignored: true, section: 'Misc', usage: 'Accepted for compatibility.' }));
}

/**
 * The flags of a Go extension API server that have no effect here: RecommendedOptions of k8s.io/apiserver/pkg/server/options 1.36, and versions and
 * logs of k8s.io/component-base.
 */
const namesOfExtensionServers: ReadonlySet<string> = new Set([
  'contention-profiling',
  'default-watch-cache-size',
  'egress-selector-config-file',
  'emulated-version',
  'enable-garbage-collector',
  'etcd-count-metric-poll-period',
  'etcd-db-metric-poll-interval',
  'log-flush-frequency',
  'logging-format',
  'min-compatibility-version',
  'permit-address-sharing',
  'permit-port-sharing',
  'storage-backend',
  'storage-media-type',
  'vmodule',
  ...texts,
]);

/** The ignored flags of an extension API server, which are accepted with a warning. `checkIgnoredFlagsOfExtensionServer` checks their values. */
export const ignoredFlagsOfExtensionServers = (): readonly FlagDefinition[] =>
  ignoredFlags([]).filter(({ name }) => namesOfExtensionServers.has(name));

const flagTypes: readonly FlagType[] = ['string', 'strings', 'bool', 'int', 'duration', 'map'];
const flagType = (text: string): FlagType => flagTypes.find((type) => type === text) ?? 'string';

const logFormats: readonly string[] = ['', 'text', 'json'];
const storageBackends: readonly string[] = ['', 'etcd3'];

const seconds = 1_000;

/** Sources: validation.go of pkg/controlplane/apiserver/options and of cmd/kube-apiserver/app/options of kubernetes 1.36. */
function wrongAnyhow(flags: ParsedFlags): readonly (readonly [isWrong: boolean, complaint: string])[] {
  const duration = (name: string, unset: number) => (flags.isSet(name) ? flags.duration(name) : unset);
  const leadership = '--coordinated-leadership';
  const lease = duration('coordinated-leadership-lease-duration', 15 * seconds);
  const renewal = duration('coordinated-leadership-renew-deadline', 10 * seconds);
  const retry = duration('coordinated-leadership-retry-period', 2 * seconds);
  const servers = flags.number('apiserver-count');
  return [
    [
      flags.duration('storage-initialization-timeout') < 0,
      '--storage-initialization-timeout can not be negative value',
    ],
    [
      flags.isSet('apiserver-count') && servers <= 0,
      `--apiserver-count should be a positive number, but value '${servers}' provided`,
    ],
    [lease <= renewal, `${leadership}-lease-duration must be greater than ${leadership}-renew-deadline`],
    [renewal <= retry, `${leadership}-renew-deadline must be greater than ${leadership}-retry-period`],
  ];
}

/** Throws FlagError, with the text of kube-apiserver, for a value that kube-apiserver would refuse. */
export function checkIgnoredFlags(flags: ParsedFlags): void {
  checkCommonFlags(flags);
  for (const [isWrong, complaint] of wrongAnyhow(flags)) if (isWrong) throw new FlagError(complaint);
  const egress = given(flags, 'egress-selector-config-file');
  if (egress === '') return;
  try {
    readNamed(egress);
  } catch (error) {
    const why = `unable to read egress selector configuration from ${JSON.stringify(egress)} [${errorMessage(error)}]`;
    throw new FlagError(`failed to read egress selector config: ${why}`);
  }
}

/**
 * Throws FlagError for a value that a Go extension API server would refuse, and for an egress selector: whoever configures one relies on
 * connections through it, and the server makes them directly.
 */
export function checkIgnoredFlagsOfExtensionServer(flags: ParsedFlags): void {
  checkCommonFlags(flags);
  if (given(flags, 'egress-selector-config-file') !== '')
    throw new FlagError(
      '--egress-selector-config-file is not supported: this server connects to the core API, etcd and webhooks directly',
    );
}

const given = (flags: ParsedFlags, name: string): string => (flags.isSet(name) ? flags.string(name) : '');

function checkCommonFlags(flags: ParsedFlags): void {
  if (!storageBackends.includes(given(flags, 'storage-backend')))
    throw new FlagError(
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    );
  const format = given(flags, 'logging-format');
  if (!logFormats.includes(format))
    throw new FlagError(`format: Invalid value: ${JSON.stringify(format)}: Unsupported log format`);
}
