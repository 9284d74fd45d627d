import type { Resources } from '../cluster/resources.ts';
import { type Plugin, maxNodeScore } from '../framework/plugin.ts';

type Amounts = Pick<Resources, 'milliCPU' | 'memory'>;

/** 100 if the same fraction of CPU and memory is taken, less the more the fractions differ. */
function balance(taken: Amounts, allocatable: Amounts): number {
  if (allocatable.milliCPU === 0 || allocatable.memory === 0) return maxNodeScore;
  const cpu = Math.min(1, taken.milliCPU / allocatable.milliCPU);
  const memory = Math.min(1, taken.memory / allocatable.memory);
  return Math.trunc((1 - Math.abs((cpu - memory) / 2)) * maxNodeScore);
}

/** Prefers nodes on which the pod makes the use of CPU and memory more even. */
export const nodeResourcesBalancedAllocation: Plugin = {
  name: 'NodeResourcesBalancedAllocation',
  preScore: ({ requests }) => {
    const { milliCPU, memory } = requests;
    if (milliCPU === 0 && memory === 0) return undefined;
    return {
      score: ({ allocatable, requested }) => {
        const withPod = { milliCPU: requested.milliCPU + milliCPU, memory: requested.memory + memory };
        const gain = balance(withPod, allocatable) - balance(requested, allocatable);
        const half = maxNodeScore / 2;
        return half + Math.trunc((half + gain) / 2);
      },
    };
  },
};
