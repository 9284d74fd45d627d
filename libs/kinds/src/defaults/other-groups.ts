import { deepClone, currentTimestamp } from '@apichain/meta';
import { isSet } from '../fields.ts';
import type { CustomResourceDefinition } from '@apichain/api/apiextensions/v1';
import type { HorizontalPodAutoscaler, HPAScalingRules } from '@apichain/api/autoscaling/v2';
import type { IngressClass, NetworkPolicy } from '@apichain/api/networking/v1';
import type { Subject } from '@apichain/api/rbac/v1';
import type { BasicDevice, DeviceRequest, ResourceSlice } from '@apichain/api/resource/v1beta1';
import type { Int64, Time } from '@apichain/api/scalars';
import type { ComputedRules } from './rules.ts';

const scaleUpRules: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDownRules: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

function withDefaults(defaults: HPAScalingRules, given: HPAScalingRules | undefined): HPAScalingRules {
  const set = Object.entries(given ?? {}).filter(([, value]) => isSet(value));
  return { ...deepClone(defaults), ...Object.fromEntries(set) };
}

/** The default scaling rules of autoscaling/v2, for autoscalers that set `behavior`. */
export function scalingBehavior(autoscaler: HorizontalPodAutoscaler): void {
  const behavior = autoscaler.spec?.behavior;
  if (!isSet(behavior)) return;
  behavior.scaleUp = withDefaults(scaleUpRules, behavior.scaleUp);
  behavior.scaleDown = withDefaults(scaleDownRules, behavior.scaleDown);
}

function policyTypes(policy: NetworkPolicy): void {
  const spec = policy.spec ?? {};
  if ((spec.policyTypes ?? []).length > 0) return;
  spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

function ingressClassScope(ingressClass: IngressClass): void {
  const parameters = ingressClass.spec?.parameters;
  if (isSet(parameters) && !isSet(parameters.scope)) parameters.scope = 'Cluster';
}

function subjectGroup(subject: Subject): void {
  const inRbac = subject.kind === 'User' || subject.kind === 'Group';
  if (inRbac && (subject.apiGroup ?? '') === '') subject.apiGroup = 'rbac.authorization.k8s.io';
}

function crdNames(crd: CustomResourceDefinition): void {
  const spec = crd.spec ?? {};
  const names = spec.names ?? {};
  if ((names.singular ?? '') === '') names.singular = (names.kind ?? '').toLowerCase();
  if ((names.listKind ?? '') === '' && (names.kind ?? '') !== '') names.listKind = `${names.kind ?? ''}List`;
  if (!isSet(spec.conversion)) spec.conversion = { strategy: 'None' };
}

function crdStoredVersions(crd: CustomResourceDefinition): void {
  const status = crd.status ?? {};
  if ((status.storedVersions ?? []).length > 0) return;
  const stored = (crd.spec?.versions ?? []).find((version) => version.storage === true);
  if (stored !== undefined) status.storedVersions = [stored.name ?? ''];
}

/** The fields of device requests that are the same in every version. */
interface CountedRequest {
  allocationMode?: string;
  count?: Int64;
}

/** The default count of a request, unless it requests all devices. */
function deviceCount(request: CountedRequest): void {
  const unset = !isSet(request.count) || request.count === 0;
  if (request.allocationMode === 'ExactCount' && unset) request.count = 1;
}

/** A v1beta1 request specifies devices itself if it names a class; otherwise its alternatives specify them. */
function flatRequest(request: DeviceRequest): void {
  if ((request.deviceClassName ?? '') === '') return;
  if ((request.allocationMode ?? '') === '') request.allocationMode = 'ExactCount';
  deviceCount(request);
}

interface TimedTaint {
  timeAdded?: Time | null;
}

function taintTimes(taints: readonly TimedTaint[]): void {
  const now = currentTimestamp();
  for (const taint of taints) if (!isSet(taint.timeAdded)) taint.timeAdded = now;
}

interface TaintedDevice {
  readonly taints?: TimedTaint[];
}

function taintsOfDevice({ taints }: TaintedDevice): void {
  taintTimes(taints ?? []);
}

function taintsOfSlice({ spec }: { readonly spec?: { readonly devices?: readonly TaintedDevice[] } }): void {
  for (const device of spec?.devices ?? []) taintsOfDevice(device);
}

/** In v1beta1 the taints of a device are in `basic`. */
function taintsOfBasicDevices({ spec }: ResourceSlice): void {
  for (const { basic } of spec?.devices ?? []) taintsOfDevice(basic ?? {});
}

/** Creates the taint of a rule if it is absent, as kube-apiserver does. */
function taintOfRule(rule: { spec?: { taint?: TimedTaint } }): void {
  taintTimes([((rule.spec ??= {}).taint ??= {})]);
}

function sharesOfDevice(device: BasicDevice): void {
  for (const mapping of Object.values(device.nodeAllocatableResourceMappings ?? {})) {
    if (isSet(mapping) && !isSet(mapping.allocationMultiplier)) mapping.allocationMultiplier = '1';
  }
}

const countedRequest = [{ compute: deviceCount, order: 2 }];

export const otherGroupRules: ComputedRules = {
  'autoscaling.v2.HorizontalPodAutoscaler': [{ compute: scalingBehavior }],
  'networking.k8s.io.v1.NetworkPolicy': [{ compute: policyTypes }],
  'networking.k8s.io.v1.IngressClass': [{ compute: ingressClassScope }],
  'rbac.authorization.k8s.io.v1.Subject': [{ compute: subjectGroup }],
  'apiextensions.k8s.io.v1.CustomResourceDefinition': [
    { compute: crdNames, order: 1 },
    { compute: crdStoredVersions, order: 2 },
  ],
  'resource.k8s.io.v1.ExactDeviceRequest': countedRequest,
  'resource.k8s.io.v1.DeviceSubRequest': countedRequest,
  'resource.k8s.io.v1.ResourceSlice': [{ compute: taintsOfSlice }],
  'resource.k8s.io.v1beta1.DeviceSubRequest': countedRequest,
  'resource.k8s.io.v1beta1.ResourceSlice': [{ compute: taintsOfBasicDevices }],
  'resource.k8s.io.v1beta2.ExactDeviceRequest': countedRequest,
  'resource.k8s.io.v1beta2.DeviceSubRequest': countedRequest,
  'resource.k8s.io.v1beta2.ResourceSlice': [{ compute: taintsOfSlice }],
  'resource.k8s.io.v1beta1.DeviceRequest': [{ compute: flatRequest }],
  'resource.k8s.io.v1beta1.BasicDevice': [{ compute: sharesOfDevice }],
  'resource.k8s.io.v1beta2.DeviceTaintRule': [{ compute: taintOfRule }],
  'resource.k8s.io.v1alpha3.DeviceTaintRule': [{ compute: taintOfRule }],
  'resource.k8s.io.v1alpha3.ResourcePoolStatusRequest': [
    { compute: (request) => void ((request.spec ??= {}).limit ??= 100) },
  ],
  'scheduling.k8s.io.v1alpha2.PodGroup': [{ compute: (group) => void ((group.spec ??= {}).disruptionMode ??= 'Pod') }],
  'certificates.k8s.io.v1beta1.PodCertificateRequest': [
    { compute: (request) => void ((request.spec ??= {}).maxExpirationSeconds ??= 86400) },
  ],
  'admissionregistration.k8s.io.v1alpha1.ParamRef': [
    { compute: (reference) => void (reference.parameterNotFoundAction ??= 'Deny') },
  ],
};
