import type { Node, Pod } from '@apichain/api/core/v1';
import { errorMessage } from '@apichain/meta';
import {
  type AdmissionFailure,
  admissionFailures,
  NodeInfo,
  PodInfo,
  type Shortage,
} from '@apichain/scheduler/admission-check';
import { isTerminal } from './phase.ts';
import { isCritical, victimsFor } from './preemption.ts';
import type { Rejection } from './situation.ts';

/** The pods that the kubelet of one node has admitted and that have not ended, with the sum of what they take of the node. */
export class PodAdmission {
  readonly #admitted = new NodeInfo();
  /** The pods that make room for a critical one and have not ended yet. */
  readonly #preempted = new Set<string>();
  readonly #onPreempt: (pod: Pod) => void;

  /** `onPreempt` is called for each pod that makes room for a critical one. */
  constructor(node: Node, onPreempt: (pod: Pod) => void = () => undefined) {
    this.#onPreempt = onPreempt;
    this.setNode(node);
  }

  isPreempted(uid: string): boolean {
    return this.#preempted.has(uid);
  }

  setNode(node: Node): void {
    this.#admitted.setNode(node);
  }

  /** Admits a pod, which counts from now on, or says why it is rejected. After canAdmitPod of pkg/kubelet/allocation. */
  admit(pod: Pod): Rejection | undefined {
    const { uid = '' } = pod.metadata;
    if (this.#admitted.pods.has(uid)) return undefined;
    const info = allocated(pod);
    const rejection = systemRejection(pod, this.#admitted.node) ?? this.#misfit(info);
    if (rejection === undefined) this.#admitted.addPod(info);
    return rejection;
  }

  #misfit(info: PodInfo): Rejection | undefined {
    const failures = admissionFailures(info, this.#admitted);
    const shortages = failures.filter((failure) => 'resource' in failure);
    if (shortages.length === 0 || !isCritical(info.pod)) return firstRejection(failures);
    if (shortages.length < failures.length) return firstRejection(failures.filter((failure) => 'plugin' in failure));
    return this.#preempt(info, shortages);
  }

  #preempt({ pod }: PodInfo, shortages: readonly Shortage[]): Rejection | undefined {
    try {
      for (const victim of victimsFor(pod, [...this.#admitted.pods.values()], shortages)) {
        this.#admitted.removePod(victim.uid);
        this.#preempted.add(victim.uid);
        this.#onPreempt(victim.pod);
      }
      return undefined;
    } catch (error) {
      const message = `preemption: error finding a set of pods to preempt: ${errorMessage(error)}`;
      return {
        reason: 'UnexpectedAdmissionError',
        message: `Unexpected error while attempting to recover from admission failure: ${message}`,
      };
    }
  }

  /** Follows a pod of the node: one that has started was admitted, one that has ended takes nothing any more, and a running one may be resized. */
  follow(pod: Pod): void {
    const { uid = '', generation } = pod.metadata;
    const known = this.#admitted.pods.get(uid);
    if (isTerminal(pod.status?.phase)) return this.forget(uid);
    if (this.isPreempted(uid)) return;
    if (known === undefined ? (pod.status?.startTime ?? null) === null : known.pod.metadata.generation === generation)
      return;
    this.#admitted.removePod(uid);
    this.#admitted.addPod(allocated(pod));
  }

  forget(uid: string): void {
    this.#preempted.delete(uid);
    this.#admitted.removePod(uid);
  }
}

/** A pod as it counts: by its spec, because a resize is done at once. */
const allocated = ({ metadata, spec = {}, status }: Pod): PodInfo =>
  new PodInfo({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec,
    ...(status?.qosClass === undefined ? {} : { status: { qosClass: status.qosClass } }),
  });

const osLabel = 'kubernetes.io/os';

function systemRejection({ metadata, spec }: Pod, node: Node): Rejection | undefined {
  const os = node.metadata.labels?.[osLabel] ?? 'linux';
  if ((metadata.labels?.[osLabel] ?? os) !== os)
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  if ((spec?.os?.name ?? os) !== os)
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  return undefined;
}

/** A kubelet reports the first reason only. */
function firstRejection([failure]: readonly AdmissionFailure[]): Rejection | undefined {
  if (failure === undefined) return undefined;
  if ('plugin' in failure)
    return { reason: failure.plugin, message: `Predicate ${failure.plugin} failed: ${failure.reason}` };
  const { resource, requested, used, capacity } = failure;
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}
