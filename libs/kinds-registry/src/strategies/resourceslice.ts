import type { ResourceSlice } from '@apichain/api/resource/v1';
import type { KindBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';

const devices = 'spec.devices.*';
const notEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : typeof value !== 'object' || Object.keys(value ?? {}).length > 0;

/** After pkg/registry/resource/resourceslice/strategy.go. */
const gated: readonly GatedFields[] = [
  {
    gate: 'DRADeviceTaints',
    paths: [`${devices}.taints`],
    uses: (taints) => Array.isArray(taints) && taints.length > 0,
  },
  {
    gate: 'DRAPartitionableDevices',
    paths: ['spec.sharedCounters|perDeviceNodeSelection', `${devices}.consumesCounters|nodeName|nodeSelector|allNodes`],
    uses: notEmpty,
  },
  {
    gate: ['DRADeviceBindingConditions', 'DRAResourceClaimDeviceStatus'],
    paths: [`${devices}.bindingConditions|bindingFailureConditions|bindsToNode`],
    uses: notEmpty,
  },
  {
    gate: 'DRAConsumableCapacity',
    paths: [`${devices}.allowMultipleAllocations`, `${devices}.capacity.*.requestPolicy`],
  },
  {
    gate: 'DRANodeAllocatableResources',
    paths: [`${devices}.nodeAllocatableResourceMappings`],
    uses: notEmpty,
    only: notEmpty,
  },
  { gate: 'DRAListTypeAttributes', paths: [`${devices}.attributes.*.bools|ints|strings|versions`] },
];

export const resourceSliceBehaviour: KindBehaviour<ResourceSlice> = {
  name: 'subdomain',
  status: 'keep',
  generation: ['spec'],
  gated,
  gatedIsChange: true,
  returnDeletedObject: true,
  warnings: (slice) => {
    const driver = slice.spec?.driver ?? '';
    return driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
  },
};
