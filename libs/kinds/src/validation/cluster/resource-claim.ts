import {
  byteLength,
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { at, isSet, list, type Plain, record, records, text } from '../../fields.ts';
import { semanticEqual } from '../../strategies/equality.ts';
import { conditionErrors } from '../common/conditions.ts';
import { csiDriverName } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { templateMetadataErrors } from '../common/metadata.ts';
import { collect, immutable, immutableDetail, invalidEach, type Out, requiredText } from '../common/rules.ts';
import { nodeSelectorErrors } from '../pod/node-selector.ts';
import {
  configurationErrors,
  deviceClaimErrors,
  requestNames,
  selectorErrors,
  withinLimit,
} from './device-requests.ts';

const specChanged = (out: Out, object: KubeObject, old: KubeObject, type: string): void => {
  if (semanticEqual(object.spec, old.spec)) return;
  out.push(field.invalid('spec', goValue(type, object.spec), immutableDetail));
};

/** https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const validateResourceClaim = (claim: KubeObject): FieldError[] =>
  collect((out) => deviceClaimErrors(out, 'spec.devices', at(claim.spec, 'devices')));

export const validateResourceClaimUpdate = (claim: KubeObject, old: KubeObject): FieldError[] =>
  collect((out) => specChanged(out, claim, old, 'resource.k8s.io.v1.ResourceClaimSpec'));

export function validateResourceClaimTemplate(template: KubeObject): FieldError[] {
  return collect((out) => {
    templateMetadataErrors(out, 'spec.metadata', at(template.spec, 'metadata'));
    deviceClaimErrors(out, 'spec.spec.devices', at(template.spec, 'spec', 'devices'));
  });
}

export const validateResourceClaimTemplateUpdate = (template: KubeObject, old: KubeObject): FieldError[] =>
  collect((out) => specChanged(out, template, old, 'resource.k8s.io.v1.ResourceClaimTemplateSpec'));

export function validateDeviceClass(deviceClass: KubeObject): FieldError[] {
  return collect((out) => {
    const spec = record(deviceClass.spec);
    selectorErrors(out, 'spec.selectors', spec.selectors);
    configurationErrors(out, 'spec.config', spec.config);
    const name = spec.extendedResourceName;
    if (isSet(name) && !/^[^/]+\/[^/]+$/.test(text(name))) {
      out.push(field.invalid('spec.extendedResourceName', text(name), 'must be a valid extended resource name'));
    }
  });
}

const mostConsumers = 256;

function reservedErrors(out: Out, claim: KubeObject, old: KubeObject): void {
  const path = 'status.reservedFor';
  const entries = records(record(claim.status).reservedFor);
  const allocated = isSet(record(claim.status).allocation);
  if (entries.length > 0 && !allocated) {
    out.push(field.forbidden(path, 'may not be specified when `allocated` is not set'));
    return;
  }
  const before = new Set(records(record(old.status).reservedFor).map((entry) => text(entry.uid)));
  const leaving = isSet(claim.metadata.deletionTimestamp);
  if (leaving && entries.some((entry) => !before.has(text(entry.uid)))) {
    const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
    out.push(field.forbidden(path, detail));
  }
  if (!withinLimit(out, path, entries, mostConsumers)) return;
  const uids = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    for (const name of ['resource', 'name', 'uid']) requiredText(out, `${path}[${i}].${name}`, entry[name]);
    const uid = text(entry.uid);
    if (uids.has(uid)) out.push(field.duplicate(`${path}[${i}].uid`, uid));
    uids.add(uid);
  }
}

export function poolName(out: Out, path: string, value: unknown): void {
  const name = text(value);
  if (name === '') {
    out.push(field.required(path));
    return;
  }
  if (byteLength(name) > 253) out.push(field.tooLong(path, 253));
  for (const part of name.split('/')) invalidEach(out, path, part, isDNS1123Subdomain(part));
}

function resultErrors(out: Out, path: string, result: Plain, known: ReadonlySet<string>): void {
  const request = text(result.request);
  if (!known.has(request)) {
    const detail =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    out.push(field.invalid(`${path}.request`, request, detail));
  }
  csiDriverName(out, `${path}.driver`, result.driver);
  poolName(out, `${path}.pool`, result.pool);
  const device = text(result.device);
  if (device === '') out.push(field.required(`${path}.device`));
  else invalidEach(out, `${path}.device`, device, isDNS1123Label(device));
}

function allocationErrors(out: Out, claim: KubeObject): void {
  const path = 'status.allocation';
  const allocation = record(record(claim.status).allocation);
  const known = requestNames(records(at(claim.spec, 'devices', 'requests')));
  const results = records(at(allocation, 'devices', 'results'));
  const resultsPath = `${path}.devices.results`;
  if (withinLimit(out, resultsPath, results, 32)) {
    for (const [i, result] of results.entries()) resultErrors(out, `${resultsPath}[${i}]`, result, known);
  }
  if (isSet(allocation.nodeSelector)) nodeSelectorErrors(out, `${path}.nodeSelector`, allocation.nodeSelector);
}

const identity = (device: Plain): string =>
  JSON.stringify([device.driver, device.pool, device.device, device.shareID ?? null]);

function deviceStatusErrors(out: Out, claim: KubeObject): void {
  const allocated = new Set(records(at(claim.status, 'allocation', 'devices', 'results')).map(identity));
  for (const [i, device] of records(record(claim.status).devices).entries()) {
    const path = `status.devices[${i}]`;
    if (!allocated.has(identity(device))) {
      const { driver, pool, device: name } = device;
      const shown = { Driver: text(driver), Pool: text(pool), Device: text(name), ShareID: null };
      out.push(field.invalid(path, shown, 'must be an allocated device in the claim'));
    }
    withinLimit(out, `${path}.conditions`, list(device.conditions), 8);
    conditionErrors(out, `${path}.conditions`, device.conditions);
    const network = record(device.networkData);
    for (const [name, limit] of [
      ['interfaceName', 256],
      ['hardwareAddress', 128],
    ] as const) {
      if (byteLength(text(network[name])) > limit) out.push(field.tooLong(`${path}.networkData.${name}`, limit));
    }
  }
}

/** What the scheduler and drivers report of a claim. */
export function validateResourceClaimStatus(claim: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    reservedErrors(out, claim, old);
    deviceStatusErrors(out, claim);
    const now = record(claim.status).allocation;
    const before = record(old.status).allocation;
    if (!isSet(before)) {
      if (isSet(now)) allocationErrors(out, claim);
    } else if (isSet(now)) {
      const shown = goValue('resource.k8s.io.v1.AllocationResult', now);
      immutable(out, 'status.allocation', now, before, shown);
    }
  });
}
