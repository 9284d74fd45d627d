import { findCondition, integer, type KubeObject } from '@apichain/meta';

/** How far a workload has come: done, not yet (with what is missing), or never (with the reason). */
export type Progress =
  | { readonly state: 'ready' }
  | { readonly state: 'waiting'; readonly why: string }
  | { readonly state: 'failed'; readonly why: string };

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The fields by which a workload says how far it has come. */
interface Workload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly completions?: number;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
  };
  readonly status?: Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] };
}

const ready: Progress = { state: 'ready' };
const waiting = (why: string): Progress => ({ state: 'waiting', why });
const failed = (why: string): Progress => ({ state: 'failed', why });

const isTrue = (workload: Workload, type: string) =>
  findCondition(workload.status?.conditions, type)?.status === 'True';
const reasonOf = (workload: Workload, type: string) => {
  const { reason = type, message = '' } = findCondition(workload.status?.conditions, type) ?? {};
  return message === '' ? reason : `${reason}: ${message}`;
};
const word = (workload: Workload, field: string) => workload.status?.[field] as string | undefined;
const counted = (workload: Workload, field: string) => integer(workload.status?.[field] as number | undefined);
const wanted = ({ spec }: Workload) => spec?.replicas ?? 1;

const replicas =
  (...fields: readonly string[]) =>
  (workload: Workload): Progress => {
    const behind = fields.find((field) => counted(workload, field) < wanted(workload));
    if (behind !== undefined) return waiting(`${behind} is ${counted(workload, behind)} of ${wanted(workload)}`);
    const surplus = counted(workload, 'replicas') - wanted(workload);
    return surplus > 0 ? waiting(`${surplus} old replicas are still there`) : ready;
  };

function deployment(workload: Workload): Progress {
  if (findCondition(workload.status?.conditions, 'Progressing')?.reason === 'ProgressDeadlineExceeded')
    return failed(reasonOf(workload, 'Progressing'));
  return replicas('updatedReplicas', 'availableReplicas')(workload);
}

/** As `kubectl rollout status`: with a partition, the pods of the new revision are those from the partition on. */
function statefulSet(workload: Workload): Progress {
  const { type = 'RollingUpdate', rollingUpdate } = workload.spec?.updateStrategy ?? {};
  if (counted(workload, 'readyReplicas') < wanted(workload))
    return waiting(`readyReplicas is ${counted(workload, 'readyReplicas')} of ${wanted(workload)}`);
  if (counted(workload, 'replicas') > wanted(workload)) return waiting('old replicas are still there');
  if (type !== 'RollingUpdate') return ready;
  const updated = Math.max(0, wanted(workload) - (rollingUpdate?.partition ?? 0));
  const isUpdated = workload.status?.['updateRevision'] === workload.status?.['currentRevision'];
  if (isUpdated || counted(workload, 'updatedReplicas') >= updated) return ready;
  return waiting(`updatedReplicas is ${counted(workload, 'updatedReplicas')} of ${updated}`);
}

function daemonSet(workload: Workload): Progress {
  const desired = counted(workload, 'desiredNumberScheduled');
  const behind = ['updatedNumberScheduled', 'numberAvailable'].find((field) => counted(workload, field) < desired);
  return behind === undefined ? ready : waiting(`${behind} is ${counted(workload, behind)} of ${desired}`);
}

function job(workload: Workload): Progress {
  if (isTrue(workload, 'Complete')) return ready;
  if (isTrue(workload, 'Failed')) return failed(reasonOf(workload, 'Failed'));
  return waiting(`${counted(workload, 'succeeded')} of ${workload.spec?.completions ?? 1} pods have succeeded`);
}

function pod(workload: Workload): Progress {
  const phase = word(workload, 'phase') ?? 'Pending';
  if (isTrue(workload, 'Ready') || phase === 'Succeeded') return ready;
  if (phase === 'Failed') return failed(`the pod has failed (${word(workload, 'reason') ?? 'exit code'})`);
  const type = ['PodScheduled', 'ContainersReady', 'Ready'].find((each) => !isTrue(workload, each)) ?? 'Ready';
  return waiting(`phase ${phase}, ${reasonOf(workload, type)}`);
}

/** Of other kinds, one of these conditions says that an object is ready. */
const readyConditions = ['Ready', 'Available', 'Established'];

function other(workload: Workload): Progress {
  if (readyConditions.some((type) => isTrue(workload, type))) return ready;
  const type = readyConditions.find((each) => findCondition(workload.status?.conditions, each) !== undefined);
  return waiting(type === undefined ? 'it has no condition Ready or Available' : reasonOf(workload, type));
}

const kinds: Readonly<Record<string, (workload: Workload) => Progress>> = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  ReplicaSet: replicas('readyReplicas'),
  ReplicationController: replicas('readyReplicas'),
  Job: job,
  Pod: pod,
};

/** How far a workload has come, as `kubectl rollout status` and `kubectl wait` see it. */
export function progressOf(object: KubeObject): Progress {
  const workload: Workload = object;
  const { metadata, kind, status } = workload;
  const observed = status?.['observedGeneration'];
  if (typeof observed === 'number' && observed < (metadata.generation ?? 0))
    return waiting('its controller has not seen the last change');
  return (kinds[kind] ?? other)(workload);
}
