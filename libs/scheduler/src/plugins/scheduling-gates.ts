import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

/** Keeps pods with scheduling gates from being tried. https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/ */
export const schedulingGates: Plugin = {
  name: 'SchedulingGates',
  events: [on('Pod', ['UpdatePodSchedulingGatesEliminated'], (pod, { after }) => after?.metadata.uid === pod.uid)],
  preEnqueue: ({ pod }) => {
    const gates = (pod.spec?.schedulingGates ?? []).map(({ name = '' }) => name);
    return gates.length === 0 ? undefined : unresolvable(`waiting for scheduling gates: [${gates.join(' ')}]`);
  },
};
