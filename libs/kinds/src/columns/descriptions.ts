/**
 * The fields whose documentation is the description of a column, by `Kind` or `Kind.group` and column name: version, type and field.
 * Where kube-apiserver's printer names an older version with a different text, that version is given here. The columns for the name and the
 * creation time, which every kind has, are not listed.
 */
export const documentedFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Pod: {
    IP: 'core.v1.PodStatus.podIP',
    Node: 'core.v1.PodSpec.nodeName',
    'Nominated Node': 'core.v1.PodStatus.nominatedNodeName',
    'Readiness Gates': 'core.v1.PodSpec.readinessGates',
  },
  ReplicationController: {
    Desired: 'core.v1.ReplicationControllerSpec.replicas',
    Current: 'core.v1.ReplicationControllerStatus.replicas',
    Ready: 'core.v1.ReplicationControllerStatus.readyReplicas',
    Selector: 'core.v1.ReplicationControllerSpec.selector',
  },
  'ReplicaSet.apps': {
    Desired: 'apps.v1.ReplicaSetSpec.replicas',
    Current: 'apps.v1.ReplicaSetStatus.replicas',
    Ready: 'apps.v1.ReplicaSetStatus.readyReplicas',
    Selector: 'apps.v1.ReplicaSetSpec.selector',
  },
  'DaemonSet.apps': {
    Desired: 'apps.v1.DaemonSetStatus.desiredNumberScheduled',
    Current: 'apps.v1.DaemonSetStatus.currentNumberScheduled',
    Ready: 'apps.v1.DaemonSetStatus.numberReady',
    'Up-to-date': 'apps.v1.DaemonSetStatus.updatedNumberScheduled',
    Available: 'apps.v1.DaemonSetStatus.numberAvailable',
    'Node Selector': 'core.v1.PodSpec.nodeSelector',
    Selector: 'apps.v1.DaemonSetSpec.selector',
  },
  'Job.batch': {
    Completions: 'batch.v1.JobStatus.succeeded',
    Selector: 'batch.v1.JobSpec.selector',
  },
  'CronJob.batch': {
    Schedule: 'batch.v1.CronJobSpec.schedule',
    Timezone: 'batch.v1.CronJobSpec.timeZone',
    Suspend: 'batch.v1.CronJobSpec.suspend',
    Active: 'batch.v1.CronJobStatus.active',
    'Last Schedule': 'batch.v1.CronJobStatus.lastScheduleTime',
    Selector: 'batch.v1.JobSpec.selector',
  },
  Service: {
    Type: 'core.v1.ServiceSpec.type',
    'Cluster-IP': 'core.v1.ServiceSpec.clusterIP',
    'External-IP': 'core.v1.ServiceSpec.externalIPs',
    'Port(s)': 'core.v1.ServiceSpec.ports',
    Selector: 'core.v1.ServiceSpec.selector',
  },
  Endpoints: {
    Endpoints: 'core.v1.Endpoints.subsets',
  },
  Node: {
    Version: 'core.v1.NodeSystemInfo.kubeletVersion',
    'Internal-IP': 'core.v1.NodeStatus.addresses',
    'External-IP': 'core.v1.NodeStatus.addresses',
    'OS-Image': 'core.v1.NodeSystemInfo.osImage',
    'Kernel-Version': 'core.v1.NodeSystemInfo.kernelVersion',
    'Container-Runtime': 'core.v1.NodeSystemInfo.containerRuntimeVersion',
  },
  Event: {
    'Last Seen': 'core.v1.Event.lastTimestamp',
    Type: 'core.v1.Event.type',
    Reason: 'core.v1.Event.reason',
    Object: 'core.v1.Event.involvedObject',
    Subobject: 'core.v1.ObjectReference.fieldPath',
    Source: 'core.v1.Event.source',
    Message: 'core.v1.Event.message',
    'First Seen': 'core.v1.Event.firstTimestamp',
    Count: 'core.v1.Event.count',
  },
  Secret: {
    Type: 'core.v1.Secret.type',
    Data: 'core.v1.Secret.data',
  },
  PersistentVolume: {
    Capacity: 'core.v1.PersistentVolumeSpec.capacity',
    'Access Modes': 'core.v1.PersistentVolumeSpec.accessModes',
    'Reclaim Policy': 'core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy',
    Status: 'core.v1.PersistentVolumeStatus.phase',
    Claim: 'core.v1.PersistentVolumeSpec.claimRef',
    Reason: 'core.v1.PersistentVolumeStatus.reason',
    VolumeMode: 'core.v1.PersistentVolumeSpec.volumeMode',
  },
  PersistentVolumeClaim: {
    Status: 'core.v1.PersistentVolumeClaimStatus.phase',
    Volume: 'core.v1.PersistentVolumeClaimSpec.volumeName',
    Capacity: 'core.v1.PersistentVolumeClaimStatus.capacity',
    'Access Modes': 'core.v1.PersistentVolumeClaimStatus.accessModes',
    VolumeMode: 'core.v1.PersistentVolumeClaimSpec.volumeMode',
  },
  'Deployment.apps': {
    'Up-to-date': 'apps.v1.DeploymentStatus.updatedReplicas',
    Available: 'apps.v1.DeploymentStatus.availableReplicas',
    Selector: 'apps.v1.DeploymentSpec.selector',
  },
  'HorizontalPodAutoscaler.autoscaling': {
    Reference: 'autoscaling.v2.HorizontalPodAutoscalerSpec.scaleTargetRef',
    Targets: 'autoscaling.v2.HorizontalPodAutoscalerSpec.metrics',
    MinPods: 'autoscaling.v2.HorizontalPodAutoscalerSpec.minReplicas',
    MaxPods: 'autoscaling.v2.HorizontalPodAutoscalerSpec.maxReplicas',
    Replicas: 'autoscaling.v2.HorizontalPodAutoscalerStatus.currentReplicas',
  },
  ConfigMap: {
    Data: 'core.v1.ConfigMap.data',
  },
  'NetworkPolicy.networking.k8s.io': {
    'Pod-Selector': 'networking.k8s.io.v1.NetworkPolicySpec.podSelector',
  },
  'RoleBinding.rbac.authorization.k8s.io': {
    Role: 'rbac.authorization.k8s.io.v1beta1.RoleBinding.roleRef',
  },
  'ClusterRoleBinding.rbac.authorization.k8s.io': {
    Role: 'rbac.authorization.k8s.io.v1beta1.ClusterRoleBinding.roleRef',
  },
  'CertificateSigningRequest.certificates.k8s.io': {
    SignerName: 'certificates.k8s.io.v1beta1.CertificateSigningRequestSpec.signerName',
    Requestor: 'certificates.k8s.io.v1beta1.CertificateSigningRequestSpec.request',
    RequestedDuration: 'certificates.k8s.io.v1.CertificateSigningRequestSpec.expirationSeconds',
    Condition: 'certificates.k8s.io.v1beta1.CertificateSigningRequestStatus.conditions',
  },
  'ClusterTrustBundle.certificates.k8s.io': {
    SignerName: 'certificates.k8s.io.v1beta1.ClusterTrustBundleSpec.signerName',
  },
  'Lease.coordination.k8s.io': {
    Holder: 'coordination.k8s.io.v1.LeaseSpec.holderIdentity',
  },
  'LeaseCandidate.coordination.k8s.io': {
    LeaseName: 'coordination.k8s.io.v1beta1.LeaseCandidateSpec.leaseName',
  },
  'StorageClass.storage.k8s.io': {
    Provisioner: 'storage.k8s.io.v1.StorageClass.provisioner',
    ReclaimPolicy: 'storage.k8s.io.v1.StorageClass.reclaimPolicy',
    VolumeBindingMode: 'storage.k8s.io.v1.StorageClass.volumeBindingMode',
    AllowVolumeExpansion: 'storage.k8s.io.v1.StorageClass.allowVolumeExpansion',
  },
  'VolumeAttributesClass.storage.k8s.io': {
    DriverName: 'storage.k8s.io.v1.VolumeAttributesClass.driverName',
  },
  'Status.meta.k8s.io': {
    Status: 'meta.v1.Status.status',
    Reason: 'meta.v1.Status.reason',
  },
  'ControllerRevision.apps': {
    Revision: 'apps.v1.ControllerRevision.revision',
  },
  'PriorityClass.scheduling.k8s.io': {
    Value: 'scheduling.k8s.io.v1.PriorityClass.value',
    'Global-Default': 'scheduling.k8s.io.v1.PriorityClass.globalDefault',
    PreemptionPolicy: 'scheduling.k8s.io.v1.PriorityClass.preemptionPolicy',
  },
  'VolumeAttachment.storage.k8s.io': {
    Attacher: 'storage.k8s.io.v1.VolumeAttachmentSpec.attacher',
    PV: 'storage.k8s.io.v1.VolumeAttachmentSource.persistentVolumeName',
    Node: 'storage.k8s.io.v1.VolumeAttachmentSpec.nodeName',
    Attached: 'storage.k8s.io.v1.VolumeAttachmentStatus.attached',
  },
  'EndpointSlice.discovery.k8s.io': {
    AddressType: 'discovery.k8s.io.v1.EndpointSlice.addressType',
    Ports: 'discovery.k8s.io.v1.EndpointSlice.ports',
    Endpoints: 'discovery.k8s.io.v1.EndpointSlice.endpoints',
  },
  'CSIDriver.storage.k8s.io': {
    AttachRequired: 'storage.k8s.io.v1.CSIDriverSpec.attachRequired',
    PodInfoOnMount: 'storage.k8s.io.v1.CSIDriverSpec.podInfoOnMount',
    StorageCapacity: 'storage.k8s.io.v1.CSIDriverSpec.storageCapacity',
    TokenRequests: 'storage.k8s.io.v1.CSIDriverSpec.tokenRequests',
    RequiresRepublish: 'storage.k8s.io.v1.CSIDriverSpec.requiresRepublish',
    Modes: 'storage.k8s.io.v1.CSIDriverSpec.volumeLifecycleModes',
  },
  'FlowSchema.flowcontrol.apiserver.k8s.io': {
    PriorityLevel: 'flowcontrol.apiserver.k8s.io.v1.PriorityLevelConfigurationReference.name',
    MatchingPrecedence: 'flowcontrol.apiserver.k8s.io.v1.FlowSchemaSpec.matchingPrecedence',
    DistinguisherMethod: 'flowcontrol.apiserver.k8s.io.v1.FlowSchemaSpec.distinguisherMethod',
  },
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': {
    Type: 'flowcontrol.apiserver.k8s.io.v1.PriorityLevelConfigurationSpec.type',
    NominalConcurrencyShares:
      'flowcontrol.apiserver.k8s.io.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares',
    Queues: 'flowcontrol.apiserver.k8s.io.v1.QueuingConfiguration.queues',
    HandSize: 'flowcontrol.apiserver.k8s.io.v1.QueuingConfiguration.handSize',
    QueueLengthLimit: 'flowcontrol.apiserver.k8s.io.v1.QueuingConfiguration.queueLengthLimit',
  },
  'StorageVersion.internal.apiserver.k8s.io': {
    CommonEncodingVersion: 'internal.apiserver.k8s.io.v1alpha1.StorageVersionStatus.commonEncodingVersion',
    StorageVersions: 'internal.apiserver.k8s.io.v1alpha1.StorageVersionStatus.storageVersions',
  },
  'Scale.autoscaling': {
    Desired: 'autoscaling.v1.ScaleSpec.replicas',
    Available: 'autoscaling.v1.ScaleStatus.replicas',
  },
  'ResourceSlice.resource.k8s.io': {
    Node: 'resource.k8s.io.v1.ResourceSliceSpec.nodeName',
    Driver: 'resource.k8s.io.v1.ResourceSliceSpec.driver',
    Pool: 'resource.k8s.io.v1.ResourcePool.name',
  },
  'ServiceCIDR.networking.k8s.io': {
    CIDRs: 'networking.k8s.io.v1.ServiceCIDRSpec.cidrs',
  },
  'IPAddress.networking.k8s.io': {
    ParentRef: 'networking.k8s.io.v1.IPAddressSpec.parentRef',
  },
};

const containerNames = 'Names of each container in the template.';
const containerImages = 'Images referenced by each container in the template.';
const readyPods = 'Number of the pod with ready state';
const webhooks = 'Webhooks indicates the number of webhooks registered in this configuration';
const paramKind = 'ParamKind specifies the kind of resources used to parameterize this policy';
const policyName = 'PolicyName indicates the policy definition which the policy binding binded to';
const paramRef = 'ParamRef indicates the param resource which sets the configuration param';

/** The descriptions in kube-apiserver's printers of columns that do not show a single field; copied exactly, spelling included. */
export const describedColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Pod: {
    Ready: 'The aggregate readiness state of this pod for accepting traffic.',
    Status: 'The aggregate status of the containers in this pod.',
    Restarts:
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
  },
  PodTemplate: {
    Containers: containerNames,
    Images: containerImages,
    'Pod Labels': 'The labels for the pod template.',
  },
  'PodDisruptionBudget.policy': {
    'Min Available': 'The minimum number of pods that must be available.',
    'Max Unavailable': 'The maximum number of pods that may be unavailable.',
    'Allowed Disruptions': 'Calculated number of pods that may be disrupted at this time.',
  },
  ReplicationController: {
    Containers: containerNames,
    Images: containerImages,
  },
  'ReplicaSet.apps': {
    Containers: containerNames,
    Images: containerImages,
  },
  'DaemonSet.apps': {
    Containers: containerNames,
    Images: containerImages,
  },
  'Job.batch': {
    Status: 'Status of the job.',
    Duration: 'Time required to complete the job.',
    Containers: containerNames,
    Images: containerImages,
  },
  'CronJob.batch': {
    Containers: containerNames,
    Images: containerImages,
  },
  'Ingress.networking.k8s.io': {
    Class: 'The name of the IngressClass resource that should be used for additional configuration',
    Hosts: 'Hosts that incoming requests are matched against before the ingress rule',
    Address: 'Address is a list containing ingress points for the load-balancer',
    Ports: 'Ports of TLS configurations that open',
  },
  'IngressClass.networking.k8s.io': {
    Controller: 'Controller that is responsible for handling this class',
    Parameters: 'A reference to a resource with additional parameters',
  },
  'StatefulSet.apps': {
    Ready: readyPods,
    Containers: containerNames,
    Images: containerImages,
  },
  Node: {
    Status: 'The status of the node',
    Roles: 'The roles of the node',
  },
  Namespace: {
    Status: 'The status of the namespace',
  },
  PersistentVolume: {
    StorageClass: 'StorageClass of the pv',
    VolumeAttributesClass: 'VolumeAttributesClass of the pv',
  },
  PersistentVolumeClaim: {
    StorageClass: 'StorageClass of the pvc',
    VolumeAttributesClass: 'VolumeAttributesClass of the pvc',
  },
  ComponentStatus: {
    Status: 'Status of the component conditions',
    Message: 'Message of the component conditions',
    Error: 'Error of the component conditions',
  },
  'Deployment.apps': {
    Ready: readyPods,
    Containers: containerNames,
    Images: containerImages,
  },
  'RoleBinding.rbac.authorization.k8s.io': {
    Users: 'Users in the roleBinding',
    Groups: 'Groups in the roleBinding',
    ServiceAccounts: 'ServiceAccounts in the roleBinding',
  },
  'ClusterRoleBinding.rbac.authorization.k8s.io': {
    Users: 'Users in the clusterRoleBinding',
    Groups: 'Groups in the clusterRoleBinding',
    ServiceAccounts: 'ServiceAccounts in the clusterRoleBinding',
  },
  'ControllerRevision.apps': {
    Controller: 'Controller of the object',
  },
  ResourceQuota: {
    Request: 'Request represents a minimum amount of cpu/memory that a container may consume.',
    Limit:
      'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
  },
  'CSINode.storage.k8s.io': {
    Drivers: 'Drivers indicates the number of CSI drivers registered on the node',
  },
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': {
    Webhooks: webhooks,
  },
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': {
    Webhooks: webhooks,
  },
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': {
    Validations: 'Validations indicates the number of validation rules defined in this configuration',
    ParamKind: paramKind,
  },
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': {
    PolicyName: policyName,
    ParamRef: paramRef,
  },
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': {
    Mutations: 'Mutation indicates the number of mutations rules defined in this configuration',
    ParamKind: paramKind,
  },
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': {
    PolicyName: policyName,
    ParamRef: paramRef,
  },
  'FlowSchema.flowcontrol.apiserver.k8s.io': {
    MissingPL: 'references a broken or non-existent PriorityLevelConfiguration',
  },
  'ResourceClaim.resource.k8s.io': {
    State: 'A summary of the current state (allocated, pending, reserved, etc.).',
  },
  'StorageVersionMigration.storagemigration.k8s.io': {
    Resource: 'Fully qualified resource to migrate',
  },
  'APIService.apiregistration.k8s.io': {
    Service: 'The reference to the service that hosts this API endpoint.',
    Available: 'Whether this service is available.',
  },
};
