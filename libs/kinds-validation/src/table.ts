import { findRow } from '@apichain/kinds';
import * as deviceTaintRule from './cluster/device-taint-rule.ts';
import * as event from './cluster/event.ts';
import { validateLimitRange } from './cluster/limitrange.ts';
import * as node from './cluster/node.ts';
import * as priorityClass from './cluster/priority-class.ts';
import * as quota from './cluster/quota.ts';
import * as resourceClaim from './cluster/resource-claim.ts';
import { validateResourceClaimStatus } from './cluster/resource-claim-status.ts';
import * as resourceSlice from './cluster/resource-slice.ts';
import * as runtimeClass from './cluster/runtimeclass.ts';
import { validateStorageVersionStatus } from './cluster/storage-version.ts';
import * as migration from './cluster/storage-version-migration.ts';
import * as configMap from './data-maps.ts';
import * as secret from './data-maps.ts';
import { validateEndpoints, validateEndpointsUpdate } from './endpoints.ts';
import type { KindValidation, ValidationTable } from './kind-validation.ts';
import * as namespace from './namespace.ts';
import * as endpointSlice from './networking/endpointslice.ts';
import * as ingress from './networking/ingress.ts';
import * as ingressClass from './networking/ingressclass.ts';
import * as ipAddress from './networking/ip-address.ts';
import { validateNetworkPolicy } from './networking/networkpolicy.ts';
import * as serviceCidr from './networking/service-cidr.ts';
import { genericObjectMeta, genericObjectMetaUpdate, objectMeta, objectMetaUpdate } from './object-meta.ts';
import { validateEphemeralContainers } from './pod/ephemeral-containers.ts';
import { validatePod } from './pod/pod.ts';
import { validatePodResize } from './pod/resize.ts';
import { validatePodStatusUpdate } from './pod/status.ts';
import { validatePodUpdate } from './pod/update.ts';
import * as policies from './policy/admission-policies.ts';
import * as trustBundle from './policy/cluster-trust-bundle.ts';
import { validateSigningRequest } from './policy/csr.ts';
import { validateSigningRequestApproval, validateSigningRequestStatus } from './policy/csr-status.ts';
import * as podCertificate from './policy/pod-certificate-request.ts';
import { validatePodCertificateStatus } from './policy/pod-certificate-status.ts';
import * as flowControl from './policy/flowcontrol.ts';
import { validateLease, validateLeaseCandidate } from './policy/lease.ts';
import * as rbac from './policy/rbac.ts';
import * as webhooks from './policy/webhooks.ts';
import * as service from './service.ts';
import * as claim from './storage/claim.ts';
import * as storage from './storage/classes.ts';
import * as volume from './storage/volume.ts';
import { validateControllerRevision, validateControllerRevisionUpdate } from './workloads/controller-revision.ts';
import * as controllers from './workloads/controllers.ts';
import * as cronJob from './workloads/cronjob.ts';
import * as daemonSet from './workloads/daemonset.ts';
import * as hpa from './workloads/hpa.ts';
import * as job from './workloads/job.ts';
import { validateJobStatus } from './workloads/job-status.ts';
import * as pdb from './workloads/pdb.ts';
import * as podGroups from './workloads/pod-groups.ts';
import * as statefulSet from './workloads/statefulset.ts';

/**
 * One row per resource: its checks for each operation, in order. Each kind has its own file. The order is that of the functions `Validate*` of
 * pkg/apis of kubernetes 1.36, and of the strategies of pkg/registry that call them.
 */
const validations: ValidationTable = {
  pods: {
    create: [objectMeta, validatePod],
    update: [objectMetaUpdate, validatePodUpdate],
    subresources: {
      status: [objectMetaUpdate, validatePodStatusUpdate],
      ephemeralcontainers: [objectMetaUpdate, validateEphemeralContainers],
      resize: [objectMetaUpdate, validatePodResize],
    },
  },
  podtemplates: {
    create: [objectMeta, controllers.validatePodTemplate],
    update: [objectMetaUpdate, controllers.validatePodTemplate],
  },
  replicationcontrollers: {
    create: [objectMeta, controllers.validateReplicationController],
    update: [objectMetaUpdate, controllers.validateReplicationController],
    subresources: { status: [objectMetaUpdate, controllers.validateReplicaStatus] },
  },
  configmaps: {
    create: [objectMeta, configMap.validateConfigMap],
    update: [objectMetaUpdate, configMap.validateConfigMapUpdate, objectMeta, configMap.validateConfigMap],
  },
  secrets: {
    create: [objectMeta, secret.validateSecret],
    update: [objectMetaUpdate, secret.validateSecretUpdate, objectMeta, secret.validateSecret],
  },
  serviceaccounts: { create: [objectMeta], update: [objectMetaUpdate, objectMeta] },
  namespaces: {
    create: [objectMeta, namespace.validateNamespace],
    update: [objectMeta, namespace.validateNamespace, objectMetaUpdate],
    subresources: {
      status: [objectMetaUpdate, namespace.validateNamespaceStatus],
      finalize: [objectMetaUpdate, namespace.validateNamespaceFinalize],
    },
  },
  services: {
    create: [objectMeta, service.validateService],
    update: [objectMetaUpdate, service.validateServiceUpdate],
    subresources: { status: [objectMetaUpdate, service.validateServiceStatus] },
  },
  endpoints: {
    create: [objectMeta, validateEndpoints],
    update: [objectMetaUpdate, objectMeta, validateEndpointsUpdate],
  },
  persistentvolumes: {
    create: [objectMeta, volume.validateVolume],
    update: [objectMeta, volume.validateVolume, objectMeta, volume.validateVolumeUpdate],
    subresources: { status: [objectMetaUpdate] },
  },
  persistentvolumeclaims: {
    create: [objectMeta, claim.validateClaim],
    update: [objectMetaUpdate, objectMeta, claim.validateClaimUpdate],
    subresources: { status: [objectMetaUpdate, claim.validateClaimStatus] },
  },
  nodes: {
    create: [objectMeta, node.validateNode],
    update: [objectMeta, node.validateNode, objectMetaUpdate, node.validateNodeStatus],
    subresources: { status: [objectMetaUpdate, node.validateNodeStatus] },
  },
  resourcequotas: {
    create: [objectMeta, quota.validateQuota],
    update: [objectMetaUpdate, quota.validateQuotaUpdate],
    subresources: { status: [objectMetaUpdate, quota.validateQuotaStatus] },
  },
  limitranges: { create: [objectMeta, validateLimitRange], update: [objectMeta, validateLimitRange] },
  events: { create: [event.validateEvent], update: [event.validateEvent] },
  'events.events.k8s.io': {
    create: [event.validateNamedEvent, objectMeta, event.validateStrictEvent],
    update: [event.validateNamedEvent, objectMetaUpdate, event.validateStrictEventUpdate],
  },
  'deployments.apps': {
    create: [objectMeta, controllers.validateDeployment],
    update: [objectMetaUpdate, controllers.validateDeploymentUpdate],
    subresources: { status: [objectMetaUpdate, controllers.validateDeploymentStatus] },
  },
  'replicasets.apps': {
    create: [objectMeta, controllers.validateReplicaSet],
    update: [objectMetaUpdate, controllers.validateReplicaSetUpdate],
    subresources: { status: [objectMetaUpdate, controllers.validateReplicaStatus] },
  },
  'daemonsets.apps': {
    create: [objectMeta, daemonSet.validateDaemonSet],
    update: [objectMetaUpdate, daemonSet.validateDaemonSetUpdate],
    subresources: { status: [objectMetaUpdate, daemonSet.validateDaemonSetStatus] },
  },
  'statefulsets.apps': {
    create: [objectMeta, statefulSet.validateStatefulSet],
    update: [objectMetaUpdate, statefulSet.validateStatefulSetUpdate],
    subresources: { status: [objectMetaUpdate, statefulSet.validateStatefulSetStatus] },
  },
  'controllerrevisions.apps': {
    create: [objectMeta, validateControllerRevision],
    update: [objectMetaUpdate, objectMeta, validateControllerRevisionUpdate],
  },
  'jobs.batch': {
    create: [objectMeta, job.validateJob],
    update: [objectMeta, job.validateJob, objectMetaUpdate, job.validateJobUpdate],
    subresources: { status: [objectMetaUpdate, validateJobStatus] },
  },
  'cronjobs.batch': {
    create: [objectMeta, cronJob.validateCronJob],
    update: [objectMetaUpdate, cronJob.validateCronJobUpdate],
  },
  'horizontalpodautoscalers.autoscaling': {
    create: [objectMeta, hpa.validateAutoscaler],
    update: [objectMetaUpdate, hpa.validateAutoscaler],
    subresources: { status: [objectMetaUpdate, hpa.validateAutoscalerStatus] },
  },
  'poddisruptionbudgets.policy': {
    create: [pdb.validateDisruptionBudget],
    update: [pdb.validateDisruptionBudget],
    subresources: { status: [pdb.validateDisruptionBudgetStatus] },
  },
  'ingresses.networking.k8s.io': {
    create: [objectMeta, ingress.validateIngress],
    update: [objectMetaUpdate, ingress.validateIngressUpdate, objectMeta],
    subresources: { status: [objectMetaUpdate, ingress.validateIngressStatus] },
  },
  'ingressclasses.networking.k8s.io': {
    create: [objectMeta, ingressClass.validateIngressClass],
    update: [objectMetaUpdate, ingressClass.validateIngressClassUpdate, objectMeta, ingressClass.validateIngressClass],
  },
  'networkpolicies.networking.k8s.io': {
    create: [objectMeta, validateNetworkPolicy],
    update: [objectMetaUpdate, validateNetworkPolicy],
  },
  'servicecidrs.networking.k8s.io': {
    create: [objectMeta, serviceCidr.validateServiceCidr],
    update: [objectMetaUpdate, serviceCidr.validateServiceCidrUpdate],
    subresources: { status: [objectMetaUpdate] },
  },
  'ipaddresses.networking.k8s.io': {
    create: [objectMeta, ipAddress.validateIpAddress],
    update: [objectMeta, objectMetaUpdate, ipAddress.validateIpAddress, ipAddress.validateIpAddressUpdate],
  },
  'endpointslices.discovery.k8s.io': {
    create: [objectMeta, endpointSlice.validateEndpointSlice],
    update: [objectMeta, endpointSlice.validateEndpointSliceUpdate],
  },
  'roles.rbac.authorization.k8s.io': {
    create: [objectMeta, rbac.validateRole],
    update: [objectMeta, rbac.validateRole, objectMetaUpdate],
  },
  'clusterroles.rbac.authorization.k8s.io': {
    create: [objectMeta, rbac.validateClusterRole],
    update: [objectMeta, rbac.validateClusterRole, objectMetaUpdate],
  },
  'rolebindings.rbac.authorization.k8s.io': {
    create: [objectMeta, rbac.validateRoleBinding],
    update: [objectMeta, rbac.validateRoleBinding, objectMetaUpdate, rbac.validateRoleRefUpdate],
  },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    create: [objectMeta, rbac.validateClusterRoleBinding],
    update: [objectMeta, rbac.validateClusterRoleBinding, objectMetaUpdate, rbac.validateRoleRefUpdate],
  },
  'storageclasses.storage.k8s.io': {
    create: [objectMeta, storage.validateStorageClass],
    update: [objectMeta, storage.validateStorageClass, objectMetaUpdate, storage.validateStorageClassUpdate],
  },
  'volumeattributesclasses.storage.k8s.io': {
    create: [objectMeta, storage.validateVolumeAttributesClass],
    update: [
      objectMetaUpdate,
      storage.validateVolumeAttributesClassUpdate,
      objectMeta,
      storage.validateVolumeAttributesClass,
    ],
  },
  'volumeattachments.storage.k8s.io': {
    create: [objectMeta, storage.validateVolumeAttachment],
    update: [objectMeta, storage.validateVolumeAttachmentUpdate],
    subresources: { status: [objectMeta, storage.validateVolumeAttachmentUpdate] },
  },
  'csidrivers.storage.k8s.io': {
    create: [objectMeta, storage.validateCsiDriver],
    update: [objectMetaUpdate, storage.validateCsiDriverUpdate],
  },
  'csinodes.storage.k8s.io': {
    create: [objectMeta, storage.validateCsiNode],
    update: [objectMeta, storage.validateCsiNodeUpdate],
  },
  'csistoragecapacities.storage.k8s.io': {
    create: [objectMeta, storage.validateStorageCapacity],
    update: [objectMeta, objectMetaUpdate, storage.validateStorageCapacityUpdate],
  },
  'priorityclasses.scheduling.k8s.io': {
    create: [objectMeta, priorityClass.validatePriorityClass],
    update: [objectMetaUpdate, priorityClass.validatePriorityClassUpdate],
  },
  'workloads.scheduling.k8s.io': {
    create: [objectMeta, podGroups.validateWorkload],
    update: [objectMetaUpdate, podGroups.validateWorkload],
  },
  'podgroups.scheduling.k8s.io': {
    create: [objectMeta, podGroups.validatePodGroup],
    update: [objectMetaUpdate, podGroups.validatePodGroup],
    subresources: { status: [objectMetaUpdate, podGroups.validatePodGroupStatus] },
  },
  'runtimeclasses.node.k8s.io': {
    create: [genericObjectMeta, runtimeClass.validateRuntimeClass],
    update: [
      genericObjectMeta,
      runtimeClass.validateRuntimeClass,
      genericObjectMetaUpdate,
      runtimeClass.validateRuntimeClassUpdate,
    ],
  },
  'leases.coordination.k8s.io': {
    create: [genericObjectMeta, validateLease],
    update: [genericObjectMetaUpdate, validateLease],
  },
  'leasecandidates.coordination.k8s.io': {
    create: [objectMeta, validateLeaseCandidate],
    update: [objectMetaUpdate, validateLeaseCandidate],
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    create: [genericObjectMeta, webhooks.validateValidatingWebhooks],
    update: [genericObjectMeta, webhooks.validateValidatingWebhooks],
    compile: webhooks.compileConditions,
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': {
    create: [genericObjectMeta, webhooks.validateMutatingWebhooks],
    update: [genericObjectMeta, webhooks.validateMutatingWebhooks],
    compile: webhooks.compileConditions,
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    create: [genericObjectMeta, policies.validateValidatingPolicy],
    update: [genericObjectMeta, policies.validateValidatingPolicy],
    compile: policies.compilePolicy,
    subresources: { status: [policies.validateValidatingPolicyStatus] },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    create: [genericObjectMeta, policies.validateValidatingBinding],
    update: [genericObjectMeta, policies.validateValidatingBinding],
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    create: [genericObjectMeta, policies.validateMutatingPolicy],
    update: [genericObjectMeta, policies.validateMutatingPolicy],
    compile: policies.compilePolicy,
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    create: [genericObjectMeta, policies.validateMutatingBinding],
    update: [genericObjectMeta, policies.validateMutatingBinding],
  },
  'certificatesigningrequests.certificates.k8s.io': {
    create: [objectMeta, validateSigningRequest],
    update: [objectMeta, objectMetaUpdate],
    subresources: {
      status: [objectMeta, validateSigningRequestStatus, genericObjectMetaUpdate],
      approval: [objectMeta, validateSigningRequestApproval, genericObjectMetaUpdate],
    },
  },
  'clustertrustbundles.certificates.k8s.io': {
    create: [objectMeta, trustBundle.validateTrustBundle],
    update: [objectMeta, trustBundle.validateTrustBundle, objectMetaUpdate, trustBundle.validateTrustBundleUpdate],
  },
  'podcertificaterequests.certificates.k8s.io': {
    create: [objectMeta, podCertificate.validatePodCertificateRequest],
    update: [objectMetaUpdate, podCertificate.validatePodCertificateRequestUpdate],
    subresources: { status: [objectMetaUpdate, validatePodCertificateStatus] },
  },
  'storageversionmigrations.storagemigration.k8s.io': {
    create: [objectMeta, migration.validateStorageVersionMigration],
    update: [
      objectMeta,
      migration.validateStorageVersionMigration,
      objectMetaUpdate,
      migration.validateStorageVersionMigrationUpdate,
    ],
    subresources: { status: [objectMetaUpdate, migration.validateStorageVersionMigrationStatus] },
  },
  'devicetaintrules.resource.k8s.io': {
    create: [objectMeta, deviceTaintRule.validateDeviceTaintRule],
    update: [objectMetaUpdate, deviceTaintRule.validateDeviceTaintRule],
    subresources: { status: [objectMetaUpdate, deviceTaintRule.validateDeviceTaintRuleStatus] },
  },
  'resourcepoolstatusrequests.resource.k8s.io': {
    create: [objectMeta, deviceTaintRule.validatePoolStatusRequest],
    update: [objectMetaUpdate, deviceTaintRule.validatePoolStatusRequest],
    subresources: { status: [objectMetaUpdate, deviceTaintRule.validatePoolStatus] },
  },
  'resourceclaims.resource.k8s.io': {
    create: [objectMeta, resourceClaim.validateResourceClaim],
    update: [objectMeta, objectMetaUpdate, resourceClaim.validateResourceClaimUpdate],
    subresources: { status: [objectMetaUpdate, validateResourceClaimStatus] },
  },
  'resourceclaimtemplates.resource.k8s.io': {
    create: [objectMeta, resourceClaim.validateResourceClaimTemplate],
    update: [
      objectMeta,
      resourceClaim.validateResourceClaimTemplate,
      objectMetaUpdate,
      resourceClaim.validateResourceClaimTemplateUpdate,
    ],
  },
  'deviceclasses.resource.k8s.io': {
    create: [objectMeta, resourceClaim.validateDeviceClass],
    update: [objectMeta, objectMetaUpdate, resourceClaim.validateDeviceClass],
  },
  'resourceslices.resource.k8s.io': {
    create: [objectMeta, resourceSlice.validateResourceSlice],
    update: [objectMetaUpdate, resourceSlice.validateResourceSliceUpdate],
  },
  'storageversions.internal.apiserver.k8s.io': {
    create: [objectMeta, validateStorageVersionStatus],
    update: [],
    subresources: { status: [validateStorageVersionStatus] },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    create: [objectMeta, flowControl.validateFlowSchema],
    update: [objectMeta, flowControl.validateFlowSchema],
    subresources: { status: [flowControl.validateFlowControlStatus] },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    create: [objectMeta, flowControl.validatePriorityLevel],
    update: [objectMeta, flowControl.validatePriorityLevel],
    subresources: { status: [flowControl.validateFlowControlStatus] },
  },
};

const metadataAlone: KindValidation = { create: [objectMeta], update: [objectMetaUpdate] };

/** The checks of a resource; those of metadata if it has no row. */
export const validationOf = (group: string, resource: string): KindValidation =>
  findRow<KindValidation>(validations, group, resource) ?? metadataAlone;
