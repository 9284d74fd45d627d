import type { Node, Pod } from '@apichain/api/core/v1';
import { NodeInfo } from '../cluster/node-info.ts';
import { PodInfo } from '../cluster/pod-info.ts';
import { amountOfResource, namedAmounts, type Resources } from '../cluster/resources.ts';
import { shortagesOf } from '../cluster/shortages.ts';
import { on } from '../framework/cluster-event.ts';
import { maxNodeScore, type Plugin } from '../framework/plugin.ts';
import { unresolvable, unschedulable, type Rejection } from '../framework/status.ts';

/** Why the node has too little of some resource. What is more than the whole node cannot be resolved by removing pods. */
function insufficient(requests: Resources, node: NodeInfo): Rejection | undefined {
  const { allocatable, requested, pods, allowedPods } = node;
  // Most nodes fit, so this comes without a look at the single reasons.
  if (pods.size < allowedPods && hasRoom(requests, allocatable, requested)) return undefined;
  const shortages = shortagesOf(requests, node);
  if (shortages.length === 0) return undefined;
  const reasons = shortages.map(({ resource }) => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`));
  const exceedsNode = shortages.some(
    ({ resource, requested: wanted, capacity }) => resource !== 'pods' && wanted > capacity,
  );
  return exceedsNode ? unresolvable(...reasons) : unschedulable(...reasons);
}

const hasRoom = (wanted: Resources, allocatable: Resources, requested: Resources): boolean =>
  wanted.scalars.size === 0 &&
  wanted.milliCPU <= allocatable.milliCPU - requested.milliCPU &&
  wanted.memory <= allocatable.memory - requested.memory &&
  wanted.ephemeralStorage <= allocatable.ephemeralStorage - requested.ephemeralStorage;

/** Whether an empty node has more of something that the pod requests. */
function hasMore({ requests }: PodInfo, before: NodeInfo, after: NodeInfo): boolean {
  if (after.allowedPods > before.allowedPods) return true;
  for (const [name, wanted] of namedAmounts(requests))
    if (wanted > 0 && amountOfResource(after.allocatable, name) > amountOfResource(before.allocatable, name))
      return true;
  return false;
}

function mayFitNow(pod: PodInfo, before: Node | undefined, after: Node | undefined): boolean {
  if (after === undefined) return false;
  const node = new NodeInfo(after);
  if (insufficient(pod.requests, node) !== undefined) return false;
  return before === undefined || hasMore(pod, new NodeInfo(before), node);
}

/** Whether a pod was deleted, or asks for less of something that the pod in question needs. */
function freesResources(pod: PodInfo, before: Pod | undefined, after: Pod | undefined): boolean {
  if (after === undefined)
    return (before?.spec?.nodeName ?? '') !== '' || (before?.status?.nominatedNodeName ?? '') !== '';
  if (after.metadata.uid === pod.uid) return true;
  if (before === undefined || (after.spec?.nodeName ?? '') === '') return false;
  const was = new PodInfo(before).occupied;
  const is = new PodInfo(after).occupied;
  for (const [name, wanted] of namedAmounts(pod.requests))
    if (wanted !== 0 && amountOfResource(was, name) > amountOfResource(is, name)) return true;
  return false;
}

const unusedShare = (capacity: number, requested: number) =>
  requested > capacity ? 0 : Math.trunc(((capacity - requested) * maxNodeScore) / capacity);

/** Rejects nodes with too little left of a resource, and prefers those of which the least is requested. */
export const nodeResourcesFit: Plugin = {
  name: 'NodeResourcesFit',
  events: [
    on('Pod', ['Delete', 'UpdatePodScaleDown'], (pod, { before, after }) => freesResources(pod, before, after)),
    on('Node', ['Add', 'UpdateNodeAllocatable'], (pod, { before, after }) => mayFitNow(pod, before, after)),
  ],
  preFilter: ({ requests }) => ({ filter: (node) => insufficient(requests, node) }),
  preScore: ({ nonZero }) => ({
    score: ({ allocatable, nonZeroRequested }) => {
      let sum = 0;
      let weights = 0;
      if (allocatable.milliCPU > 0) {
        sum += unusedShare(allocatable.milliCPU, nonZeroRequested.milliCPU + nonZero.milliCPU);
        weights++;
      }
      if (allocatable.memory > 0) {
        sum += unusedShare(allocatable.memory, nonZeroRequested.memory + nonZero.memory);
        weights++;
      }
      return weights === 0 ? 0 : Math.trunc(sum / weights);
    },
  }),
};

/** 100 if the same fraction of CPU and memory is taken, less the more the fractions differ. */
function balance(milliCPU: number, memory: number, allocatable: Resources): number {
  if (allocatable.milliCPU === 0 || allocatable.memory === 0) return maxNodeScore;
  const ofCpu = Math.min(1, milliCPU / allocatable.milliCPU);
  const ofMemory = Math.min(1, memory / allocatable.memory);
  return Math.trunc((1 - Math.abs((ofCpu - ofMemory) / 2)) * maxNodeScore);
}

/** Prefers nodes on which the pod makes the use of CPU and memory more even. */
export const nodeResourcesBalancedAllocation: Plugin = {
  name: 'NodeResourcesBalancedAllocation',
  preScore: ({ requests }) => {
    const { milliCPU, memory } = requests;
    if (milliCPU === 0 && memory === 0) return undefined;
    return {
      score: ({ allocatable, requested }) => {
        const withPod = balance(requested.milliCPU + milliCPU, requested.memory + memory, allocatable);
        const gain = withPod - balance(requested.milliCPU, requested.memory, allocatable);
        const half = maxNodeScore / 2;
        return half + Math.trunc((half + gain) / 2);
      },
    };
  },
};
