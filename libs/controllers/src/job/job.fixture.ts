import type { Job, JobSpec, JobStatus } from '@apichain/api/batch/v1';
import type { Pod, PodStatus } from '@apichain/api/core/v1';
import { completionIndexKey } from './indexes.ts';
import { trackingFinalizer } from './job-view.ts';

/** The time of tests, in milliseconds since 1970. */
export const now = Date.parse('2026-01-01T12:00:00Z');

/** A time so many seconds before `now`. */
export const ago = (seconds: number): string => new Date(now - seconds * 1_000).toISOString().replace('.000Z', 'Z');

/** A job with the defaults of the API. */
export const newJob = (spec: JobSpec = {}, status: JobStatus = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'job', namespace: 'default', uid: 'job-uid' },
  spec: { parallelism: 1, completions: 1, backoffLimit: 6, template: { spec: { restartPolicy: 'Never' } }, ...spec },
  status: { startTime: ago(60), uncountedTerminatedPods: {}, ...status },
});

/** The parts of a pod in which tests differ. */
interface PodParts {
  readonly phase?: string;
  readonly index?: number;
  readonly deleted?: boolean;
  readonly tracked?: boolean;
  readonly exitCode?: number;
  readonly endedAgo?: number;
  readonly annotations?: Record<string, string>;
  readonly status?: PodStatus;
}

/** A pod of the job. */
export function newPod(name: string, parts: PodParts = {}): Pod {
  const {
    phase = 'Running',
    index,
    deleted = false,
    tracked = true,
    exitCode,
    endedAgo = 0,
    annotations,
    status,
  } = parts;
  const terminated = { exitCode: exitCode ?? 0, finishedAt: ago(endedAgo) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `${name}-uid`,
      creationTimestamp: ago(60),
      ...(tracked && { finalizers: [trackingFinalizer] }),
      ...(deleted && { deletionTimestamp: ago(0) }),
      annotations: { ...annotations, ...(index !== undefined && { [completionIndexKey]: String(index) }) },
    },
    spec: {},
    status: {
      phase,
      ...(exitCode !== undefined && { containerStatuses: [{ name: 'main', state: { terminated } }] }),
      ...status,
    },
  };
}
