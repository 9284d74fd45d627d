import type { QueuedPod } from '../queue/queued-pod.ts';

/** Whether a pod is tried before another: by priority, then by the time at which it was queued. */
export const comesBefore = (a: QueuedPod, b: QueuedPod): boolean =>
  a.info.priority === b.info.priority ? a.timestamp < b.timestamp : a.info.priority > b.info.priority;
