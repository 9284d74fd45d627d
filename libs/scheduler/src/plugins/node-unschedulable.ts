import { isTolerated } from '@apichain/component-helpers';
import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Rejects cordoned nodes, unless the pod tolerates the taint of cordoned nodes. */
export const nodeUnschedulable: Plugin = {
  name: 'NodeUnschedulable',
  events: [
    on('Node', ['Add', 'UpdateNodeTaint'], (_, { before, after }) => {
      const isCordoned = after?.spec?.unschedulable === true;
      return !isCordoned && (before === undefined || before.spec?.unschedulable === true);
    }),
    on(
      'Pod',
      ['UpdatePodToleration'],
      (pod, { after }) => after?.metadata.uid === pod.uid && isTolerated(taint, after.spec?.tolerations),
    ),
  ],
  preFilter: ({ pod }) => {
    const isExempt = isTolerated(taint, pod.spec?.tolerations);
    return {
      filter: ({ node }) =>
        node.spec?.unschedulable === true && !isExempt ? unresolvable('node(s) were unschedulable') : undefined,
    };
  },
};
