import type { ResourceClaim } from '@apichain/api/resource/v1';
import { matchesAnyTerm } from '@apichain/component-helpers';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import { notFound } from '../volumes/claims.ts';

/**
 * Keeps pods waiting whose ResourceClaims do not exist or are not allocated. It allocates nothing: there are no drivers, so claims stay as in a cluster
 * without them.
 */
export const dynamicResources: Plugin = {
  name: 'DynamicResources',
  events: [
    on('Node', ['Add', 'UpdateNodeLabel', 'UpdateNodeAllocatable']),
    on('ResourceClaim', ['Add', 'Update'], (pod, { after }, cluster) => {
      const claims = claimsOf(pod, cluster);
      return typeof claims !== 'string' && claims.some(({ metadata }) => metadata.uid === after?.metadata.uid);
    }),
    on(
      'Pod',
      ['UpdatePodGeneratedResourceClaim'],
      (pod, { after }, cluster) => after?.metadata.uid === pod.uid && typeof claimsOf(pod, cluster) !== 'string',
    ),
  ],
  preEnqueue(pod, cluster) {
    const claims = claimsOf(pod, cluster);
    return typeof claims === 'string' ? unresolvable(claims) : undefined;
  },
  preFilter(pod, cluster) {
    const claims = claimsOf(pod, cluster);
    if (typeof claims === 'string') return unresolvable(claims);
    if (claims.length === 0) return undefined;
    return {
      filter: ({ node }) => {
        for (const { status } of claims) {
          const selector = status?.allocation?.nodeSelector;
          if (selector !== undefined && !matchesAnyTerm(selector.nodeSelectorTerms, node))
            return unresolvable('resourceclaim not available on the node');
        }
        const areAllocated = claims.every(({ status }) => status?.allocation !== undefined);
        return areAllocated ? undefined : unresolvable('cannot allocate all claims');
      },
    };
  },
};

/** The claims of a pod, or why they cannot be used. */
function claimsOf({ pod, namespace, name }: PodInfo, { objects }: Cluster): readonly ResourceClaim[] | string {
  const claims: ResourceClaim[] = [];
  for (const { name: request, resourceClaimName } of pod.spec?.resourceClaims ?? []) {
    const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === request);
    if (resourceClaimName === undefined && made === undefined)
      return `pod "${namespace}/${name}": ResourceClaim not created yet`;
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    // It was decided that the pod needs no claim.
    if (claimName === undefined) continue;
    const claim = objects.resourceClaims.get(`${namespace}/${claimName}`);
    if (claim === undefined) return notFound('resourceclaim.resource.k8s.io', claimName);
    if (claim.metadata.deletionTimestamp !== undefined) return `resourceclaim "${claimName}" is being deleted`;
    claims.push(claim);
  }
  return claims;
}
