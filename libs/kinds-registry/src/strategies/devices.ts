import type { KubeObject } from '@apichain/meta';
import { assign, at, formatTime, isSet, record, records } from '@apichain/kinds';
import type { KindBehaviour } from './behaviour.ts';
import { semanticEqual } from '@apichain/meta';
import type { GatedFields } from './gated-fields.ts';
import { statusAndNoMetadata } from './small-kinds.ts';

/* How the kinds of dynamic resource allocation are written, but for slices. After pkg/registry/resource of kubernetes 1.36. */

const consumableIn = (spec: string): string[] => [
  `${spec}.devices.constraints.*.distinctAttribute`,
  `${spec}.devices.requests.*.exactly.capacity`,
  `${spec}.devices.requests.*.firstAvailable.*.capacity`,
];

/** Of the spec of a claim at `spec`. */
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

/** Devices whose allocation this update takes away lose their reported status too. */
function dropDeallocatedDevices(claim: KubeObject, old: KubeObject): void {
  const identity = (device: Record<string, unknown>) =>
    [device.driver, device.pool, device.device, device.shareID ?? ''].map(String).join('/');
  const allocated = (object: KubeObject) =>
    new Set(records(at(object.status, 'allocation', 'devices', 'results')).map(identity));
  const before = allocated(old);
  const after = allocated(claim);
  const status = record(claim.status);
  if (!isSet(status.devices)) return;
  const kept = records(status.devices).filter((device) => after.has(identity(device)) || !before.has(identity(device)));
  assign(status, 'devices', kept.length === 0 ? undefined : kept);
}

export const resourceClaimBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  returnDeletedObject: true,
  gated: gatedRequests('spec'),
  subresources: {
    status: { ...statusAndNoMetadata, gated: gatedClaimStatus, prepareForUpdate: dropDeallocatedDevices },
  },
};

export const claimTemplateBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'keep',
  returnDeletedObject: true,
  gated: gatedRequests('spec.spec'),
};

export const deviceClassBehaviour: KindBehaviour = {
  name: 'longName',
  status: 'keep',
  generation: ['spec'],
  returnDeletedObject: true,
  gated: [{ gate: 'DRAExtendedResource', paths: ['spec.extendedResourceName'] }],
};

/** The time of a taint is that of its effect: another effect begins now, unless the client says when. */
function renewTaintTime(rule: KubeObject, old: KubeObject): void {
  const taint = record(at(rule.spec, 'taint'));
  const before = record(at(old.spec, 'taint'));
  if (taint.effect === before.effect || !semanticEqual(taint.timeAdded, before.timeAdded)) return;
  if (isSet(at(rule.spec, 'taint'))) taint.timeAdded = formatTime(new Date());
}

export const deviceTaintRuleBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  returnDeletedObject: true,
  prepareForUpdate: renewTaintTime,
  subresources: { status: statusAndNoMetadata },
};

export const poolStatusRequestBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  returnDeletedObject: true,
  subresources: { status: statusAndNoMetadata },
};
