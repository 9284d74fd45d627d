import type {
  Counter,
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCounterConsumption,
  DeviceTaint,
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from '@apichain/api/resource/v1';
import {
  byteLength,
  field,
  integer,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type FieldError,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { csiDriverName } from '../common/formats.ts';
import { goList, goValue } from '../common/go-value.ts';
import {
  checkEach,
  collect,
  immutable,
  invalidEach,
  isGivenEmpty,
  isNonZero,
  optionalName,
  type Out,
  requiredChoice,
  requiredName,
  sortedEntries,
} from '../common/rules.ts';
import { nodeSelectorErrors } from '../pod/node-selector.ts';
import { capacityErrors } from './device-capacity.ts';
import { attributeName, uniqueItems, withinLimit } from './device-requests.ts';
import { bindingConditionErrors, poolName } from './resource-claim-status.ts';

const mostDevices = 128;
const mostAdvancedDevices = 64;
const mostCounterSets = 8;
const mostCounters = 32;
const mostConsumptions = 2;
const mostAttributeValues = 48;
const mostAttributes = 32;
const longestAttribute = 64;
const mostTaints = 16;
const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

const scalarTypes = ['bool', 'int', 'string', 'version'] as const;
const listTypes = ['bools', 'ints', 'strings', 'versions'] as const;

function attributeText(out: Out, path: string, value: string, isVersion: boolean): void {
  if (isVersion && !semanticVersion.test(value)) {
    out.push(field.invalid(path, value, 'must be a string compatible with semver.org spec 2.0.0'));
  }
  if (byteLength(value) > longestAttribute) out.push(field.tooLong(path, longestAttribute));
}

/** Checks the values of an attribute that is a list of one type; an empty list counts as set. */
function listErrors(out: Out, path: string, attribute: DeviceAttribute, name: (typeof listTypes)[number]): boolean {
  const given = isSet(attribute[name]) || isGivenEmpty(attribute, name);
  if (given && (attribute[name] ?? []).length === 0)
    out.push(field.invalid(`${path}.${name}`, [], 'must not be empty if specified'));
  if (name === 'bools' || name === 'ints') return given;
  checkEach(out, attribute[name] ?? [], (out, value, i) => {
    attributeText(out, `${path}.${name}[${i}]`, value, name === 'versions');
  });
  return given;
}

/** Every element of a list counts as one value. */
const valuesOf = (attribute: DeviceAttribute): number =>
  listTypes.reduce((sum, name) => sum + (attribute[name] ?? []).length, 0) || 1;

function attributeErrors(out: Out, path: string, attribute: DeviceAttribute): void {
  const scalars = scalarTypes.filter((name) => isSet(attribute[name]));
  for (const name of scalars.filter((member) => member === 'string' || member === 'version')) {
    attributeText(out, `${path}.${name}`, attribute[name] ?? '', name === 'version');
  }
  const given = scalars.length + listTypes.filter((name) => listErrors(out, path, attribute, name)).length;
  if (given === 1) return;
  const shown = given === 0 ? '' : goValue('resource.k8s.io.v1.DeviceAttribute', attribute);
  out.push(field.invalid(path, shown, 'exactly one value must be specified'));
}

function taintErrors(out: Out, path: string, taints: readonly DeviceTaint[]): void {
  if (!withinLimit(out, path, taints, mostTaints)) return;
  checkEach(out, taints, (out, taint, j) => {
    const at = `${path}[${j}]`;
    const key = taint.key ?? '';
    invalidEach(out, `${at}.key`, key, isQualifiedName(key));
    optionalName(out, `${at}.value`, taint.value, isValidLabelValue);
    requiredChoice(out, `${at}.effect`, taint.effect, ['NoExecute', 'NoSchedule', 'None']);
  });
}

function counterErrors(
  out: Out,
  path: string,
  name: string | undefined,
  nameAt: string,
  counters: Readonly<Record<string, Counter>> = {},
): void {
  requiredName(out, nameAt, name, isDNS1123Label);
  const keys = Object.keys(counters).sort();
  if (keys.length === 0) out.push(field.required(path));
  else if (withinLimit(out, path, keys, mostCounters)) {
    checkEach(out, keys, (out, key) => invalidEach(out, path, key, isDNS1123Label(key)));
  }
}

function consumptionErrors(out: Out, path: string, consumptions: readonly DeviceCounterConsumption[]): void {
  const setOf = (consumption: DeviceCounterConsumption): string => consumption.counterSet ?? '';
  uniqueItems(out, path, consumptions, mostConsumptions, setOf, (at, consumption) =>
    counterErrors(out, `${at}.counters`, consumption.counterSet, `${at}.counterSet`, consumption.counters),
  );
}

/** Checks from where a single device of a slice can be used; an empty node name and `allNodes: false` count as unset. */
function devicePlacementErrors(out: Out, path: string, device: Device, perDevice: boolean): void {
  const given = (['nodeName', 'nodeSelector', 'allNodes'] as const).filter((member) => isSet(device[member]));
  if (!perDevice) {
    if (given.length === 0) return;
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    out.push(field.invalid(path, null, detail));
    return;
  }
  if (device.nodeName === '') out.push(field.invalid(`${path}.nodeName`, '', 'must not be empty'));
  else optionalName(out, `${path}.nodeName`, device.nodeName, isDNS1123Subdomain);
  if (isSet(device.nodeSelector)) nodeSelectorErrors(out, `${path}.nodeSelector`, device.nodeSelector);
  if (device.allNodes === false)
    out.push(field.invalid(`${path}.allNodes`, false, 'must be either unset or set to true'));
  const placed = given.filter((member) => device[member] !== '' && device[member] !== false);
  if (placed.length === 1) return;
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  const shown = `{${placed.map((member) => `\`${member}\``).join(', ')}}`;
  out.push(placed.length === 0 ? field.required(path, detail) : field.invalid(path, shown, detail));
}

const nameOf = (item: Device | CounterSet): string => item.name ?? '';

function deviceErrors(out: Out, path: string, device: Device, perDevice: boolean): void {
  invalidEach(out, `${path}.name`, nameOf(device), isDNS1123Label(nameOf(device)));
  const attributes = sortedEntries(device.attributes);
  const capacities = sortedEntries(device.capacity);
  const count = attributes.length + capacities.length;
  if (count > mostAttributes) {
    const detail = `the total number of attributes and capacities must not exceed ${mostAttributes}`;
    out.push(field.invalid(path, count, detail));
  }
  const values = attributes.reduce((sum, [, attribute]) => sum + valuesOf(attribute), 0);
  if (values > mostAttributeValues) {
    const detail = `the total number of attribute values must not exceed ${mostAttributeValues}`;
    out.push(field.invalid(path, values, detail));
  }
  checkEach(out, attributes, (out, [key, attribute]) => {
    attributeName(out, `${path}.attributes`, key);
    attributeErrors(out, `${path}.attributes[${key}]`, attribute);
  });
  checkEach(out, capacities, (out, [key, capacity]) => {
    attributeName(out, `${path}.capacity`, key);
    capacityErrors(out, `${path}.capacity[${key}]`, capacity, device.allowMultipleAllocations === true);
  });
  taintErrors(out, `${path}.taints`, device.taints ?? []);
  consumptionErrors(out, `${path}.consumesCounters`, device.consumesCounters ?? []);
  devicePlacementErrors(out, path, device, perDevice);
  bindingConditionErrors(out, path, device);
}

function placementErrors(out: Out, spec: ResourceSliceSpec): void {
  const placed: string[] = [];
  if (isSet(spec.nodeName)) {
    const name = spec.nodeName;
    if (name === '') {
      out.push(field.invalid('spec.nodeName', '', 'must be either unset or set to a non-empty string'));
    } else {
      placed.push('`nodeName`');
      invalidEach(out, 'spec.nodeName', name, isDNS1123Subdomain(name));
    }
  }
  if (isSet(spec.nodeSelector)) {
    placed.push('`nodeSelector`');
    nodeSelectorErrors(out, 'spec.nodeSelector', spec.nodeSelector);
    const terms = spec.nodeSelector.nodeSelectorTerms;
    if ((terms ?? []).length !== 1) {
      const path = 'spec.nodeSelector.nodeSelectorTerms';
      const shown = goList('core.v1.NodeSelectorTerm', terms);
      out.push(field.invalid(path, shown, 'must have exactly one node selector term'));
    }
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection'] as const) {
    if (!isSet(spec[name])) continue;
    if (spec[name] === true) placed.push(`\`${name}\``);
    else out.push(field.invalid(`spec.${name}`, spec[name], 'must be either unset or set to true'));
  }
  const oneOf = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (placed.length === 0) out.push(field.required('spec', oneOf));
  else if (placed.length > 1) {
    out.push(field.invalid('spec', `{${placed.join(', ')}}`, `${oneOf}, but multiple fields are set`));
  }
}

function poolErrors(out: Out, pool: ResourcePool): void {
  poolName(out, 'spec.pool.name', pool.name);
  if (integer(pool.resourceSliceCount) <= 0) {
    out.push(
      field.invalid('spec.pool.resourceSliceCount', integer(pool.resourceSliceCount), 'must be greater than zero'),
    );
  }
  if (integer(pool.generation) < 0) {
    out.push(field.invalid('spec.pool.generation', pool.generation, 'must be greater than or equal to zero'));
  }
}

/** Slices that use features with a higher scheduling cost may contain fewer devices. */
function mostDevicesOf(devices: readonly Device[]): number {
  const isAdvanced = ({ taints = [], consumesCounters = [] }: Device) =>
    taints.length > 0 || consumesCounters.length > 0;
  return devices.some(isAdvanced) ? mostAdvancedDevices : mostDevices;
}

function sliceErrors(out: Out, spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined): void {
  csiDriverName(out, 'spec.driver', spec.driver);
  poolErrors(out, spec.pool ?? {});
  if (old !== undefined) {
    immutable(out, 'spec.pool.name', spec.pool?.name, old.pool?.name);
    immutable(out, 'spec.driver', spec.driver, old.driver);
    immutable(out, 'spec.nodeName', spec.nodeName, old.nodeName);
  }
  placementErrors(out, spec);
  if ((['sharedCounters', 'devices'] as const).every((name) => isNonZero(spec, name, true))) {
    out.push(field.invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed'));
  }
  const devices = spec.devices ?? [];
  uniqueItems(out, 'spec.devices', devices, mostDevicesOf(devices), nameOf, (at, device) =>
    deviceErrors(out, at, device, spec.perDeviceNodeSelection === true),
  );
  uniqueItems(out, 'spec.sharedCounters', spec.sharedCounters ?? [], mostCounterSets, nameOf, (at, set) =>
    counterErrors(out, `${at}.counters`, set.name, `${at}.name`, set.counters),
  );
}

/** Checks the devices that a driver offers on nodes. */
export const validateResourceSlice = (slice: ResourceSlice): FieldError[] =>
  collect((out) => sliceErrors(out, slice.spec ?? {}, undefined));

export const validateResourceSliceUpdate = (slice: ResourceSlice, old: ResourceSlice): FieldError[] =>
  collect((out) => sliceErrors(out, slice.spec ?? {}, old.spec ?? {}));
