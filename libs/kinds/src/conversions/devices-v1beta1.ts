import type { KubeObject } from '@apichain/meta';
import { at, isRecord, isSet, type Plain, record } from '../fields.ts';

/*
 * resource.k8s.io/v1beta1, whose requests and devices are of other shapes than those of v1: what a request asks of devices stands beside its
 * alternatives, and what a device has is in `basic`. After pkg/apis/resource/v1beta1/conversion.go of kubernetes 1.36.
 */

const apiVersion = 'resource.k8s.io/v1';
const apiVersionV1beta1 = 'resource.k8s.io/v1beta1';

/** What v1 has in `exactly`. */
const exactMembers = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
] as const;
const ownMembers = ['name', 'firstAvailable'] as const;

const without = (object: Plain, names: readonly string[]): Plain =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
const isGiven = (value: unknown): boolean => isSet(value) && value !== '' && value !== 0;

function requestToV1(request: Plain): Plain {
  const exactly = without(request, ownMembers);
  const own = without(request, exactMembers);
  return Object.values(exactly).some(isGiven) ? { ...own, exactly } : own;
}

function requestFromV1(request: Plain): Plain {
  return { ...without(request, ['exactly']), ...record(request.exactly) };
}

function mapped(list: unknown, convert: (element: Plain) => Plain): unknown {
  return Array.isArray(list) ? list.map((element: unknown) => (isRecord(element) ? convert(element) : element)) : list;
}

/** Converts the requests of the spec of a claim in place. */
function convertRequests(spec: unknown, convert: (request: Plain) => Plain): void {
  const devices = at(spec, 'devices');
  if (isRecord(devices) && isSet(devices.requests)) devices.requests = mapped(devices.requests, convert);
}

const deviceToV1 = ({ basic, ...device }: Plain): Plain => ({ ...device, ...record(basic) });
const deviceFromV1 = ({ name, ...basic }: Plain): Plain => ({ name, basic });

function sliceToV1(slice: KubeObject): void {
  const spec = record(slice.spec);
  if (spec.nodeName === '') delete spec.nodeName;
  if (spec.allNodes === false) delete spec.allNodes;
  if (isSet(spec.devices)) spec.devices = mapped(spec.devices, deviceToV1);
}

function sliceFromV1(slice: KubeObject): void {
  const spec = record(slice.spec);
  if (isSet(spec.devices)) spec.devices = mapped(spec.devices, deviceFromV1);
}

type Convert = (object: KubeObject) => KubeObject;
const labelled =
  (version: string, convert: (object: KubeObject) => void): Convert =>
  (object) => {
    convert(object);
    object.apiVersion = version;
    return object;
  };

/** By kind: an object of v1beta1 as one of v1; may change its argument. */
export const devicesToV1: Readonly<Record<string, Convert>> = {
  ResourceClaim: labelled(apiVersion, (claim) => convertRequests(claim.spec, requestToV1)),
  ResourceClaimTemplate: labelled(apiVersion, ({ spec }) => convertRequests(at(spec, 'spec'), requestToV1)),
  ResourceSlice: labelled(apiVersion, sliceToV1),
};

/** By kind: an object of v1 as one of v1beta1; may change its argument. */
export const devicesFromV1: Readonly<Record<string, Convert>> = {
  ResourceClaim: labelled(apiVersionV1beta1, (claim) => convertRequests(claim.spec, requestFromV1)),
  ResourceClaimTemplate: labelled(apiVersionV1beta1, ({ spec }) => convertRequests(at(spec, 'spec'), requestFromV1)),
  ResourceSlice: labelled(apiVersionV1beta1, sliceFromV1),
};
