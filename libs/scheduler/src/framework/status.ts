/**
 * Why a pod cannot be scheduled. `Unschedulable` may be resolved by removing pods from the node; `UnschedulableAndUnresolvable` may not, so preemption
 * does not try the node. Success is the absence of a rejection. https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/
 */
export interface Rejection {
  readonly code: 'Unschedulable' | 'UnschedulableAndUnresolvable';
  readonly reasons: readonly string[];
}

/** A rejection, and the plugin that rejects. */
export interface PluginRejection extends Rejection {
  readonly plugin: string;
}

/** A rejection that removing pods from the node may resolve. */
export const unschedulable = (...reasons: string[]): Rejection => ({ code: 'Unschedulable', reasons });

/** A rejection that removing pods from the node does not resolve. */
export const unresolvable = (...reasons: string[]): Rejection => ({ code: 'UnschedulableAndUnresolvable', reasons });
