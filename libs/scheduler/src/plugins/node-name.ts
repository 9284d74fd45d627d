import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

/** Rejects all nodes but the one that the pod names. */
export const nodeName: Plugin = {
  name: 'NodeName',
  events: [on('Node', ['Add'])],
  preFilter: ({ pod }) => {
    const { nodeName: wanted = '' } = pod.spec ?? {};
    if (wanted === '') return undefined;
    return {
      filter: ({ name }) =>
        name === wanted ? undefined : unresolvable("node(s) didn't match the requested node name"),
    };
  },
};
