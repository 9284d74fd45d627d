import type * as v1 from '@apichain/api/resource/v1';
import type * as v1beta1 from '@apichain/api/resource/v1beta1';
import { isSet, type KubeObject } from '@apichain/meta';

/*
 * resource.k8s.io/v1beta1, whose requests and devices are of other shapes than those of v1: what a request asks of devices stands beside its
 * alternatives, and what a device has is in `basic`. After pkg/apis/resource/v1beta1/conversion.go of kubernetes 1.36.
 */

const apiVersion = 'resource.k8s.io/v1';
const apiVersionV1beta1 = 'resource.k8s.io/v1beta1';

const isGiven = (value: unknown): boolean => isSet(value) && value !== '' && value !== 0;

/** What v1 has in `exactly`: all that a request says beside its name and its alternatives. */
function requestToV1({ name, firstAvailable, ...exactly }: v1beta1.DeviceRequest): v1.DeviceRequest {
  const own = { name, ...(firstAvailable === undefined ? {} : { firstAvailable }) };
  return Object.values(exactly).some(isGiven) ? { ...own, exactly } : own;
}

const requestFromV1 = ({ exactly, ...own }: v1.DeviceRequest): v1beta1.DeviceRequest => ({ ...own, ...exactly });

const deviceToV1 = ({ basic, ...device }: v1beta1.Device): v1.Device => ({ ...device, ...basic });
const deviceFromV1 = ({ name, ...basic }: v1.Device): v1beta1.Device => ({ name, basic });

/*
 * Objects are converted in place, and only what differs is made anew: what the decoder knows of the other parts stays true of them.
 */

function claimToV1(spec: v1beta1.ResourceClaimSpec | undefined): void {
  const { devices } = spec ?? {};
  if (isSet(devices?.requests)) Object.assign(devices, { requests: devices.requests.map(requestToV1) });
}

function claimFromV1(spec: v1.ResourceClaimSpec | undefined): void {
  const { devices } = spec ?? {};
  if (isSet(devices?.requests)) Object.assign(devices, { requests: devices.requests.map(requestFromV1) });
}

function sliceToV1({ spec = {} }: v1beta1.ResourceSlice): void {
  if (spec.nodeName === '') delete spec.nodeName;
  if (spec.allNodes === false) delete spec.allNodes;
  if (isSet(spec.devices)) Object.assign(spec, { devices: spec.devices.map(deviceToV1) });
}

function sliceFromV1({ spec = {} }: v1.ResourceSlice): void {
  if (isSet(spec.devices)) Object.assign(spec, { devices: spec.devices.map(deviceFromV1) });
}

type Convert = (object: KubeObject) => KubeObject;
const labelled =
  <T extends KubeObject>(version: string, convert: (object: T) => void) =>
  (object: T): T => {
    convert(object);
    object.apiVersion = version;
    return object;
  };

/** By kind: an object of v1beta1 as one of v1; may change its argument. */
export const devicesToV1: Readonly<Record<string, Convert>> = {
  ResourceClaim: labelled(apiVersion, ({ spec }: v1beta1.ResourceClaim) => claimToV1(spec)),
  ResourceClaimTemplate: labelled(apiVersion, ({ spec }: v1beta1.ResourceClaimTemplate) => claimToV1(spec?.spec)),
  ResourceSlice: labelled(apiVersion, sliceToV1),
};

/** By kind: an object of v1 as one of v1beta1; may change its argument. */
export const devicesFromV1: Readonly<Record<string, Convert>> = {
  ResourceClaim: labelled(apiVersionV1beta1, ({ spec }: v1.ResourceClaim) => claimFromV1(spec)),
  ResourceClaimTemplate: labelled(apiVersionV1beta1, ({ spec }: v1.ResourceClaimTemplate) => claimFromV1(spec?.spec)),
  ResourceSlice: labelled(apiVersionV1beta1, sliceFromV1),
};
