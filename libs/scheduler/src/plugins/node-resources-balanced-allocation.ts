import type { Resources } from '../cluster/resources.ts';
import { type Plugin, maxNodeScore } from '../framework/plugin.ts';

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
