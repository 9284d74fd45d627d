import {
  byteLength,
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { at, isSet, list, type Plain, record, records, text, texts } from '@apichain/kinds';
import { interfaceAddressMessages } from '../cidr.ts';
import { conditionErrors } from '../common/conditions.ts';
import { csiDriverName } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import {
  checkEach,
  collect,
  immutable,
  invalidEach,
  type Out,
  requiredChoice,
  requiredText,
  shownList,
} from '../common/rules.ts';
import { nodeSelectorErrors } from '../pod/node-selector.ts';
import {
  driverConfiguration,
  rawObject,
  requestNames,
  requestReference,
  requestReferences,
  sameParameters,
  uniqueItems,
  withinLimit,
} from './device-requests.ts';
import { repeats } from '../common/repeats.ts';

const mostConsumers = 256;
const mostResults = 32;
const mostConfigurations = 64;
const mostBindingConditions = 4;
const mostConditions = 8;
const mostAddresses = 16;

export function poolName(out: Out, path: string, value: unknown): void {
  const name = text(value);
  if (name === '') {
    out.push(field.required(path));
    return;
  }
  if (byteLength(name) > 253) out.push(field.tooLong(path, 253));
  checkEach(out, name.split('/'), (out, part) => invalidEach(out, path, part, isDNS1123Subdomain(part)));
}

/** Conditions that a device must meet before a pod is bound to its node, and those that end the wait. */
export function bindingConditionErrors(out: Out, path: string, device: Plain): void {
  const conditions = texts(device.bindingConditions);
  const failures = texts(device.bindingFailureConditions);
  const failuresAt = `${path}.bindingFailureConditions`;
  const conditionsAt = `${path}.bindingConditions`;
  for (const [where, names] of [
    [conditionsAt, conditions],
    [failuresAt, failures],
  ] as const) {
    if (!withinLimit(out, where, names, mostBindingConditions)) continue;
    checkEach(out, names, (out, name, i) => invalidEach(out, `${where}[${i}]`, name, isQualifiedName(name)));
  }
  checkEach(out, repeats(conditions), (out, [i, name]) => out.push(field.duplicate(`${conditionsAt}[${i}]`, name)));
  const known = new Set(conditions);
  const repeated = new Set(repeats(failures).map(([position]) => position));
  checkEach(out, failures, (out, name, i) => {
    if (repeated.has(i)) out.push(field.duplicate(`${failuresAt}[${i}]`, name));
    if (!known.has(name)) return;
    const detail = 'bindingFailureConditions must not overlap with bindingConditions';
    out.push(field.invalid(`${failuresAt}[${i}]`, name, detail));
  });
  if (conditions.length === 0 && failures.length > 0) {
    const detail = 'bindingConditions are required to use bindingFailureConditions';
    out.push(field.invalid(conditionsAt, shownList(device, 'bindingConditions'), detail));
  }
  if (failures.length === 0 && conditions.length > 0) {
    const detail = 'bindingFailureConditions are required to use bindingConditions';
    out.push(field.invalid(failuresAt, shownList(device, 'bindingFailureConditions'), detail));
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function shareErrors(out: Out, path: string, value: unknown): void {
  const id = text(value);
  if (!isSet(value) || uuid.test(id)) return;
  const detail = uuid.test(id.toLowerCase())
    ? 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
    : `error validating uid: ${id.length === 36 ? 'invalid UUID format' : `invalid UUID length: ${id.length}`}`;
  out.push(field.invalid(path, id, detail));
}

function deviceReference(out: Out, path: string, device: Plain): void {
  csiDriverName(out, `${path}.driver`, device.driver);
  poolName(out, `${path}.pool`, device.pool);
  const name = text(device.device);
  invalidEach(out, `${path}.device`, name, isDNS1123Label(name));
}

function reservedErrors(out: Out, claim: KubeObject): void {
  const uid = (consumer: Plain): string => text(consumer.uid);
  const entries = records(record(claim.status).reservedFor);
  uniqueItems(out, 'status.reservedFor', entries, mostConsumers, uid, (path, consumer) => {
    for (const name of ['resource', 'name', 'uid']) requiredText(out, `${path}.${name}`, consumer[name]);
  });
}

/** Consumers need an allocation, and none may come to a claim that goes. */
function reservationErrors(out: Out, claim: KubeObject, old: KubeObject): void {
  const path = 'status.reservedFor';
  const entries = records(record(claim.status).reservedFor);
  if (entries.length === 0) return;
  if (!isSet(record(claim.status).allocation)) {
    out.push(field.forbidden(path, 'may not be specified when `allocated` is not set'));
    return;
  }
  if (!isSet(claim.metadata.deletionTimestamp)) return;
  const before = new Set(records(record(old.status).reservedFor).map((entry) => JSON.stringify(entry)));
  if (entries.every((entry) => before.has(JSON.stringify(entry)))) return;
  const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  out.push(field.forbidden(path, detail));
}

function resultErrors(out: Out, path: string, result: Plain, known: ReadonlySet<string>): void {
  requestReference(out, `${path}.request`, text(result.request), known);
  deviceReference(out, path, result);
  bindingConditionErrors(out, path, result);
  shareErrors(out, `${path}.shareID`, result.shareID);
}

function allocationErrors(out: Out, claim: KubeObject): void {
  const path = 'status.allocation';
  const allocation = record(record(claim.status).allocation);
  const known = requestNames(records(at(claim.spec, 'devices', 'requests')));
  const results = records(at(allocation, 'devices', 'results'));
  const resultsAt = `${path}.devices.results`;
  if (withinLimit(out, resultsAt, results, mostResults)) {
    checkEach(out, results, (out, result, i) => resultErrors(out, `${resultsAt}[${i}]`, result, known));
  }
  const configurations = records(at(allocation, 'devices', 'config'));
  const configAt = `${path}.devices.config`;
  if (withinLimit(out, configAt, configurations, mostConfigurations)) {
    checkEach(out, configurations, (out, entry, i) => {
      requiredChoice(out, `${configAt}[${i}].source`, entry.source, ['FromClaim', 'FromClass']);
      requestReferences(out, `${configAt}[${i}].requests`, entry.requests, known);
      driverConfiguration(out, `${configAt}[${i}]`, entry);
    });
  }
  if (isSet(allocation.nodeSelector)) nodeSelectorErrors(out, `${path}.nodeSelector`, allocation.nodeSelector);
}

const identity = (device: Plain): string =>
  JSON.stringify([device.driver, device.pool, device.device, device.shareID ?? null]);

function networkErrors(out: Out, path: string, network: Plain): void {
  for (const [name, limit] of [
    ['interfaceName', 256],
    ['hardwareAddress', 128],
  ] as const) {
    if (byteLength(text(network[name])) > limit) out.push(field.tooLong(`${path}.${name}`, limit));
  }
  const address = (value: string): string => value;
  uniqueItems(out, `${path}.ips`, texts(network.ips), mostAddresses, address, (where, value) =>
    invalidEach(out, where, value, interfaceAddressMessages(value)),
  );
}

const shownIdentity = ({ driver, pool, device, shareID }: Plain): unknown => ({
  Driver: text(driver),
  Pool: text(pool),
  Device: text(device),
  ShareID: text(shareID),
});

function deviceStatusErrors(out: Out, claim: KubeObject): void {
  const allocated = new Set(records(at(claim.status, 'allocation', 'devices', 'results')).map(identity));
  const devices = records(record(claim.status).devices);
  const check = (path: string, device: Plain): void => {
    deviceReference(out, path, device);
    shareErrors(out, `${path}.shareID`, device.shareID);
    if (!allocated.has(identity(device))) {
      out.push(field.invalid(path, shownIdentity(device), 'must be an allocated device in the claim'));
    }
    withinLimit(out, `${path}.conditions`, list(device.conditions), mostConditions);
    conditionErrors(out, `${path}.conditions`, device.conditions);
    if (isSet(device.data)) rawObject(out, `${path}.data`, device.data);
    networkErrors(out, `${path}.networkData`, record(device.networkData));
  };
  uniqueItems(out, 'status.devices', devices, Infinity, identity, check, shownIdentity);
}

/** What the scheduler and drivers report of a claim. After pkg/apis/resource/validation. */
export function validateResourceClaimStatus(claim: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    reservedErrors(out, claim);
    deviceStatusErrors(out, claim);
    reservationErrors(out, claim, old);
    const now = record(claim.status).allocation;
    const before = record(old.status).allocation;
    if (!isSet(now)) return;
    if (isSet(before)) {
      const shown = goValue('resource.k8s.io.v1.AllocationResult', now);
      // Equal but for the text of parameters of drivers is changed too.
      const same = sameParameters(at(now, 'devices'), at(before, 'devices'));
      immutable(out, 'status.allocation', now, same ? before : undefined, shown);
    } else allocationErrors(out, claim);
  });
}
