import type { FlagDefinition, FlagType } from './flag.ts';

/** The servers of the chain. */
export type ChainServer = 'aggregator' | 'kube-core' | 'apiextensions';

const nowhere: readonly ChainServer[] = [];
const core: readonly ChainServer[] = ['kube-core'];
const first: readonly ChainServer[] = ['aggregator'];
const published: readonly ChainServer[] = ['aggregator', 'kube-core'];

/**
 * The flags of kube-apiserver that not every server of the chain has: the type of the value, and the servers in which the flag has an effect.
 * Each server accepts the others with a warning, so that one command line fits all. A test compares the table with the flags of the servers.
 */
const otherFlags: Readonly<Record<string, readonly [type: FlagType, effectIn: readonly ChainServer[]]>> = {
  'advertise-address': ['ip', published],
  'advertise-port': ['int', published],
  'aggregator-reject-forwarding-redirect': ['bool', first],
  'allow-metric-labels': ['strings', nowhere],
  'allow-metric-labels-manifest': ['string', nowhere],
  'allow-metric-labels-manifest-strict': ['bool', nowhere],
  'allow-privileged': ['bool', core],
  'apiserver-count': ['int', nowhere],
  'cert-dir': ['string', nowhere],
  'cloud-config': ['string', nowhere],
  'cloud-provider': ['string', nowhere],
  'contention-profiling': ['bool', nowhere],
  'coordinated-leadership-lease-duration': ['duration', nowhere],
  'coordinated-leadership-renew-deadline': ['duration', nowhere],
  'coordinated-leadership-retry-period': ['duration', nowhere],
  'default-not-ready-toleration-seconds': ['int', core],
  'default-unreachable-toleration-seconds': ['int', core],
  'default-watch-cache-size': ['int', nowhere],
  'disabled-metrics': ['strings', nowhere],
  'egress-selector-config-file': ['string', nowhere],
  'emulated-version': ['strings', nowhere],
  'emulation-forward-compatible': ['bool', nowhere],
  'enable-garbage-collector': ['bool', nowhere],
  'enable-logs-handler': ['bool', nowhere],
  'endpoint-reconciler-type': ['string', published],
  'etcd-count-metric-poll-period': ['duration', nowhere],
  'etcd-db-metric-poll-interval': ['duration', nowhere],
  'external-hostname': ['string', nowhere],
  'kubelet-certificate-authority': ['string', core],
  'kubelet-client-certificate': ['string', core],
  'kubelet-client-key': ['string', core],
  'kubelet-port': ['int', core],
  'kubelet-preferred-address-types': ['strings', core],
  'kubelet-read-only-port': ['int', nowhere],
  'kubelet-timeout': ['duration', nowhere],
  'kubernetes-service-node-port': ['int', core],
  'lease-max-object-count': ['int', nowhere],
  'log-flush-frequency': ['duration', nowhere],
  'log-json-info-buffer-size': ['string', nowhere],
  'log-json-split-stream': ['string', nowhere],
  'log-text-info-buffer-size': ['string', nowhere],
  'log-text-split-stream': ['string', nowhere],
  'logging-format': ['string', nowhere],
  'max-connection-bytes-per-sec': ['int', nowhere],
  'min-compatibility-version': ['strings', nowhere],
  'peer-advertise-ip': ['string', nowhere],
  'peer-advertise-port': ['string', nowhere],
  'peer-ca-file': ['string', nowhere],
  'permit-address-sharing': ['bool', nowhere],
  'permit-port-sharing': ['bool', nowhere],
  'runtime-config-emulation-forward-compatible': ['bool', nowhere],
  'service-account-extend-token-expiration': ['bool', core],
  'service-account-issuer-key': ['string', nowhere],
  'service-account-jwks-uri': ['string', core],
  'service-account-max-token-expiration': ['duration', core],
  'service-account-signing-endpoint': ['string', nowhere],
  'service-account-signing-key-file': ['string', core],
  'service-cluster-ip-range': ['string', core],
  'service-node-port-range': ['string', core],
  'show-hidden-metrics-for-version': ['string', nowhere],
  'storage-backend': ['string', nowhere],
  'storage-initialization-timeout': ['duration', nowhere],
  'storage-media-type': ['string', core],
  vmodule: ['string', nowhere],
};

/** The other flags of kube-apiserver: those of the table that are not among `own`. */
export function flagsOfOthers(own: readonly FlagDefinition[]): readonly FlagDefinition[] {
  const defined = new Set(own.map(({ name }) => name));
  return Object.entries(otherFlags)
    .filter(([name]) => !defined.has(name))
    .map(([name, [type, effectIn]]) => accepted(name, type, effectIn));
}

/**
 * The flags of a Go extension API server that have no effect here: RecommendedOptions of k8s.io/apiserver/pkg/server/options 1.36, and versions and
 * logs of k8s.io/component-base.
 */
const ofGoExtensionServers: readonly string[] = [
  'contention-profiling',
  'default-watch-cache-size',
  'egress-selector-config-file',
  'emulated-version',
  'enable-garbage-collector',
  'etcd-count-metric-poll-period',
  'etcd-db-metric-poll-interval',
  'log-flush-frequency',
  'log-json-info-buffer-size',
  'log-json-split-stream',
  'log-text-info-buffer-size',
  'log-text-split-stream',
  'logging-format',
  'min-compatibility-version',
  'permit-address-sharing',
  'permit-port-sharing',
  'storage-backend',
  'storage-media-type',
  'vmodule',
];

/** The flags that an extension API server accepts with a warning. `checkFlagsWithoutEffectOfExtensionServer` checks their values. */
export const flagsOfGoExtensionServers = (): readonly FlagDefinition[] =>
  ofGoExtensionServers.map((name) => accepted(name, otherFlags[name]?.[0] ?? 'string', nowhere));

const accepted = (name: string, type: FlagType, effectIn: readonly ChainServer[]): FlagDefinition => ({
  name,
  type,
  effectIn,
  section: 'Misc',
  usage: 'Accepted for compatibility.',
});
