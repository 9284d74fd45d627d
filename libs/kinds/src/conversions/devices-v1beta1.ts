import type * as v1 from '@apichain/api/resource/v1';
import type * as v1beta1 from '@apichain/api/resource/v1beta1';
import { isSet, type KubeObject } from '@apichain/meta';

/*
 * resource.k8s.io/v1beta1, whose requests and devices have other shapes than in v1: the fields of an exact request are beside its alternatives, and
 * the fields of a device are in `basic`. After pkg/apis/resource/v1beta1/conversion.go of kubernetes 1.36.
 */

const apiVersion = 'resource.k8s.io/v1';
const apiVersionV1beta1 = 'resource.k8s.io/v1beta1';

const isGiven = (value: unknown): boolean => isSet(value) && value !== '' && value !== 0;

/** Moves all fields of a request except its name and its alternatives to `exactly`. */
function requestToV1({ name, firstAvailable, ...exactly }: v1beta1.DeviceRequest): v1.DeviceRequest {
  const own = { name, ...(firstAvailable === undefined ? {} : { firstAvailable }) };
  return Object.values(exactly).some(isGiven) ? { ...own, exactly } : own;
}

const requestFromV1 = ({ exactly, ...own }: v1.DeviceRequest): v1beta1.DeviceRequest => ({ ...own, ...exactly });

const deviceToV1 = ({ basic, ...device }: v1beta1.Device): v1.Device => ({ ...device, ...basic });
const deviceFromV1 = ({ name, ...basic }: v1.Device): v1beta1.Device => ({ name, basic });

/* Objects are converted in place, and only the parts that differ are recreated, so that the decoder's records about the other parts stay valid. */

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

/** By kind: converts an object of v1beta1 to v1; may modify its argument. */
export const devicesToV1: Readonly<Record<string, Convert>> = {
  ResourceClaim: labelled(apiVersion, ({ spec }: v1beta1.ResourceClaim) => claimToV1(spec)),
  ResourceClaimTemplate: labelled(apiVersion, ({ spec }: v1beta1.ResourceClaimTemplate) => claimToV1(spec?.spec)),
  ResourceSlice: labelled(apiVersion, sliceToV1),
};

/** By kind: converts an object of v1 to v1beta1; may modify its argument. */
export const devicesFromV1: Readonly<Record<string, Convert>> = {
  ResourceClaim: labelled(apiVersionV1beta1, ({ spec }: v1.ResourceClaim) => claimFromV1(spec)),
  ResourceClaimTemplate: labelled(apiVersionV1beta1, ({ spec }: v1.ResourceClaimTemplate) => claimFromV1(spec?.spec)),
  ResourceSlice: labelled(apiVersionV1beta1, sliceFromV1),
};
