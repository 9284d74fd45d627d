import { imageLocality } from '../plugins/image-locality.ts';
import { interPodAffinity } from '../plugins/inter-pod-affinity/plugin.ts';
import { dynamicResources } from '../plugins/dynamic-resources.ts';
import { nodeAffinity } from '../plugins/node-affinity.ts';
import { nodeDeclaredFeatures } from '../plugins/node-declared-features.ts';
import { nodeName, nodePorts, nodeUnschedulable } from '../plugins/node-filters.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from '../plugins/node-resources.ts';
import { nodeVolumeLimits } from '../plugins/node-volume-limits.ts';
import { podTopologySpread } from '../plugins/pod-topology-spread/plugin.ts';
import { schedulingGates } from '../plugins/scheduling-gates.ts';
import { taintToleration } from '../plugins/taint-toleration.ts';
import { volumeBinding } from '../plugins/volume-binding.ts';
import { volumeRestrictions } from '../plugins/volume-restrictions.ts';
import { volumeZone } from '../plugins/volume-zone.ts';
import type { VolumeBinder } from '../volumes/volume-binder.ts';
import type { Plugin } from './plugin.ts';

/** Plugins in their order, and the weights of those that score. */
export interface Profile {
  readonly plugins: readonly Plugin[];
  readonly weights: Readonly<Record<string, number>>;
}

/** The default profile of kube-scheduler. https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins */
export const defaultProfile = (binder: Pick<VolumeBinder, 'reserve'>): Profile => ({
  plugins: [
    schedulingGates,
    nodeUnschedulable,
    nodeName,
    taintToleration,
    nodeAffinity,
    nodePorts,
    nodeResourcesFit,
    volumeRestrictions,
    nodeVolumeLimits,
    volumeBinding(binder),
    volumeZone,
    podTopologySpread,
    interPodAffinity,
    dynamicResources,
    nodeResourcesBalancedAllocation,
    imageLocality,
    nodeDeclaredFeatures,
  ],
  weights: {
    TaintToleration: 3,
    NodeAffinity: 2,
    NodeResourcesFit: 1,
    PodTopologySpread: 2,
    InterPodAffinity: 2,
    NodeResourcesBalancedAllocation: 1,
    ImageLocality: 1,
  },
});
