import type {
  AllocatedDeviceStatus,
  AllocationResult,
  Device,
  DeviceRequest,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '@apichain/api/resource/v1';
import {
  byteLength,
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  type FieldError,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { interfaceAddressMessages } from '../cidr.ts';
import { conditionErrors } from '../common/conditions.ts';
import { csiDriverName } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import {
  checkEach,
  collect,
  immutable,
  invalidEach,
  requiredChoice,
  requiredText,
  shownList,
  repeats,
  type Out,
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

const mostConsumers = 256;
const mostResults = 32;
const mostConfigurations = 64;
const mostBindingConditions = 4;
const mostConditions = 8;
const mostAddresses = 16;

export function poolName(out: Out, path: string, name = ''): void {
  if (name === '') {
    out.push(field.required(path));
    return;
  }
  if (byteLength(name) > 253) out.push(field.tooLong(path, 253));
  checkEach(out, name.split('/'), (out, part) => invalidEach(out, path, part, isDNS1123Subdomain(part)));
}

/** Checks the conditions that a device must meet before a pod is bound to its node, and the conditions that end the wait. */
export function bindingConditionErrors(out: Out, path: string, device: Device | DeviceRequestAllocationResult): void {
  const conditions = device.bindingConditions ?? [];
  const failures = device.bindingFailureConditions ?? [];
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

function shareErrors(out: Out, path: string, id: string | undefined): void {
  if (!isSet(id) || uuid.test(id)) return;
  const detail = uuid.test(id.toLowerCase())
    ? 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
    : `error validating uid: ${id.length === 36 ? 'invalid UUID format' : `invalid UUID length: ${id.length}`}`;
  out.push(field.invalid(path, id, detail));
}

/** The fields that identify an allocated device. */
type AllocatedDevice = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

function deviceReference(out: Out, path: string, device: AllocatedDevice): void {
  csiDriverName(out, `${path}.driver`, device.driver);
  poolName(out, `${path}.pool`, device.pool);
  const name = device.device ?? '';
  invalidEach(out, `${path}.device`, name, isDNS1123Label(name));
}

function reservedErrors(out: Out, claim: ResourceClaim): void {
  const uid = (consumer: ResourceClaimConsumerReference): string => consumer.uid ?? '';
  const entries = claim.status?.reservedFor ?? [];
  uniqueItems(out, 'status.reservedFor', entries, mostConsumers, uid, (path, consumer) => {
    for (const name of ['resource', 'name', 'uid'] as const) requiredText(out, `${path}.${name}`, consumer[name]);
  });
}

/** Consumers need an allocation, and none can be added to a claim that is being deleted. */
function reservationErrors(out: Out, claim: ResourceClaim, old: ResourceClaim): void {
  const path = 'status.reservedFor';
  const entries = claim.status?.reservedFor ?? [];
  if (entries.length === 0) return;
  if (!isSet(claim.status?.allocation)) {
    out.push(field.forbidden(path, 'may not be specified when `allocated` is not set'));
    return;
  }
  if (!isSet(claim.metadata.deletionTimestamp)) return;
  const before = new Set((old.status?.reservedFor ?? []).map((entry) => JSON.stringify(entry)));
  if (entries.every((entry) => before.has(JSON.stringify(entry)))) return;
  const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  out.push(field.forbidden(path, detail));
}

function resultErrors(out: Out, path: string, result: DeviceRequestAllocationResult, known: ReadonlySet<string>): void {
  requestReference(out, `${path}.request`, result.request ?? '', known);
  deviceReference(out, path, result);
  bindingConditionErrors(out, path, result);
  shareErrors(out, `${path}.shareID`, result.shareID);
}

function allocationErrors(out: Out, allocation: AllocationResult, requests: readonly DeviceRequest[]): void {
  const path = 'status.allocation';
  const known = requestNames(requests);
  const results = allocation.devices?.results ?? [];
  const resultsAt = `${path}.devices.results`;
  if (withinLimit(out, resultsAt, results, mostResults)) {
    checkEach(out, results, (out, result, i) => resultErrors(out, `${resultsAt}[${i}]`, result, known));
  }
  const configurations = allocation.devices?.config ?? [];
  const configAt = `${path}.devices.config`;
  if (withinLimit(out, configAt, configurations, mostConfigurations)) {
    checkEach(out, configurations, (out, entry, i) => {
      requiredChoice(out, `${configAt}[${i}].source`, entry.source, ['FromClaim', 'FromClass']);
      requestReferences(out, `${configAt}[${i}].requests`, entry.requests ?? [], known);
      driverConfiguration(out, `${configAt}[${i}]`, entry);
    });
  }
  if (isSet(allocation.nodeSelector)) nodeSelectorErrors(out, `${path}.nodeSelector`, allocation.nodeSelector);
}

const identity = (device: AllocatedDevice): string =>
  JSON.stringify([device.driver, device.pool, device.device, device.shareID ?? null]);

function networkErrors(out: Out, path: string, network: NetworkDeviceData): void {
  for (const [name, limit] of [
    ['interfaceName', 256],
    ['hardwareAddress', 128],
  ] as const) {
    if (byteLength(network[name] ?? '') > limit) out.push(field.tooLong(`${path}.${name}`, limit));
  }
  const address = (value: string): string => value;
  uniqueItems(out, `${path}.ips`, network.ips ?? [], mostAddresses, address, (where, value) =>
    invalidEach(out, where, value, interfaceAddressMessages(value)),
  );
}

const shownIdentity = ({ driver, pool, device, shareID }: AllocatedDevice): unknown => ({
  Driver: driver ?? '',
  Pool: pool ?? '',
  Device: device ?? '',
  ShareID: shareID ?? '',
});

function deviceStatusErrors(out: Out, claim: ResourceClaim): void {
  const allocated = new Set((claim.status?.allocation?.devices?.results ?? []).map(identity));
  const devices = claim.status?.devices ?? [];
  const check = (path: string, device: AllocatedDeviceStatus): void => {
    deviceReference(out, path, device);
    shareErrors(out, `${path}.shareID`, device.shareID);
    if (!allocated.has(identity(device))) {
      out.push(field.invalid(path, shownIdentity(device), 'must be an allocated device in the claim'));
    }
    withinLimit(out, `${path}.conditions`, device.conditions ?? [], mostConditions);
    conditionErrors(out, `${path}.conditions`, device.conditions);
    if (isSet(device.data)) rawObject(out, `${path}.data`, device.data);
    networkErrors(out, `${path}.networkData`, device.networkData ?? {});
  };
  uniqueItems(out, 'status.devices', devices, Infinity, identity, check, shownIdentity);
}

/** Checks the status that the scheduler and drivers report for a claim. After pkg/apis/resource/validation. */
export function validateResourceClaimStatus(claim: ResourceClaim, old: ResourceClaim): FieldError[] {
  return collect((out) => {
    reservedErrors(out, claim);
    deviceStatusErrors(out, claim);
    reservationErrors(out, claim, old);
    const now = claim.status?.allocation;
    const before = old.status?.allocation;
    if (!isSet(now)) return;
    if (isSet(before)) {
      const shown = goValue('resource.k8s.io.v1.AllocationResult', now);
      // A change of only the JSON text of driver parameters counts as a change too.
      const same = sameParameters(now.devices, before.devices);
      immutable(out, 'status.allocation', now, same ? before : undefined, shown);
    } else allocationErrors(out, now, claim.spec?.devices?.requests ?? []);
  });
}
