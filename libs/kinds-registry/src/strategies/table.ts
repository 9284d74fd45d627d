import type { StoredKinds } from '@apichain/api/stored-kinds';
import { findRow, scalingBehavior } from '@apichain/kinds';
import { trustBundleName } from '@apichain/kinds-validation';
import { withParamAccess } from '../policies/param-access.ts';
import { withEscalationCheck } from '../rbac/escalation-check.ts';
import type { KindBehaviour } from './behaviour.ts';
import { certificateSigningRequestBehaviour } from './certificatesigningrequest.ts';
import * as devices from './devices.ts';
import * as small from './small-kinds.ts';
import { eventBehaviour } from './small-kinds.ts';
import { jobBehaviour } from './job.ts';
import { namespaceBehaviour } from './namespace.ts';
import { nodeBehaviour } from './node.ts';
import { persistentVolumeBehaviour } from './persistentvolume.ts';
import { persistentVolumeClaimBehaviour } from './persistentvolumeclaim.ts';
import { podBehaviour } from './pod.ts';
import { resourceSliceBehaviour } from './resourceslice.ts';
import * as scheduling from './scheduling.ts';
import { serviceBehaviour } from './service.ts';
import * as workloads from './workloads.ts';

const plain: KindBehaviour = { name: 'subdomain', status: 'keep' };
const deletedObject: KindBehaviour = { ...plain, returnDeletedObject: true };
const generated: KindBehaviour = { ...plain, generation: ['spec'] };
const anyName: KindBehaviour = { ...plain, name: 'any' };
const spec: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  subresources: { status: workloads.statusOnly },
};
const ungenerated: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  subresources: { status: workloads.statusOnly },
};
const webhooks: KindBehaviour = {
  ...plain,
  generation: ['webhooks'],
  emptyIsChange: true,
  warnings: small.staticNameWarnings,
};
const policy: KindBehaviour = { ...generated, warnings: small.staticNameWarnings };
const flowControl: KindBehaviour = { ...spec, subresources: { status: small.statusAlone } };

/** One row per resource, `resource` or `resource.group`, with its deviations from the default. Source: pkg/registry of kubernetes 1.36. */
const behaviours: { readonly [Resource in keyof StoredKinds]?: KindBehaviour<StoredKinds[Resource]> } = {
  pods: podBehaviour,
  podtemplates: workloads.podTemplateBehaviour,
  replicationcontrollers: { ...workloads.replicationControllerBehaviour, name: 'longName' },
  services: serviceBehaviour,
  endpoints: small.endpointsBehaviour,
  nodes: nodeBehaviour,
  namespaces: namespaceBehaviour,
  configmaps: plain,
  secrets: small.secretBehaviour,
  serviceaccounts: small.serviceAccountBehaviour,
  persistentvolumes: persistentVolumeBehaviour,
  persistentvolumeclaims: persistentVolumeClaimBehaviour,
  limitranges: small.limitRangeBehaviour,
  resourcequotas: small.resourceQuotaBehaviour,
  events: eventBehaviour,
  'events.events.k8s.io': { ...eventBehaviour, name: 'subdomain' },
  'deployments.apps': workloads.deploymentBehaviour,
  'daemonsets.apps': workloads.daemonSetBehaviour,
  'statefulsets.apps': workloads.statefulSetBehaviour,
  'replicasets.apps': workloads.replicaSetBehaviour,
  'controllerrevisions.apps': plain,
  'jobs.batch': jobBehaviour,
  'cronjobs.batch': workloads.cronJobBehaviour,
  // Objects written through v1 get the defaults of v2 when they are read from the store, after validation.
  'horizontalpodautoscalers.autoscaling': {
    ...ungenerated,
    gated: [{ gate: 'HPAConfigurableTolerance', paths: ['spec.behavior.scaleDown|scaleUp.tolerance'] }],
    hooks: { canonicalize: scalingBehavior },
  },
  'ingresses.networking.k8s.io': small.ingressBehaviour,
  'ingressclasses.networking.k8s.io': generated,
  'networkpolicies.networking.k8s.io': small.networkPolicyBehaviour,
  'servicecidrs.networking.k8s.io': {
    name: 'subdomain',
    status: 'reset',
    subresources: { status: small.statusAndNoMetadata },
  },
  'ipaddresses.networking.k8s.io': { name: 'ipAddress', status: 'keep', hooks: { generateNameUnchanged: true } },
  'poddisruptionbudgets.policy': { ...spec, name: 'any' },
  'roles.rbac.authorization.k8s.io': { ...anyName, server: { strategy: withEscalationCheck('roles') } },
  'rolebindings.rbac.authorization.k8s.io': { ...anyName, server: { strategy: withEscalationCheck('rolebindings') } },
  'clusterroles.rbac.authorization.k8s.io': { ...anyName, server: { strategy: withEscalationCheck('clusterroles') } },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    ...anyName,
    server: { strategy: withEscalationCheck('clusterrolebindings') },
  },
  'priorityclasses.scheduling.k8s.io': small.priorityClassBehaviour,
  'leases.coordination.k8s.io': small.leaseBehaviour,
  'leasecandidates.coordination.k8s.io': plain,
  'runtimeclasses.node.k8s.io': small.runtimeClassBehaviour,
  'endpointslices.discovery.k8s.io': small.endpointSliceBehaviour,
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequestBehaviour,
  'clustertrustbundles.certificates.k8s.io': {
    ...plain,
    nameOf: trustBundleName,
    name: 'any',
  },
  'podcertificaterequests.certificates.k8s.io': {
    name: 'subdomain',
    status: 'reset',
    resetFields: [],
    subresources: { status: { ...small.statusAndNoMetadata, resetFields: ['spec'] } },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': flowControl,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': flowControl,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    ...spec,
    warnings: small.staticNameWarnings,
    subresources: { status: small.statusAndNoMetadata },
    server: { strategy: withParamAccess('validatingadmissionpolicies') },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    ...policy,
    server: { strategy: withParamAccess('validatingadmissionpolicybindings') },
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    ...policy,
    server: { strategy: withParamAccess('mutatingadmissionpolicies') },
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    ...policy,
    server: { strategy: withParamAccess('mutatingadmissionpolicybindings') },
  },
  'storageclasses.storage.k8s.io': small.storageClassBehaviour,
  'volumeattributesclasses.storage.k8s.io': deletedObject,
  'csidrivers.storage.k8s.io': small.csiDriverBehaviour,
  'csinodes.storage.k8s.io': deletedObject,
  'csistoragecapacities.storage.k8s.io': small.storageCapacityBehaviour,
  'volumeattachments.storage.k8s.io': {
    name: 'subdomain',
    status: 'reset',
    returnDeletedObject: true,
    initialStatus: () => ({ attached: false }),
    subresources: { status: small.statusAndNoMetadata },
  },
  'deviceclasses.resource.k8s.io': devices.deviceClassBehaviour,
  'resourceslices.resource.k8s.io': resourceSliceBehaviour,
  'resourceclaims.resource.k8s.io': devices.resourceClaimBehaviour,
  'resourceclaimtemplates.resource.k8s.io': devices.claimTemplateBehaviour,
  'devicetaintrules.resource.k8s.io': devices.deviceTaintRuleBehaviour,
  'resourcepoolstatusrequests.resource.k8s.io': devices.poolStatusRequestBehaviour,
  'workloads.scheduling.k8s.io': scheduling.workloadBehaviour,
  'podgroups.scheduling.k8s.io': scheduling.podGroupBehaviour,
  'storageversions.internal.apiserver.k8s.io': {
    ...ungenerated,
    name: 'storageVersion',
    subresources: { status: small.statusAndNoMetadata },
  },
  'storageversionmigrations.storagemigration.k8s.io': {
    ...ungenerated,
    subresources: { status: small.statusAndNoMetadata },
  },
};

/** The row of a resource; a default row for resources without one. */
export const behaviourOf = (group: string, resource: string): KindBehaviour =>
  findRow<KindBehaviour>(behaviours, group, resource) ?? plain;
