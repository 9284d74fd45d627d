import type { ControllerName } from './selection.ts';
import type { ControllerSettings, SettingName } from './settings.ts';

/** The queue of a controller. */
interface QueueSettings {
  /** How many keys are worked on at the same time, or the flag that says it. */
  readonly workers: number | SettingName;
  /** How long a key waits that failed for the first time. */
  readonly baseDelayMs?: number;
  /** How long a key waits at most that failed. */
  readonly maxDelayMs?: number;
}

/** As long as client-go lets a key wait unless a controller says otherwise. */
const clientGo = { maxDelayMs: 1_000_000 };

/** The queue of each controller: as in kube-controller-manager 1.36, or faster where only the wait is seen. */
export const queues: Readonly<Record<ControllerName, QueueSettings>> = {
  'certificatesigningrequest-approving-controller': { workers: 5, baseDelayMs: 200, maxDelayMs: 1_000_000 },
  'certificatesigningrequest-cleaner-controller': { workers: 1 },
  'certificatesigningrequest-signing-controller': { workers: 5, baseDelayMs: 200, maxDelayMs: 1_000_000 },
  'clusterrole-aggregation-controller': { workers: 5 },
  'cronjob-controller': { workers: 'concurrent-cron-job-syncs' },
  'daemonset-controller': { workers: 'concurrent-daemonset-syncs', ...clientGo },
  'deployment-controller': { workers: 'concurrent-deployment-syncs', ...clientGo },
  'disruption-controller': { workers: 1 },
  'endpoints-controller': { workers: 'concurrent-endpoint-syncs', ...clientGo },
  'endpointslice-controller': {
    workers: 'concurrent-service-endpoint-syncs',
    baseDelayMs: 1_000,
    maxDelayMs: 1_000_000,
  },
  'endpointslice-mirroring-controller': {
    workers: 'mirroring-concurrent-service-endpoint-syncs',
    baseDelayMs: 1_000,
    maxDelayMs: 100_000,
  },
  'ephemeral-volume-controller': { workers: 'concurrent-ephemeralvolume-syncs', ...clientGo },
  'garbage-collector-controller': { workers: 'concurrent-gc-syncs' },
  'horizontal-pod-autoscaler-controller': { workers: 'concurrent-horizontal-pod-autoscaler-syncs' },
  'job-controller': { workers: 'concurrent-job-syncs', baseDelayMs: 1_000, maxDelayMs: 60_000 },
  'namespace-controller': { workers: 'concurrent-namespace-syncs' },
  'node-lifecycle-controller': { workers: 8 },
  'persistentvolume-attach-detach-controller': { workers: 2, maxDelayMs: 60_000 },
  // One worker: claims that look for a volume at the same time must not find the same.
  'persistentvolume-binder-controller': { workers: 1, ...clientGo },
  'persistentvolume-expander-controller': { workers: 10, ...clientGo },
  'persistentvolume-protection-controller': { workers: 1 },
  'persistentvolumeclaim-protection-controller': { workers: 1 },
  'pod-garbage-collector-controller': { workers: 4 },
  'replicaset-controller': { workers: 'concurrent-replicaset-syncs', ...clientGo },
  'replicationcontroller-controller': { workers: 'concurrent-rc-syncs', ...clientGo },
  'resourcequota-controller': { workers: 'concurrent-resource-quota-syncs', ...clientGo },
  'root-ca-certificate-publisher-controller': { workers: 2 },
  'serviceaccount-controller': { workers: 5 },
  'serviceaccount-token-controller': { workers: 'concurrent-serviceaccount-token-syncs' },
  'statefulset-controller': { workers: 'concurrent-statefulset-syncs', ...clientGo },
  'taint-eviction-controller': { workers: 8 },
  'token-cleaner-controller': { workers: 1 },
  'ttl-after-finished-controller': { workers: 'concurrent-ttl-after-finished-syncs' },
  'ttl-controller': { workers: 5, ...clientGo },
  'volumeattributesclass-protection-controller': { workers: 1 },
};

/** How many keys of a queue a controller works on at the same time. */
export function workersOf(controller: ControllerName, settings: ControllerSettings): number {
  const { workers } = queues[controller];
  return typeof workers === 'number' ? workers : settings[workers];
}
