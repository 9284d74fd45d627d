import { isRepelled, isTolerated } from '@apichain/component-helpers';
import { on } from '../framework/cluster-event.ts';
import { type Plugin, normalizeScores } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

/** Rejects nodes with taints that the pod does not tolerate, and prefers nodes with fewer taints of the effect PreferNoSchedule. */
export const taintToleration: Plugin = {
  name: 'TaintToleration',
  events: [
    on('Node', ['Add', 'UpdateNodeTaint'], ({ pod }, { before, after }) => {
      const { tolerations } = pod.spec ?? {};
      const wasRepelled = before === undefined || isRepelled(before.spec?.taints, tolerations);
      return wasRepelled && !isRepelled(after?.spec?.taints, tolerations);
    }),
    on('Pod', ['UpdatePodToleration'], (pod, { after }) => after?.metadata.uid === pod.uid),
  ],
  preFilter: ({ pod }) => {
    const { tolerations } = pod.spec ?? {};
    return {
      filter: ({ node }) =>
        isRepelled(node.spec?.taints, tolerations) ? unresolvable('node(s) had untolerated taint(s)') : undefined,
    };
  },
  preScore: ({ pod }) => {
    const tolerations = (pod.spec?.tolerations ?? []).filter(
      ({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule',
    );
    return {
      score: ({ node }) => {
        let count = 0;
        for (const taint of node.spec?.taints ?? [])
          if (taint.effect === 'PreferNoSchedule' && !isTolerated(taint, tolerations)) count++;
        return count;
      },
      normalize: (scores) => normalizeScores(scores, true),
    };
  },
};
