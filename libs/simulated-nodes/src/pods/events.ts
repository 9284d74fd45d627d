import type { Pod } from '@apichain/api/core/v1';
import { formatDuration, goQuote } from '@apichain/go-text';
import { intentionsOf } from './annotations.ts';
import { containersOf, type ContainerView } from './containers.ts';

/** An event about a pod, or about a container of it. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The part of the pod, `spec.containers{main}`. */
  readonly fieldPath?: string;
}

const fields = {
  init: 'initContainers',
  sidecar: 'initContainers',
  regular: 'containers',
  ephemeral: 'ephemeralContainers',
};

/** An event about a container, as a part of its pod. */
export const containerEvent = (
  { role, name }: ContainerView,
  type: PodEvent['type'],
  reason: string,
  message: string,
): PodEvent => ({ type, reason, message, fieldPath: `spec.${fields[role]}{${name}}` });

/** Tells that a container is stopped. */
export const killingEvent = (container: ContainerView, message = `Stopping container ${container.name}`): PodEvent =>
  containerEvent(container, 'Normal', 'Killing', message);

/** Tells that a container has started, after its image was pulled for so long. */
export function startEvents(container: ContainerView, pullMs: number): PodEvent[] {
  const { spec, intention } = container;
  const { image = '', imagePullPolicy, readinessProbe } = spec;
  const normal = (reason: string, message: string) => containerEvent(container, 'Normal', reason, message);
  const quoted = goQuote(image);
  const took = formatDuration(BigInt(Math.round(pullMs)) * 1_000_000n);
  const pulled =
    imagePullPolicy === 'Always' || pullMs > 0
      ? [
          normal('Pulling', `Pulling image ${quoted}`),
          normal(
            'Pulled',
            `Successfully pulled image ${quoted} in ${took} (${took} including waiting). Image size: 0 bytes.`,
          ),
        ]
      : [normal('Pulled', `Container image ${quoted} already present on machine and can be accessed by the pod`)];
  const isUnready = readinessProbe !== undefined && intention.ready !== undefined && intention.ready !== 0;
  const probed = isUnready
    ? [
        containerEvent(
          container,
          'Warning',
          'Unhealthy',
          'Readiness probe failed: the annotation ready of the pod says so',
        ),
      ]
    : [];
  return [...pulled, normal('Created', 'Container created'), normal('Started', 'Container started'), ...probed];
}

/** Tells that an image cannot be pulled, or that the next attempt waits. */
export function pullFailureEvents(
  container: ContainerView,
  reason: 'ErrImagePull' | 'ImagePullBackOff',
  failure: string,
): PodEvent[] {
  const quoted = goQuote(container.spec.image ?? '');
  const failed = (message: string) => containerEvent(container, 'Warning', 'Failed', message);
  if (reason === 'ImagePullBackOff')
    return [
      containerEvent(container, 'Normal', 'BackOff', `Back-off pulling image ${quoted}`),
      failed('Error: ImagePullBackOff'),
    ];
  return [
    containerEvent(container, 'Normal', 'Pulling', `Pulling image ${quoted}`),
    failed(`Failed to pull image ${quoted}: ${failure}`),
    failed('Error: ErrImagePull'),
  ];
}

/**
 * Reports that a kubelet stops the containers of a pod, when it begins to: the pod is being deleted, or it exists no longer, because a grace period of 0
 * waits for no kubelet. After killContainer of pkg/kubelet/kuberuntime.
 */
export class StoppedPods {
  readonly #reported = new Set<string>();

  /** The events about a pod that has changed. */
  changed(pod: Pod): PodEvent[] {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp === undefined || this.#reported.has(uid)) return [];
    const events = stopsOf(pod);
    if (events.length > 0) this.#reported.add(uid);
    return events;
  }

  /** The events about a pod that is gone, as it was at last. */
  removed(pod: Pod): PodEvent[] {
    const { uid = '' } = pod.metadata;
    return this.#reported.delete(uid) ? [] : stopsOf(pod);
  }
}

const stopsOf = (pod: Pod): PodEvent[] =>
  containersOf({ pod, intentions: intentionsOf(pod) })
    .filter(({ status: { state } }) => state?.running !== undefined)
    .map((container) => killingEvent(container));
