import type { Mood } from '../parts/parts.tsx';
import {
  conditionsOf,
  controllerUidOf,
  count,
  fields,
  isTrue,
  text,
  type Condition,
  type Fields,
  type StoredObject,
} from '../api/stored-object.ts';

/** What the page shows of an object that owns pods, or of a ReplicaSet of a Deployment. */
export interface Workload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly controllerUid: string;
  readonly desired: number;
  /** Pods of the newest revision. */
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  /** Pods of all revisions. */
  readonly current: number;
  readonly revision: string;
  readonly rollout: Rollout;
  readonly conditions: readonly ShownCondition[];
  readonly created: string | undefined;
}

/** How far a rollout is, in words, and how good that is. */
export interface Rollout {
  readonly text: string;
  readonly mood: Mood;
}

export interface ShownCondition extends Condition {
  readonly mood: Mood;
}

interface Counts {
  readonly desired: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  readonly current: number;
}

/** How a kind says what is wanted and what is there, and when its rollout is complete. */
interface Reader {
  readonly kind: string;
  readonly counts: (spec: Fields, status: Fields) => Counts;
  readonly revision: (object: StoredObject) => string;
  /** Undefined when nothing is left to do. It is asked when the controller has seen the newest spec and no condition speaks of a failure. */
  readonly remaining: (counts: Counts, spec: Fields, status: Fields) => string | undefined;
}

const revisionAnnotation = 'deployment.kubernetes.io/revision';
const annotated = ({ metadata }: StoredObject): string => metadata.annotations?.[revisionAnnotation] ?? '';

const replicas = (spec: Fields, status: Fields): Counts => ({
  desired: count(spec['replicas'], 1),
  updated: count(status['updatedReplicas']),
  ready: count(status['readyReplicas']),
  available: count(status['availableReplicas']),
  current: count(status['replicas']),
});

const notUpdated = ({ updated, desired }: Counts): string | undefined =>
  updated < desired ? `${updated} of ${desired} updated` : undefined;
const notAvailable = (available: number, of: number): string | undefined =>
  available < of ? `${available} of ${of} available` : undefined;
const isOnDelete = (spec: Fields): boolean => fields(spec['updateStrategy'])['type'] === 'OnDelete';

/** By resource. When a rollout is complete is decided as by `kubectl rollout status`: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go */
const readers = {
  deployments: {
    kind: 'Deployment',
    counts: replicas,
    revision: annotated,
    remaining: (counts, spec) => {
      const { current, updated, available } = counts;
      if (spec['paused'] === true && updated < counts.desired) return 'paused';
      const old = current - updated;
      return notUpdated(counts) ?? (old > 0 ? `${old} old to end` : notAvailable(available, updated));
    },
  },
  replicasets: {
    kind: 'ReplicaSet',
    counts: (spec, status) => ({ ...replicas(spec, status), updated: count(status['replicas']) }),
    revision: annotated,
    remaining: (counts) =>
      counts.current > counts.desired
        ? `${counts.current - counts.desired} to end`
        : notAvailable(counts.available, counts.desired),
  },
  statefulsets: {
    kind: 'StatefulSet',
    counts: replicas,
    revision: ({ status = {} }) => text(status['updateRevision']),
    remaining: (counts, spec, status) => {
      const { partition } = fields(fields(spec['updateStrategy'])['rollingUpdate']);
      const wanted = Math.max(0, counts.desired - count(partition));
      const isOld = status['updateRevision'] !== status['currentRevision'] && !isOnDelete(spec);
      const left = isOld ? notUpdated({ ...counts, desired: wanted }) : undefined;
      return left ?? notAvailable(counts.available, counts.desired);
    },
  },
  daemonsets: {
    kind: 'DaemonSet',
    counts: (_spec, status) => ({
      desired: count(status['desiredNumberScheduled']),
      updated: count(status['updatedNumberScheduled']),
      ready: count(status['numberReady']),
      available: count(status['numberAvailable']),
      current: count(status['currentNumberScheduled']),
    }),
    revision: ({ metadata }) => String(metadata.generation ?? ''),
    remaining: (counts, spec) =>
      (isOnDelete(spec) ? undefined : notUpdated(counts)) ?? notAvailable(counts.available, counts.desired),
  },
  jobs: {
    kind: 'Job',
    counts: (spec, status) => {
      const [active, succeeded, ready] = [count(status['active']), count(status['succeeded']), count(status['ready'])];
      const desired = count(spec['completions'], count(spec['parallelism'], 1));
      return { desired, updated: active + succeeded, ready, available: succeeded, current: active };
    },
    revision: () => '',
    remaining: ({ desired, available }, spec, status) => {
      if (spec['suspend'] === true) return 'suspended';
      const failed = count(status['failed']);
      return `${available} of ${desired} completed${failed === 0 ? '' : `, ${failed} failed`}`;
    },
  },
} as const satisfies Readonly<Record<string, Reader>>;

/** The resources whose objects are workloads. */
export type WorkloadResource = keyof typeof readers;

export function workloadOf(resource: WorkloadResource, object: StoredObject): Workload {
  const reader: Reader = readers[resource];
  const { metadata, spec = {}, status = {} } = object;
  const counts = reader.counts(spec, status);
  const conditions = conditionsOf(status).map((condition) => ({ ...condition, mood: moodOfCondition(condition) }));
  return {
    ...{ kind: reader.kind, namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' },
    ...{ ...counts, conditions, controllerUid: controllerUidOf(metadata), revision: reader.revision(object) },
    rollout: rolloutOf(reader, object, counts, conditions),
    created: metadata.creationTimestamp,
  };
}

const failing: ReadonlySet<string> = new Set(['ReplicaFailure', 'Failed', 'FailureTarget']);

/** Conditions of workloads are good when they are true, except those that name a failure. That of a paused Deployment is unknown. */
function moodOfCondition({ type, status }: Condition): Mood {
  if (type === 'Suspended' || status === 'Unknown') return 'plain';
  if (failing.has(type) && status !== 'True') return 'plain';
  if (status === 'True') return failing.has(type) ? 'bad' : 'good';
  return type === 'Available' ? 'warn' : 'bad';
}

function rolloutOf(
  reader: Reader,
  object: StoredObject,
  counts: Counts,
  conditions: readonly ShownCondition[],
): Rollout {
  const { metadata, spec = {}, status = {} } = object;
  if (metadata.deletionTimestamp !== undefined) return { text: 'terminating', mood: 'warn' };
  const failure = conditions.find(({ mood }) => mood === 'bad');
  if (failure !== undefined) return { text: failure.reason || failure.type, mood: 'bad' };
  if (isTrue(conditions, 'Complete')) return { text: 'complete', mood: 'good' };
  if (reader.kind !== 'Job' && count(status['observedGeneration']) < (metadata.generation ?? 0))
    return { text: 'not yet seen by its controller', mood: 'warn' };
  const remaining = reader.remaining(counts, spec, status);
  if (remaining === undefined) return { text: 'complete', mood: 'good' };
  return { text: remaining, mood: remaining === 'suspended' || remaining === 'paused' ? 'plain' : 'warn' };
}
