import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable, unschedulable } from '../framework/status.ts';
import { hostPortsOf, portsConflict } from '../cluster/host-ports.ts';
import { isTolerated } from '@apichain/component-helpers';

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

/** Rejects nodes on which a host port of the pod is in use. */
export const nodePorts: Plugin = {
  name: 'NodePorts',
  events: [
    on('Pod', ['Delete'], (pod, { before }) => {
      if (before === undefined) return false;
      const hadNode = (before.spec?.nodeName ?? '') !== '' || (before.status?.nominatedNodeName ?? '') !== '';
      return hadNode && portsConflict(pod.hostPorts, hostPortsOf(before));
    }),
    on('Node', ['Add']),
  ],
  preFilter: ({ hostPorts }) => {
    if (hostPorts.length === 0) return undefined;
    return {
      filter: ({ usedPorts }) =>
        portsConflict(hostPorts, usedPorts)
          ? unschedulable("node(s) didn't have free ports for the requested pod ports")
          : undefined,
    };
  },
};

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
