import type { PodSpec } from '@apichain/api/core/v1';
import { deepEqual } from '@apichain/meta';
import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

/** The features that nodes declare, and whether a pod needs them to run. */
const features: Readonly<Record<string, (spec: PodSpec) => boolean>> = {
  RestartAllContainersOnContainerExits: ({ containers, initContainers = [] }) =>
    [...(containers ?? []), ...initContainers].some(({ restartPolicyRules = [] }) =>
      restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
    ),
  UserNamespacesHostNetworkSupport: ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false,
};

const neededBy = (spec: PodSpec) =>
  Object.entries(features)
    .filter(([, isNeeded]) => isNeeded(spec))
    .map(([name]) => name);

/** Rejects nodes whose kubelets lack a feature that the pod needs. */
export const nodeDeclaredFeatures: Plugin = {
  name: 'NodeDeclaredFeatures',
  events: [
    on(
      'Node',
      ['Add', 'UpdateNodeDeclaredFeature'],
      (_, { before, after }) =>
        before === undefined || !deepEqual(before.status?.declaredFeatures, after?.status?.declaredFeatures),
    ),
    on('Pod', ['Update'], (pod, { after }) => after?.metadata.uid === pod.uid),
  ],
  preFilter: ({ pod }) => {
    const needed = neededBy(pod.spec ?? {});
    if (needed.length === 0) return undefined;
    return {
      filter: ({ node }) => {
        const declared = node.status?.declaredFeatures ?? [];
        return needed.every((feature) => declared.includes(feature))
          ? undefined
          : unresolvable("node(s) didn't match Pod's required features");
      },
    };
  },
};
