import { hostPortsOf, portsConflict } from '../cluster/host-ports.ts';
import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unschedulable } from '../framework/status.ts';

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
