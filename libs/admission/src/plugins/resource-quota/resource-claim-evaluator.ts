import type { DeviceRequest, DeviceSubRequest, ExactDeviceRequest, ResourceClaim } from '@apichain/api/resource/v1';
import { newQuantity, isSet, integer } from '@apichain/meta';
import { addTo, one, raiseTo, type ResourceList } from '../../resource-list.ts';
import type { Evaluator } from './evaluator.ts';

const countName = 'count/resourceclaims.resource.k8s.io';
const classSuffix = '.deviceclass.resource.k8s.io/devices';
/** The most devices that one claim can be allocated; counted for requests of all devices. Source: AllocationResultsMaxSize of resource.k8s.io/v1. */
const maxAllocated = 32;

function devicesOf({ deviceClassName, allocationMode, count }: ExactDeviceRequest | DeviceSubRequest): ResourceList {
  const amount = allocationMode === 'ExactCount' ? integer(count) : allocationMode === 'All' ? maxAllocated : 0;
  return new Map([[`${deviceClassName ?? ''}${classSuffix}`, newQuantity(BigInt(amount))]]);
}

/** Only one of the alternatives will be allocated, so the largest count of each class is charged. */
function requestedDevices(request: DeviceRequest): ResourceList {
  const alternatives = request.firstAvailable ?? [];
  const most: ResourceList = new Map();
  if (alternatives.length === 0) return isSet(request.exactly) ? devicesOf(request.exactly) : most;
  for (const alternative of alternatives) raiseTo(most, devicesOf(alternative));
  return most;
}

/** Counts resource claims and the devices of each class that they request. */
export const resourceClaimEvaluator: Evaluator<ResourceClaim> = {
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  matching: (candidates) => [...candidates].filter((name) => name === countName || name.endsWith(classSuffix)),
  matchesScope: () => false,
  usage(claim) {
    const usage: ResourceList = new Map([[countName, one]]);
    const { requests } = claim.spec?.devices ?? {};
    for (const request of requests ?? []) addTo(usage, requestedDevices(request));
    return usage;
  },
};
