import { assign, isSet, semanticEqual } from '@apichain/meta';
import { formatTime } from '@apichain/go-text';
import type {
  AllocatedDeviceStatus,
  DeviceClass,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimTemplate,
} from '@apichain/api/resource/v1';
import type { DeviceTaintRule, ResourcePoolStatusRequest } from '@apichain/api/resource/v1alpha3';
import { withAdminAccess } from '../devices/admin-access.ts';
import { withStatusAccess } from '../devices/status-access.ts';
import type { KindBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';
import { statusAndNoMetadata } from './small-kinds.ts';

/* The strategies of dynamic resource allocation, except that of slices. After pkg/registry/resource of kubernetes 1.36. */

const consumableIn = (spec: string): string[] => [
  `${spec}.devices.constraints.*.distinctAttribute`,
  `${spec}.devices.requests.*.exactly.capacity`,
  `${spec}.devices.requests.*.firstAvailable.*.capacity`,
];

/** The gated fields of the claim spec at `spec`. */
const gatedRequests = (spec: string): GatedFields[] => [
  { gate: 'DRAPrioritizedList', paths: [`${spec}.devices.requests.*.firstAvailable`] },
  {
    gate: 'DRADeviceTaints',
    paths: [
      `${spec}.devices.requests.*.exactly.tolerations`,
      `${spec}.devices.requests.*.firstAvailable.*.tolerations`,
    ],
  },
  { gate: 'DRAConsumableCapacity', paths: consumableIn(spec) },
];

const results = 'status.allocation.devices.results.*';
const consumed = [`${results}.shareID|consumedCapacity`, 'status.devices.*.shareID'];

const gatedClaimStatus: readonly GatedFields[] = [
  { gate: 'DRAResourceClaimDeviceStatus', paths: ['status.devices'] },
  { gate: 'DRAConsumableCapacity', paths: consumed, usedAt: [...consumableIn('spec'), ...consumed] },
  { gate: 'DRADeviceBindingConditions', paths: [`${results}.bindingConditions|bindingFailureConditions`] },
];

/** Removes the reported status of devices that this update deallocates. */
function dropDeallocatedDevices(claim: ResourceClaim, old: ResourceClaim): void {
  const identity = (device: DeviceRequestAllocationResult | AllocatedDeviceStatus) =>
    [device.driver, device.pool, device.device, device.shareID ?? ''].map(String).join('/');
  const allocated = (object: ResourceClaim) =>
    new Set((object.status?.allocation?.devices?.results ?? []).map(identity));
  const before = allocated(old);
  const after = allocated(claim);
  const status = claim.status ?? {};
  if (!isSet(status.devices)) return;
  const kept = status.devices.filter((device) => after.has(identity(device)) || !before.has(identity(device)));
  assign(status, 'devices', kept.length === 0 ? undefined : kept);
}

export const resourceClaimBehaviour: KindBehaviour<ResourceClaim> = {
  name: 'subdomain',
  status: 'reset',
  returnDeletedObject: true,
  gated: gatedRequests('spec'),
  server: { strategy: withAdminAccess, subresources: { status: withStatusAccess } },
  subresources: {
    status: { ...statusAndNoMetadata, gated: gatedClaimStatus, prepareForUpdate: dropDeallocatedDevices },
  },
};

export const claimTemplateBehaviour: KindBehaviour<ResourceClaimTemplate> = {
  name: 'subdomain',
  status: 'keep',
  returnDeletedObject: true,
  gated: gatedRequests('spec.spec'),
  server: { strategy: withAdminAccess },
};

export const deviceClassBehaviour: KindBehaviour<DeviceClass> = {
  name: 'longName',
  status: 'keep',
  generation: ['spec'],
  returnDeletedObject: true,
  gated: [{ gate: 'DRAExtendedResource', paths: ['spec.extendedResourceName'] }],
};

/** The time of a taint belongs to its effect: when the effect changes, the time is reset, unless the client sets it. */
function renewTaintTime(rule: DeviceTaintRule, old: DeviceTaintRule): void {
  const taint = rule.spec?.taint ?? {};
  const before = old.spec?.taint ?? {};
  if (taint.effect === before.effect || !semanticEqual(taint.timeAdded, before.timeAdded)) return;
  if (isSet(rule.spec?.taint)) taint.timeAdded = formatTime(new Date());
}

export const deviceTaintRuleBehaviour: KindBehaviour<DeviceTaintRule> = {
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  returnDeletedObject: true,
  prepareForUpdate: renewTaintTime,
  subresources: { status: statusAndNoMetadata },
};

export const poolStatusRequestBehaviour: KindBehaviour<ResourcePoolStatusRequest> = {
  name: 'subdomain',
  status: 'reset',
  returnDeletedObject: true,
  subresources: { status: statusAndNoMetadata },
};
