import * as event from './cluster/event.ts';
import { validateLimitRange } from './cluster/limitrange.ts';
import * as node from './cluster/node.ts';
import * as quota from './cluster/quota.ts';
import * as resourceClaim from './cluster/resource-claim.ts';
import { validateResourceClaimStatus } from './cluster/resource-claim-status.ts';
import * as resourceSlice from './cluster/resource-slice.ts';
import * as runtimeClass from './cluster/runtimeclass.ts';
import * as configMap from './configmap.ts';
import { rowOf } from '@apichain/kinds';
import type { KindValidation, ValidationTable } from './kind-validation.ts';
import * as namespace from './namespace.ts';
import * as endpointSlice from './networking/endpointslice.ts';
import * as ingress from './networking/ingress.ts';
import * as ingressClass from './networking/ingressclass.ts';
import { validateNetworkPolicy } from './networking/networkpolicy.ts';
import { validateEphemeralContainers } from './pod/ephemeral-containers.ts';
import { validatePod } from './pod/pod.ts';
import { validatePodResize } from './pod/resize.ts';
import { validatePodStatusUpdate } from './pod/status.ts';
import { validatePodUpdate } from './pod/update.ts';
import * as policies from './policy/admission-policies.ts';
import * as trustBundle from './policy/cluster-trust-bundle.ts';
import { validateSigningRequest } from './policy/csr.ts';
import * as podCertificate from './policy/pod-certificate-request.ts';
import { validatePodCertificateStatus } from './policy/pod-certificate-status.ts';
import * as flowControl from './policy/flowcontrol.ts';
import { validateLease, validateLeaseCandidate } from './policy/lease.ts';
import * as rbac from './policy/rbac.ts';
import * as webhooks from './policy/webhooks.ts';
import * as secret from './secret.ts';
import * as service from './service.ts';
import * as small from './small-kinds.ts';
import * as claim from './storage/claim.ts';
import * as deviceTaintRule from './cluster/device-taint-rule.ts';
import { validateStorageVersionStatus } from './cluster/storage-version.ts';
import * as migration from './cluster/storage-version-migration.ts';
import * as storage from './storage/classes.ts';
import * as volume from './storage/volume.ts';
import * as controllers from './workloads/controllers.ts';
import * as cronJob from './workloads/cronjob.ts';
import * as daemonSet from './workloads/daemonset.ts';
import * as hpa from './workloads/hpa.ts';
import * as job from './workloads/job.ts';
import { validateJobStatus } from './workloads/job-status.ts';
import * as pdb from './workloads/pdb.ts';
import * as podGroups from './workloads/pod-groups.ts';
import * as statefulSet from './workloads/statefulset.ts';

/** One row a resource that has checks of its own, one file a kind. */
const validations: ValidationTable = {
  ...small.smallValidations,
  pods: {
    create: validatePod,
    update: validatePodUpdate,
    subresources: {
      status: validatePodStatusUpdate,
      ephemeralcontainers: validateEphemeralContainers,
      resize: validatePodResize,
    },
  },
  podtemplates: { create: controllers.validatePodTemplate, update: controllers.validatePodTemplate },
  replicationcontrollers: {
    create: controllers.validateReplicationController,
    update: controllers.validateReplicationController,
    subresources: { status: controllers.validateReplicaStatus },
  },
  'deployments.apps': {
    create: controllers.validateDeployment,
    update: controllers.validateDeploymentUpdate,
    subresources: { status: controllers.validateDeploymentStatus },
  },
  'replicasets.apps': {
    create: controllers.validateReplicaSet,
    update: controllers.validateReplicaSetUpdate,
    subresources: { status: controllers.validateReplicaStatus },
  },
  'daemonsets.apps': {
    create: daemonSet.validateDaemonSet,
    update: daemonSet.validateDaemonSetUpdate,
    subresources: { status: daemonSet.validateDaemonSetStatus },
  },
  'statefulsets.apps': {
    create: statefulSet.validateStatefulSet,
    update: statefulSet.validateStatefulSetUpdate,
    subresources: { status: statefulSet.validateStatefulSetStatus },
  },
  configmaps: {
    create: configMap.validateConfigMap,
    update: configMap.validateConfigMapUpdate,
    updateRepeatsCreate: true,
    updateEndsWith: configMap.validateConfigMap,
  },
  secrets: {
    create: secret.validateSecret,
    update: secret.validateSecretUpdate,
    updateRepeatsCreate: true,
    updateEndsWith: secret.validateSecret,
  },
  serviceaccounts: { updateRepeatsCreate: true },
  namespaces: {
    updateStartsWith: namespace.validateNamespace,
    create: namespace.validateNamespace,
    subresources: { status: namespace.validateNamespaceStatus, finalize: namespace.validateNamespaceFinalize },
  },
  services: {
    create: service.validateService,
    update: service.validateServiceUpdate,
    subresources: { status: service.validateServiceStatus },
  },
  'jobs.batch': {
    updateStartsWith: job.validateJob,
    create: job.validateJob,
    update: job.validateJobUpdate,
    subresources: { status: validateJobStatus },
  },
  'cronjobs.batch': { create: cronJob.validateCronJob, update: cronJob.validateCronJobUpdate },
  'horizontalpodautoscalers.autoscaling': {
    create: hpa.validateAutoscaler,
    update: hpa.validateAutoscaler,
    subresources: { status: hpa.validateAutoscalerStatus },
  },
  'poddisruptionbudgets.policy': {
    metadata: 'none',
    create: pdb.validateDisruptionBudget,
    update: pdb.validateDisruptionBudget,
    subresources: { status: pdb.validateDisruptionBudgetStatus },
  },
  persistentvolumes: {
    metadata: 'new',
    subresourceMetadata: 'changes',
    updateStartsWith: volume.validateVolume,
    create: volume.validateVolume,
    update: volume.validateVolumeUpdate,
    subresources: { status: () => [] },
  },
  persistentvolumeclaims: {
    updateRepeatsCreate: true,
    create: claim.validateClaim,
    updateEndsWith: claim.validateClaimUpdate,
    subresources: { status: claim.validateClaimStatus },
  },
  nodes: {
    updateStartsWith: node.validateNode,
    create: node.validateNode,
    update: node.validateNodeStatus,
    subresources: { status: node.validateNodeStatus },
  },
  resourcequotas: {
    create: quota.validateQuota,
    update: quota.validateQuotaUpdate,
    subresources: { status: quota.validateQuotaStatus },
  },
  limitranges: { metadata: 'new', create: validateLimitRange, update: validateLimitRange },
  events: { metadata: 'none', create: event.validateEvent, update: event.validateEvent },
  'events.events.k8s.io': {
    beforeMetadata: event.validateNamedEvent,
    create: event.validateStrictEvent,
    update: event.validateStrictEventUpdate,
  },
  'ingresses.networking.k8s.io': {
    updateRepeatsCreate: true,
    create: ingress.validateIngress,
    update: ingress.validateIngressUpdate,
    subresources: { status: ingress.validateIngressStatus },
  },
  'ingressclasses.networking.k8s.io': {
    updateRepeatsCreate: true,
    create: ingressClass.validateIngressClass,
    update: ingressClass.validateIngressClassUpdate,
    updateEndsWith: ingressClass.validateIngressClass,
  },
  'networkpolicies.networking.k8s.io': { create: validateNetworkPolicy, update: validateNetworkPolicy },
  'endpointslices.discovery.k8s.io': {
    metadata: 'new',
    create: endpointSlice.validateEndpointSlice,
    update: endpointSlice.validateEndpointSliceUpdate,
  },
  'roles.rbac.authorization.k8s.io': { create: rbac.validateRole, updateStartsWith: rbac.validateRole },
  'clusterroles.rbac.authorization.k8s.io': {
    create: rbac.validateClusterRole,
    updateStartsWith: rbac.validateClusterRole,
  },
  'rolebindings.rbac.authorization.k8s.io': rbac.roleBindingValidation,
  'clusterrolebindings.rbac.authorization.k8s.io': rbac.clusterRoleBindingValidation,
  'storageclasses.storage.k8s.io': {
    updateStartsWith: storage.validateStorageClass,
    create: storage.validateStorageClass,
    update: storage.validateStorageClassUpdate,
  },
  'volumeattributesclasses.storage.k8s.io': {
    updateRepeatsCreate: true,
    create: storage.validateVolumeAttributesClass,
    update: storage.validateVolumeAttributesClassUpdate,
    updateEndsWith: storage.validateVolumeAttributesClass,
  },
  'volumeattachments.storage.k8s.io': {
    metadata: 'new',
    create: storage.validateVolumeAttachment,
    update: storage.validateVolumeAttachmentUpdate,
    subresources: {
      status: storage.validateVolumeAttachmentUpdate,
    },
  },
  'csidrivers.storage.k8s.io': {
    create: storage.validateCsiDriver,
    update: storage.validateCsiDriverUpdate,
  },
  'csinodes.storage.k8s.io': {
    metadata: 'new',
    create: storage.validateCsiNode,
    update: storage.validateCsiNodeUpdate,
  },
  'csistoragecapacities.storage.k8s.io': {
    updateStartsWith: () => [],
    create: storage.validateStorageCapacity,
    update: storage.validateStorageCapacityUpdate,
  },
  'runtimeclasses.node.k8s.io': {
    updateStartsWith: runtimeClass.validateRuntimeClass,
    create: runtimeClass.validateRuntimeClass,
    update: runtimeClass.validateRuntimeClassUpdate,
  },
  'leases.coordination.k8s.io': { create: validateLease, update: validateLease },
  'leasecandidates.coordination.k8s.io': { create: validateLeaseCandidate, update: validateLeaseCandidate },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    metadata: 'new',
    create: webhooks.validateValidatingWebhooks,
    update: webhooks.validateValidatingWebhooks,
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': {
    metadata: 'new',
    create: webhooks.validateMutatingWebhooks,
    update: webhooks.validateMutatingWebhooks,
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    metadata: 'new',
    subresourceMetadata: 'none',
    create: policies.validateValidatingPolicy,
    update: policies.validateValidatingPolicy,
    subresources: { status: policies.validateValidatingPolicyStatus },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    metadata: 'new',
    create: policies.validateValidatingBinding,
    update: policies.validateValidatingBinding,
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    metadata: 'new',
    create: policies.validateMutatingPolicy,
    update: policies.validateMutatingPolicy,
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    metadata: 'new',
    create: policies.validateMutatingBinding,
    update: policies.validateMutatingBinding,
  },
  'certificatesigningrequests.certificates.k8s.io': {
    create: validateSigningRequest,
    updateStartsWith: () => [],
    subresourceMetadata: 'new',
    subresources: { status: () => [], approval: () => [] },
  },
  'clustertrustbundles.certificates.k8s.io': {
    create: trustBundle.validateTrustBundle,
    updateStartsWith: trustBundle.validateTrustBundle,
    update: trustBundle.validateTrustBundleUpdate,
  },
  'podcertificaterequests.certificates.k8s.io': {
    create: podCertificate.validatePodCertificateRequest,
    update: podCertificate.validatePodCertificateRequestUpdate,
    subresources: { status: validatePodCertificateStatus },
  },
  'workloads.scheduling.k8s.io': { create: podGroups.validateWorkload, update: podGroups.validateWorkload },
  'podgroups.scheduling.k8s.io': {
    create: podGroups.validatePodGroup,
    update: podGroups.validatePodGroup,
    subresources: { status: podGroups.validatePodGroupStatus },
  },
  'storageversionmigrations.storagemigration.k8s.io': {
    updateStartsWith: migration.validateStorageVersionMigration,
    create: migration.validateStorageVersionMigration,
    update: migration.validateStorageVersionMigrationUpdate,
    subresources: { status: migration.validateStorageVersionMigrationStatus },
  },
  'devicetaintrules.resource.k8s.io': {
    create: deviceTaintRule.validateDeviceTaintRule,
    update: deviceTaintRule.validateDeviceTaintRule,
    subresources: { status: deviceTaintRule.validateDeviceTaintRuleStatus },
  },
  'resourcepoolstatusrequests.resource.k8s.io': {
    create: deviceTaintRule.validatePoolStatusRequest,
    update: deviceTaintRule.validatePoolStatusRequest,
    subresources: { status: deviceTaintRule.validatePoolStatus },
  },
  'resourceclaims.resource.k8s.io': {
    updateStartsWith: () => [],
    create: resourceClaim.validateResourceClaim,
    update: resourceClaim.validateResourceClaimUpdate,
    subresources: { status: validateResourceClaimStatus },
  },
  'resourceclaimtemplates.resource.k8s.io': {
    updateStartsWith: resourceClaim.validateResourceClaimTemplate,
    create: resourceClaim.validateResourceClaimTemplate,
    update: resourceClaim.validateResourceClaimTemplateUpdate,
  },
  'deviceclasses.resource.k8s.io': {
    updateStartsWith: () => [],
    create: resourceClaim.validateDeviceClass,
    update: resourceClaim.validateDeviceClass,
  },
  'resourceslices.resource.k8s.io': {
    create: resourceSlice.validateResourceSlice,
    update: resourceSlice.validateResourceSliceUpdate,
  },
  'storageversions.internal.apiserver.k8s.io': {
    metadata: 'onCreate',
    create: validateStorageVersionStatus,
    subresources: { status: validateStorageVersionStatus },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    metadata: 'new',
    subresourceMetadata: 'none',
    create: flowControl.validateFlowSchema,
    update: flowControl.validateFlowSchema,
    subresources: { status: flowControl.validateFlowControlStatus },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    metadata: 'new',
    subresourceMetadata: 'none',
    create: flowControl.validatePriorityLevel,
    update: flowControl.validatePriorityLevel,
    subresources: { status: flowControl.validateFlowControlStatus },
  },
};

const unchecked: KindValidation = {};

/** The row of a resource; one without checks for those that have none of their own. */
export const validationOf = (group: string, resource: string): KindValidation =>
  rowOf<KindValidation>(validations, group, resource) ?? unchecked;
