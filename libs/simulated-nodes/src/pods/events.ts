/** An event about a pod, or about a container of it. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The part of the pod, `spec.containers{main}`. */
  readonly fieldPath?: string;
}
