import { currentTime } from '@apichain/meta';
import { formatTime } from '@apichain/go-text';
import type { ComputedRule } from '@apichain/scheme';
import { at, ensureRecord, isRecord, isSet, list, record, records, text, type Plain } from '../fields.ts';

const scaleUpRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDownRules = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

function withDefaults(defaults: Plain, given: unknown): Plain {
  const set = Object.entries(record(given)).filter(([, value]) => isSet(value));
  return { ...structuredClone(defaults), ...Object.fromEntries(set) };
}

/** The rules of autoscaling/v2 for scaling up and down, where an autoscaler says anything of it. */
export function scalingBehavior(autoscaler: Plain): void {
  const behavior = at(autoscaler.spec, 'behavior');
  if (!isRecord(behavior)) return;
  behavior.scaleUp = withDefaults(scaleUpRules, behavior.scaleUp);
  behavior.scaleDown = withDefaults(scaleDownRules, behavior.scaleDown);
}

function policyTypes(policy: Plain): void {
  const spec = record(policy.spec);
  if (list(spec.policyTypes).length > 0) return;
  spec.policyTypes = list(spec.egress).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

function ingressClassScope(ingressClass: Plain): void {
  const parameters = at(ingressClass.spec, 'parameters');
  if (isRecord(parameters) && !isSet(parameters.scope)) parameters.scope = 'Cluster';
}

function subjectGroup(subject: Plain): void {
  const inRbac = subject.kind === 'User' || subject.kind === 'Group';
  if (inRbac && text(subject.apiGroup) === '') subject.apiGroup = 'rbac.authorization.k8s.io';
}

function crdNames(crd: Plain): void {
  const spec = record(crd.spec);
  const names = record(spec.names);
  if (text(names.singular) === '') names.singular = text(names.kind).toLowerCase();
  if (text(names.listKind) === '' && text(names.kind) !== '') names.listKind = `${text(names.kind)}List`;
  if (!isSet(spec.conversion)) spec.conversion = { strategy: 'None' };
}

function crdStoredVersions(crd: Plain): void {
  const status = record(crd.status);
  if (list(status.storedVersions).length > 0) return;
  const stored = records(at(crd.spec, 'versions')).find((version) => version.storage === true);
  if (stored !== undefined) status.storedVersions = [text(stored.name)];
}

/** How many devices a request asks for, unless it asks for all. */
function deviceCount(request: Plain): void {
  const unset = !isSet(request.count) || request.count === 0;
  if (request.allocationMode === 'ExactCount' && unset) request.count = 1;
}

/** Requests of v1beta1 ask for devices themselves, unless they name no class: then their alternatives do. */
function flatRequest(request: Plain): void {
  if (text(request.deviceClassName) === '') return;
  if (text(request.allocationMode) === '') request.allocationMode = 'ExactCount';
  deviceCount(request);
}

function taintTimes(taints: readonly Plain[]): void {
  const now = formatTime(new Date(currentTime()));
  for (const taint of taints) if (!isSet(taint.timeAdded)) taint.timeAdded = now;
}

function taintsOfSlice(slice: Plain): void {
  for (const device of records(at(slice.spec, 'devices'))) {
    taintTimes(records(device.taints));
    taintTimes(records(at(device, 'basic', 'taints')));
  }
}

/** The taint of a rule is there even where the rule says nothing of it. */
function taintOfRule(rule: Plain): void {
  taintTimes([ensureRecord(ensureRecord(rule, 'spec'), 'taint')]);
}

function sharesOfDevice(device: Plain): void {
  for (const mapping of Object.values(record(device.nodeAllocatableResourceMappings))) {
    if (isRecord(mapping) && !isSet(mapping.allocationMultiplier)) mapping.allocationMultiplier = '1';
  }
}

const unless = (path: readonly string[], value: unknown): ComputedRule => ({
  compute: (object) => {
    const holder = path.slice(0, -1).reduce<Plain>((parent, name) => ensureRecord(parent, name), object);
    const name = path.at(-1) ?? '';
    if (!isSet(holder[name])) holder[name] = value;
  },
});

const resourceRules = Object.fromEntries(
  ['v1', 'v1beta1', 'v1beta2'].flatMap((version) => [
    [`resource.k8s.io.${version}.ExactDeviceRequest`, [{ compute: deviceCount, order: 2 }]],
    [`resource.k8s.io.${version}.DeviceSubRequest`, [{ compute: deviceCount, order: 2 }]],
    [`resource.k8s.io.${version}.ResourceSlice`, [{ compute: taintsOfSlice }]],
  ]),
) as Record<string, ComputedRule[]>;

export const otherGroupRules: Readonly<Record<string, readonly ComputedRule[]>> = {
  'autoscaling.v2.HorizontalPodAutoscaler': [{ compute: scalingBehavior }],
  'networking.k8s.io.v1.NetworkPolicy': [{ compute: policyTypes }],
  'networking.k8s.io.v1.IngressClass': [{ compute: ingressClassScope }],
  'rbac.authorization.k8s.io.v1.Subject': [{ compute: subjectGroup }],
  'apiextensions.k8s.io.v1.CustomResourceDefinition': [
    { compute: crdNames, order: 1 },
    { compute: crdStoredVersions, order: 2 },
  ],
  ...resourceRules,
  'resource.k8s.io.v1beta1.DeviceRequest': [{ compute: flatRequest }],
  'resource.k8s.io.v1beta1.BasicDevice': [{ compute: sharesOfDevice }],
  'resource.k8s.io.v1beta2.DeviceTaintRule': [{ compute: taintOfRule }],
  'resource.k8s.io.v1alpha3.DeviceTaintRule': [{ compute: taintOfRule }],
  'resource.k8s.io.v1alpha3.ResourcePoolStatusRequest': [unless(['spec', 'limit'], 100)],
  'scheduling.k8s.io.v1alpha2.PodGroup': [unless(['spec', 'disruptionMode'], 'Pod')],
  'certificates.k8s.io.v1beta1.PodCertificateRequest': [unless(['spec', 'maxExpirationSeconds'], 86400)],
  'admissionregistration.k8s.io.v1alpha1.ParamRef': [unless(['parameterNotFoundAction'], 'Deny')],
};
