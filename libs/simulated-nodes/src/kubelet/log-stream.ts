import type { Pod } from '@apichain/api/core/v1';
import { currentTime, startTimer } from '@apichain/meta';
import type { Writable } from 'node:stream';
import type { Nodes } from '../nodes/nodes.ts';
import type { FollowedPods } from './followed-pods.ts';
import {
  type ContainerRun,
  containerNamed,
  type LogOptions,
  logLines,
  nextLineAt,
  runOf,
  selectLines,
} from './logs.ts';

/** Where the pods are. */
export interface LogSource {
  readonly nodes: Nodes;
  readonly followed: FollowedPods;
}

/**
 * Writes the log of a run of a container. With `follow` it goes on until the run ends, the pod is gone or the output is closed; lines that the command
 * prints or the annotation `log` gets in the meantime are written. Resolves when everything is written. Throws Error in the words of a kubelet when there is no log.
 */
export async function writeLog(
  { nodes, followed }: LogSource,
  pod: Pod,
  name: string,
  options: LogOptions,
  output: Writable,
): Promise<void> {
  const { namespace = '', name: podName = '', uid = '' } = pod.metadata;
  const run = runOf(pod, containerNamed(pod, name), name, options.previous);
  let left = options.limitBytes;
  let written = 0;
  const write = (current: Pod, selected: LogOptions) => {
    const container = containerNamed(current, name);
    const state = isRunning(current, name, run) ? run : { ...run, isOver: true };
    const lines = container === undefined ? [] : logLines(container, state, currentTime());
    const text = selectLines(lines.slice(written), run, selected).join('');
    written = Math.max(written, lines.length);
    const bytes = Buffer.from(text).subarray(0, left);
    left -= bytes.length;
    if (bytes.length > 0) output.write(bytes);
  };
  write(pod, options);
  if (!options.follow || run.isOver || left <= 0) return;
  await new Promise<void>((resolve) => {
    let cancel: (() => void) | undefined;
    const end = () => {
      cancel?.();
      unfollow();
      output.off('close', end);
      resolve();
    };
    const unfollow = followed.follow(uid, () => {
      const current = nodes.pod(`${namespace}/${podName}`);
      const isSame = current !== undefined && current.metadata.uid === uid;
      if (isSame) write(current, { ...options, tailLines: undefined, since: undefined });
      if (!isSame || left <= 0 || !isRunning(current, name, run)) end();
    });
    const awaitLine = (): void => {
      const container = containerNamed(nodes.pod(`${namespace}/${podName}`) ?? pod, name);
      const next = container === undefined ? undefined : nextLineAt(container, run, currentTime());
      if (next === undefined) return;
      cancel = startTimer(() => {
        write(nodes.pod(`${namespace}/${podName}`) ?? pod, { ...options, tailLines: undefined, since: undefined });
        awaitLine();
      }, next - currentTime());
    };
    awaitLine();
    output.on('close', end);
  });
}

function isRunning(pod: Pod, name: string, { containerID }: ContainerRun): boolean {
  const status = containerNamed(pod, name)?.status;
  return status?.state?.running !== undefined && status.containerID === containerID;
}
