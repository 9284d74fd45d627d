import type { ResourceClaim } from '@apichain/api/resource/v1';
import type { ResourcePoolStatusRequest } from '@apichain/api/resource/v1alpha3';
import { isSet } from '@apichain/meta';
import { ageAt, conditionOf, integerAt, textAt, age, type Cell, type CellTable } from './cells.ts';

function claimState(claim: ResourceClaim): string {
  const deleted = isSet(claim.metadata.deletionTimestamp);
  const allocated = isSet(claim.status?.allocation);
  const states = [
    ...(deleted ? ['deleted'] : []),
    ...(allocated ? ['allocated'] : deleted ? [] : ['pending']),
    ...(allocated && (claim.status?.reservedFor ?? []).length > 0 ? ['reserved'] : []),
  ];
  return states.join(',');
}

function poolSum(
  member: 'totalDevices' | 'availableDevices' | 'allocatedDevices' | 'unavailableDevices',
): Cell<ResourcePoolStatusRequest> {
  return (request) => {
    const pools = request.status?.pools;
    if (!isSet(request.status) || conditionOf(request, 'Failed')?.status === 'True') return '-';
    return String((pools ?? []).reduce((sum, pool) => sum + (pool[member] ?? 0), 0));
  };
}

function poolRequestStatus(request: ResourcePoolStatusRequest): string {
  const type = ['Complete', 'Failed'].find((name) => conditionOf(request, name)?.status === 'True') ?? 'Pending';
  const listed = (request.status?.pools ?? []).length;
  const count = request.status?.poolCount ?? 0;
  return type === 'Complete' && count > listed ? `Complete (${listed}/${count} pools)` : type;
}

/** Dynamic resource allocation, by `Kind` or `Kind.group` and column name. */
export const devicesCells: CellTable = {
  'ResourceClaim.resource.k8s.io': { State: claimState },
  'ResourceSlice.resource.k8s.io': { Node: textAt((object) => object.spec?.nodeName) },
  'ResourcePoolStatusRequest.resource.k8s.io': {
    Total: poolSum('totalDevices'),
    Available: poolSum('availableDevices'),
    Allocated: poolSum('allocatedDevices'),
    Unavailable: poolSum('unavailableDevices'),
    Errors: (request) =>
      isSet(request.status)
        ? String((request.status?.pools ?? []).filter((pool) => (pool.validationError ?? '') !== '').length)
        : '-',
    Pools: integerAt((object) => object.status?.poolCount),
    Status: poolRequestStatus,
    Completed: (request) => {
      const complete = conditionOf(request, 'Complete');
      return complete === undefined ? '<none>' : age(complete.lastTransitionTime);
    },
  },
  'DeviceTaintRule.resource.k8s.io': { TimeAdded: ageAt((object) => object.spec?.taint?.timeAdded, '') },
};
