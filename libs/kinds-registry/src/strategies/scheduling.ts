import type { PodGroup, Workload } from '@apichain/api/scheduling/v1alpha2';
import type { KindBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';
import { statusAndNoMetadata } from './small-kinds.ts';

/* The strategies of groups of pods that are scheduled together. After pkg/registry/scheduling of kubernetes 1.36. */

const filled = (claims: unknown): boolean => Array.isArray(claims) && claims.length > 0;

const gatedGroupFields = (holder: string): GatedFields[] => [
  { gate: 'TopologyAwareWorkloadScheduling', paths: [`${holder}.schedulingConstraints`] },
  { gate: 'DRAWorkloadResourceClaims', paths: [`${holder}.resourceClaims`], uses: filled },
  ...['disruptionMode', 'priorityClassName', 'priority'].map((name) => ({
    gate: 'WorkloadAwarePreemption',
    paths: [`${holder}.${name}`],
  })),
];

export const podGroupBehaviour: KindBehaviour<PodGroup> = {
  name: 'subdomain',
  status: 'reset',
  gated: gatedGroupFields('spec'),
  subresources: {
    status: {
      ...statusAndNoMetadata,
      gated: [
        {
          gate: 'DRAWorkloadResourceClaims',
          paths: ['status.resourceClaimStatuses'],
          usedAt: ['spec.resourceClaims'],
          uses: filled,
        },
      ],
    },
  },
};

export const workloadBehaviour: KindBehaviour<Workload> = {
  name: 'subdomain',
  status: 'keep',
  gated: gatedGroupFields('spec.podGroupTemplates.*'),
};
