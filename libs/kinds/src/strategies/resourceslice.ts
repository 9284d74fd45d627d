import type { KubeObject } from '@apichain/meta';
import { at, isRecord, isSet, type Plain, record, records, text } from '../fields.ts';
import type { KindBehaviour } from './behaviour.ts';
import { semanticEqual } from './equality.ts';
import { dropGated } from './gated-pod-fields.ts';

const mappings = 'nodeAllocatableResourceMappings';
const listTypes = ['bools', 'ints', 'strings', 'versions'] as const;

const devicesOf = (slice: KubeObject | undefined): readonly Plain[] => records(at(slice?.spec, 'devices'));

const attributesOf = (slice: KubeObject | undefined): Plain[] =>
  devicesOf(slice).flatMap((device) => Object.values(record(device.attributes)).filter(isRecord));

const withMappings = (slice: KubeObject | undefined): Plain[] =>
  devicesOf(slice).filter((device) => Object.keys(record(device[mappings])).length > 0);

const withLists = (slice: KubeObject | undefined): Plain[] =>
  attributesOf(slice).filter((attribute) => listTypes.some((name) => isSet(attribute[name])));

/** DRANodeAllocatableResources and DRAListTypeAttributes are off. After pkg/registry/resource/resourceslice/strategy.go. */
function dropGatedDeviceFields(slice: KubeObject, old: KubeObject | undefined): void {
  dropGated(withMappings(slice), mappings, () => withMappings(old).length > 0);
  const lists = withLists(slice);
  for (const name of listTypes) dropGated(lists, name, () => withLists(old).length > 0);
}

export const resourceSliceBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'keep',
  // Counted below: a gated field that an update brings is a change, although it is dropped.
  generation: [],
  returnDeletedObject: true,
  prepareForCreate: (slice) => dropGatedDeviceFields(slice, undefined),
  prepareForUpdate: (slice, old) => {
    if (!semanticEqual(slice.spec, old.spec)) slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
    dropGatedDeviceFields(slice, old);
  },
  warnings: (slice) => {
    const driver = text(at(slice.spec, 'driver'));
    return driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
  },
};
