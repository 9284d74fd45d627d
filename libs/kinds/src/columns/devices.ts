import type { KubeObject } from '@apichain/meta';
import { at, integer, isSet, list, records, text } from '../fields.ts';
import { ageAt, type Cell, type Cells, conditionOf, integerAt, textAt } from './cells.ts';
import { age } from './duration.ts';

function claimState(claim: KubeObject): string {
  const deleted = isSet(claim.metadata.deletionTimestamp);
  const allocated = isSet(at(claim.status, 'allocation'));
  const states = [
    ...(deleted ? ['deleted'] : []),
    ...(allocated ? ['allocated'] : deleted ? [] : ['pending']),
    ...(allocated && list(at(claim.status, 'reservedFor')).length > 0 ? ['reserved'] : []),
  ];
  return states.join(',');
}

function poolSum(member: string): Cell {
  return (request) => {
    const pools = at(request.status, 'pools');
    if (!isSet(request.status) || conditionOf(request, 'Failed')?.status === 'True') return '-';
    return String(records(pools).reduce((sum, pool) => sum + integer(pool[member]), 0));
  };
}

function poolRequestStatus(request: KubeObject): string {
  const type = ['Complete', 'Failed'].find((name) => conditionOf(request, name)?.status === 'True') ?? 'Pending';
  const listed = list(at(request.status, 'pools')).length;
  const count = integer(at(request.status, 'poolCount'));
  return type === 'Complete' && count > listed ? `Complete (${listed}/${count} pools)` : type;
}

/** Dynamic resource allocation. By `Kind` or `Kind.group` and column name. */
export const devicesCells: Readonly<Record<string, Cells>> = {
  'ResourceClaim.resource.k8s.io': { State: claimState },
  'ResourceSlice.resource.k8s.io': { Node: textAt('spec.nodeName') },
  'ResourcePoolStatusRequest.resource.k8s.io': {
    Total: poolSum('totalDevices'),
    Available: poolSum('availableDevices'),
    Allocated: poolSum('allocatedDevices'),
    Unavailable: poolSum('unavailableDevices'),
    Errors: (request) =>
      isSet(request.status)
        ? String(records(at(request.status, 'pools')).filter((pool) => text(pool.validationError) !== '').length)
        : '-',
    Pools: integerAt('status.poolCount'),
    Status: poolRequestStatus,
    Completed: (request) => {
      const complete = conditionOf(request, 'Complete');
      return complete === undefined ? '<none>' : age(complete.lastTransitionTime);
    },
  },
  'DeviceTaintRule.resource.k8s.io': { TimeAdded: ageAt('spec.taint.timeAdded', '') },
};
