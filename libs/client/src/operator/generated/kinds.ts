// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit.

import type { KubeObject } from '@apichain/meta';
import type * as admissionregistration_v1 from '@apichain/api/admissionregistration/v1';
import type * as apiextensions_v1 from '@apichain/api/apiextensions/v1';
import type * as apiregistration_v1 from '@apichain/api/apiregistration/v1';
import type * as apps_v1 from '@apichain/api/apps/v1';
import type * as autoscaling_v2 from '@apichain/api/autoscaling/v2';
import type * as batch_v1 from '@apichain/api/batch/v1';
import type * as certificates_v1 from '@apichain/api/certificates/v1';
import type * as coordination_v1 from '@apichain/api/coordination/v1';
import type * as core_v1 from '@apichain/api/core/v1';
import type * as discovery_v1 from '@apichain/api/discovery/v1';
import type * as flowcontrol_v1 from '@apichain/api/flowcontrol/v1';
import type * as networking_v1 from '@apichain/api/networking/v1';
import type * as node_v1 from '@apichain/api/node/v1';
import type * as policy_v1 from '@apichain/api/policy/v1';
import type * as rbac_v1 from '@apichain/api/rbac/v1';
import type * as resource_v1 from '@apichain/api/resource/v1';
import type * as scheduling_v1 from '@apichain/api/scheduling/v1';
import type * as storage_v1 from '@apichain/api/storage/v1';
import type { KindReference } from '../kind.ts';

const reference = <Kind extends KubeObject>(kind: Omit<KindReference, 'objects'>): KindReference<Kind> => kind;

/** The kinds of Kubernetes that can be watched, each in its stable version: `kinds.Deployment`. */
export const kinds = {
  APIService: reference<apiregistration_v1.APIService>({ group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', resource: 'apiservices', namespaced: false }),
  CSIDriver: reference<storage_v1.CSIDriver>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSIDriver', resource: 'csidrivers', namespaced: false }),
  CSINode: reference<storage_v1.CSINode>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSINode', resource: 'csinodes', namespaced: false }),
  CSIStorageCapacity: reference<storage_v1.CSIStorageCapacity>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSIStorageCapacity', resource: 'csistoragecapacities', namespaced: true }),
  CertificateSigningRequest: reference<certificates_v1.CertificateSigningRequest>({ group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest', resource: 'certificatesigningrequests', namespaced: false }),
  ClusterRole: reference<rbac_v1.ClusterRole>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', resource: 'clusterroles', namespaced: false }),
  ClusterRoleBinding: reference<rbac_v1.ClusterRoleBinding>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRoleBinding', resource: 'clusterrolebindings', namespaced: false }),
  ConfigMap: reference<core_v1.ConfigMap>({ group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespaced: true }),
  ControllerRevision: reference<apps_v1.ControllerRevision>({ group: 'apps', version: 'v1', kind: 'ControllerRevision', resource: 'controllerrevisions', namespaced: true }),
  CronJob: reference<batch_v1.CronJob>({ group: 'batch', version: 'v1', kind: 'CronJob', resource: 'cronjobs', namespaced: true }),
  CustomResourceDefinition: reference<apiextensions_v1.CustomResourceDefinition>({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', resource: 'customresourcedefinitions', namespaced: false }),
  DaemonSet: reference<apps_v1.DaemonSet>({ group: 'apps', version: 'v1', kind: 'DaemonSet', resource: 'daemonsets', namespaced: true }),
  Deployment: reference<apps_v1.Deployment>({ group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', namespaced: true }),
  DeviceClass: reference<resource_v1.DeviceClass>({ group: 'resource.k8s.io', version: 'v1', kind: 'DeviceClass', resource: 'deviceclasses', namespaced: false }),
  EndpointSlice: reference<discovery_v1.EndpointSlice>({ group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice', resource: 'endpointslices', namespaced: true }),
  Endpoints: reference<core_v1.Endpoints>({ group: '', version: 'v1', kind: 'Endpoints', resource: 'endpoints', namespaced: true }),
  Event: reference<core_v1.Event>({ group: '', version: 'v1', kind: 'Event', resource: 'events', namespaced: true }),
  FlowSchema: reference<flowcontrol_v1.FlowSchema>({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema', resource: 'flowschemas', namespaced: false }),
  HorizontalPodAutoscaler: reference<autoscaling_v2.HorizontalPodAutoscaler>({ group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', resource: 'horizontalpodautoscalers', namespaced: true }),
  IPAddress: reference<networking_v1.IPAddress>({ group: 'networking.k8s.io', version: 'v1', kind: 'IPAddress', resource: 'ipaddresses', namespaced: false }),
  Ingress: reference<networking_v1.Ingress>({ group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', resource: 'ingresses', namespaced: true }),
  IngressClass: reference<networking_v1.IngressClass>({ group: 'networking.k8s.io', version: 'v1', kind: 'IngressClass', resource: 'ingressclasses', namespaced: false }),
  Job: reference<batch_v1.Job>({ group: 'batch', version: 'v1', kind: 'Job', resource: 'jobs', namespaced: true }),
  Lease: reference<coordination_v1.Lease>({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', resource: 'leases', namespaced: true }),
  LimitRange: reference<core_v1.LimitRange>({ group: '', version: 'v1', kind: 'LimitRange', resource: 'limitranges', namespaced: true }),
  MutatingAdmissionPolicy: reference<admissionregistration_v1.MutatingAdmissionPolicy>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicy', resource: 'mutatingadmissionpolicies', namespaced: false }),
  MutatingAdmissionPolicyBinding: reference<admissionregistration_v1.MutatingAdmissionPolicyBinding>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicyBinding', resource: 'mutatingadmissionpolicybindings', namespaced: false }),
  MutatingWebhookConfiguration: reference<admissionregistration_v1.MutatingWebhookConfiguration>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingWebhookConfiguration', resource: 'mutatingwebhookconfigurations', namespaced: false }),
  Namespace: reference<core_v1.Namespace>({ group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', namespaced: false }),
  NetworkPolicy: reference<networking_v1.NetworkPolicy>({ group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', resource: 'networkpolicies', namespaced: true }),
  Node: reference<core_v1.Node>({ group: '', version: 'v1', kind: 'Node', resource: 'nodes', namespaced: false }),
  PersistentVolume: reference<core_v1.PersistentVolume>({ group: '', version: 'v1', kind: 'PersistentVolume', resource: 'persistentvolumes', namespaced: false }),
  PersistentVolumeClaim: reference<core_v1.PersistentVolumeClaim>({ group: '', version: 'v1', kind: 'PersistentVolumeClaim', resource: 'persistentvolumeclaims', namespaced: true }),
  Pod: reference<core_v1.Pod>({ group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true }),
  PodDisruptionBudget: reference<policy_v1.PodDisruptionBudget>({ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', resource: 'poddisruptionbudgets', namespaced: true }),
  PodTemplate: reference<core_v1.PodTemplate>({ group: '', version: 'v1', kind: 'PodTemplate', resource: 'podtemplates', namespaced: true }),
  PriorityClass: reference<scheduling_v1.PriorityClass>({ group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass', resource: 'priorityclasses', namespaced: false }),
  PriorityLevelConfiguration: reference<flowcontrol_v1.PriorityLevelConfiguration>({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'PriorityLevelConfiguration', resource: 'prioritylevelconfigurations', namespaced: false }),
  ReplicaSet: reference<apps_v1.ReplicaSet>({ group: 'apps', version: 'v1', kind: 'ReplicaSet', resource: 'replicasets', namespaced: true }),
  ReplicationController: reference<core_v1.ReplicationController>({ group: '', version: 'v1', kind: 'ReplicationController', resource: 'replicationcontrollers', namespaced: true }),
  ResourceClaim: reference<resource_v1.ResourceClaim>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaim', resource: 'resourceclaims', namespaced: true }),
  ResourceClaimTemplate: reference<resource_v1.ResourceClaimTemplate>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaimTemplate', resource: 'resourceclaimtemplates', namespaced: true }),
  ResourceQuota: reference<core_v1.ResourceQuota>({ group: '', version: 'v1', kind: 'ResourceQuota', resource: 'resourcequotas', namespaced: true }),
  ResourceSlice: reference<resource_v1.ResourceSlice>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice', resource: 'resourceslices', namespaced: false }),
  Role: reference<rbac_v1.Role>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role', resource: 'roles', namespaced: true }),
  RoleBinding: reference<rbac_v1.RoleBinding>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', resource: 'rolebindings', namespaced: true }),
  RuntimeClass: reference<node_v1.RuntimeClass>({ group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass', resource: 'runtimeclasses', namespaced: false }),
  Secret: reference<core_v1.Secret>({ group: '', version: 'v1', kind: 'Secret', resource: 'secrets', namespaced: true }),
  Service: reference<core_v1.Service>({ group: '', version: 'v1', kind: 'Service', resource: 'services', namespaced: true }),
  ServiceAccount: reference<core_v1.ServiceAccount>({ group: '', version: 'v1', kind: 'ServiceAccount', resource: 'serviceaccounts', namespaced: true }),
  ServiceCIDR: reference<networking_v1.ServiceCIDR>({ group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR', resource: 'servicecidrs', namespaced: false }),
  StatefulSet: reference<apps_v1.StatefulSet>({ group: 'apps', version: 'v1', kind: 'StatefulSet', resource: 'statefulsets', namespaced: true }),
  StorageClass: reference<storage_v1.StorageClass>({ group: 'storage.k8s.io', version: 'v1', kind: 'StorageClass', resource: 'storageclasses', namespaced: false }),
  ValidatingAdmissionPolicy: reference<admissionregistration_v1.ValidatingAdmissionPolicy>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingAdmissionPolicy', resource: 'validatingadmissionpolicies', namespaced: false }),
  ValidatingAdmissionPolicyBinding: reference<admissionregistration_v1.ValidatingAdmissionPolicyBinding>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingAdmissionPolicyBinding', resource: 'validatingadmissionpolicybindings', namespaced: false }),
  ValidatingWebhookConfiguration: reference<admissionregistration_v1.ValidatingWebhookConfiguration>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingWebhookConfiguration', resource: 'validatingwebhookconfigurations', namespaced: false }),
  VolumeAttachment: reference<storage_v1.VolumeAttachment>({ group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttachment', resource: 'volumeattachments', namespaced: false }),
  VolumeAttributesClass: reference<storage_v1.VolumeAttributesClass>({ group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttributesClass', resource: 'volumeattributesclasses', namespaced: false }),
};
