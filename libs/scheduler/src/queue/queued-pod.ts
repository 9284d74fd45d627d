import { currentTime } from '@apichain/meta';
import type { PodInfo } from '../cluster/pod-info.ts';

/** A pod that waits for a node, and what came of earlier attempts. */
export class QueuedPod {
  info: PodInfo;
  /** When the pod was queued, or last tried, in milliseconds. */
  timestamp = currentTime();
  /** The plugins that rejected the pod in the last attempt. Empty after an error. */
  rejectors: ReadonlySet<string> = new Set();
  /** How often the pod was rejected, and how often in a row an attempt failed with an error. They determine how long the pod backs off. */
  rejections = 0;
  errors = 0;
  /** The plugin that keeps the pod from being tried. */
  gate: string | undefined;

  constructor(info: PodInfo) {
    this.info = info;
  }

  get uid(): string {
    return this.info.uid;
  }
}

/** Whether a pod is tried before another: by priority, then by the time at which it was queued. */
export const comesBefore = (a: QueuedPod, b: QueuedPod): boolean =>
  a.info.priority === b.info.priority ? a.timestamp < b.timestamp : a.info.priority > b.info.priority;
