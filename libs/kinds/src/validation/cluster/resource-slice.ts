import {
  byteLength,
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { integer, isSet, type Plain, record, records, text } from '../../fields.ts';
import { csiDriverName } from '../common/formats.ts';
import { collect, immutable, invalidEach, type Out, requiredChoice, sortedEntries } from '../common/rules.ts';
import { nodeSelectorErrors } from '../pod/node-selector.ts';
import { attributeName, withinLimit } from './device-requests.ts';
import { poolName } from './resource-claim.ts';

const mostDevices = 128;
const mostAttributes = 32;
const longestAttribute = 64;
const mostTaints = 16;
const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

function attributeErrors(out: Out, path: string, attribute: Plain): void {
  const given = ['int', 'bool', 'string', 'version'].filter((name) => isSet(attribute[name]));
  if (given.length !== 1) {
    const detail = 'exactly one value must be specified';
    out.push(given.length === 0 ? field.required(path, detail) : field.invalid(path, attribute, detail));
  }
  for (const name of ['string', 'version']) {
    const value = text(attribute[name]);
    if (byteLength(value) > longestAttribute) out.push(field.tooLong(`${path}.${name}`, longestAttribute));
    if (name === 'version' && isSet(attribute.version) && !semanticVersion.test(value)) {
      const detail = 'must be a string compatible with semver.org spec 2.0.0';
      out.push(field.invalid(`${path}.version`, value, detail));
    }
  }
}

function taintErrors(out: Out, path: string, value: unknown): void {
  const taints = records(value);
  if (!withinLimit(out, path, taints, mostTaints)) return;
  for (const [j, taint] of taints.entries()) {
    const at = `${path}[${j}]`;
    invalidEach(out, `${at}.key`, text(taint.key), isQualifiedName(text(taint.key)));
    invalidEach(out, `${at}.value`, text(taint.value), isValidLabelValue(text(taint.value)));
    requiredChoice(out, `${at}.effect`, taint.effect, ['NoExecute', 'NoSchedule', 'None']);
  }
}

function deviceErrors(out: Out, path: string, device: Plain, perDevice: boolean): void {
  const name = text(device.name);
  if (name === '') out.push(field.required(`${path}.name`));
  else invalidEach(out, `${path}.name`, name, isDNS1123Label(name));
  const attributes = sortedEntries(device.attributes);
  const capacities = sortedEntries(device.capacity);
  const count = attributes.length + capacities.length;
  if (count > mostAttributes) {
    const detail = `the total number of attributes and capacities must not exceed ${mostAttributes}`;
    out.push(field.invalid(path, count, detail));
  }
  for (const [key, attribute] of attributes) {
    attributeName(out, `${path}.attributes`, key, false);
    attributeErrors(out, `${path}.attributes[${key}]`, record(attribute));
  }
  for (const [key] of capacities) attributeName(out, `${path}.capacity`, key, false);
  taintErrors(out, `${path}.taints`, device.taints);
  const placed = ['nodeName', 'nodeSelector', 'allNodes'].filter((member) => isSet(device[member]));
  if (perDevice && placed.length !== 1) {
    const detail =
      'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    const shown = `{${placed.map((member) => `\`${member}\``).join(', ')}}`;
    out.push(placed.length === 0 ? field.required(path, detail) : field.invalid(path, shown, detail));
  }
  if (!perDevice && placed.length > 0) {
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    out.push(field.invalid(path, null, detail));
  }
}

function placementErrors(out: Out, spec: Plain): void {
  const placed: string[] = [];
  if (isSet(spec.nodeName)) {
    placed.push('`nodeName`');
    const name = text(spec.nodeName);
    if (name === '') {
      out.push(field.invalid('spec.nodeName', '', 'must be either unset or set to a non-empty string'));
    } else invalidEach(out, 'spec.nodeName', name, isDNS1123Subdomain(name));
  }
  if (isSet(spec.nodeSelector)) {
    placed.push('`nodeSelector`');
    nodeSelectorErrors(out, 'spec.nodeSelector', spec.nodeSelector);
    const terms = records(record(spec.nodeSelector).nodeSelectorTerms);
    if (terms.length !== 1) {
      const path = 'spec.nodeSelector.nodeSelectorTerms';
      out.push(field.invalid(path, terms, 'must have exactly one node selector term'));
    }
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
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

function poolErrors(out: Out, pool: Plain): void {
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

function sliceErrors(out: Out, spec: Plain): void {
  csiDriverName(out, 'spec.driver', spec.driver);
  poolErrors(out, record(spec.pool));
  placementErrors(out, spec);
  const devices = records(spec.devices);
  if (withinLimit(out, 'spec.devices', devices, mostDevices)) {
    const names = new Set<string>();
    for (const [i, device] of devices.entries()) {
      const name = text(device.name);
      deviceErrors(out, `spec.devices[${i}]`, device, spec.perDeviceNodeSelection === true);
      if (names.has(name)) out.push(field.duplicate(`spec.devices[${i}]`, name));
      names.add(name);
    }
  }
  for (const [i, set] of records(spec.sharedCounters).entries()) {
    const path = `spec.sharedCounters[${i}]`;
    const name = text(set.name);
    if (name === '') out.push(field.required(`${path}.name`));
    else invalidEach(out, `${path}.name`, name, isDNS1123Label(name));
    if (Object.keys(record(set.counters)).length === 0) out.push(field.required(`${path}.counters`));
  }
}

/** Devices that a driver offers on nodes. */
export const validateResourceSlice = (slice: KubeObject): FieldError[] =>
  collect((out) => sliceErrors(out, record(slice.spec)));

export function validateResourceSliceUpdate(slice: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const spec = record(slice.spec);
    const before = record(old.spec);
    sliceErrors(out, spec);
    immutable(out, 'spec.driver', spec.driver, before.driver);
    immutable(out, 'spec.pool.name', record(spec.pool).name, record(before.pool).name);
    immutable(out, 'spec.nodeName', spec.nodeName, before.nodeName);
  });
}
