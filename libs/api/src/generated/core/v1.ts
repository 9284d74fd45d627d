// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, OwnerReference } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';
import type { Bytes, Int64, IntOrString, MicroTime, Quantity, RawExtension, Time } from '../../scalars.ts';

export type AWSElasticBlockStoreVolumeSource = {
  volumeID?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
};

export type Affinity = {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
};

export type AppArmorProfile = {
  /** `Unconfined`, `RuntimeDefault`, `Localhost` */
  type?: AppArmorProfileType;
  localhostProfile?: string;
};

export type AppArmorProfileType = string;

export type AttachedVolume = {
  name?: UniqueVolumeName;
  devicePath?: string;
};

export type AvoidPods = {
  preferAvoidPods?: PreferAvoidPodsEntry[];
};

export type AzureDataDiskCachingMode = string;

export type AzureDataDiskKind = string;

export type AzureDiskVolumeSource = {
  diskName?: string;
  diskURI?: string;
  /** `None`, `ReadOnly`, `ReadWrite` */
  cachingMode?: AzureDataDiskCachingMode;
  fsType?: string;
  readOnly?: boolean;
  /** `Shared`, `Dedicated`, `Managed` */
  kind?: AzureDataDiskKind;
};

export type AzureFilePersistentVolumeSource = {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
  secretNamespace?: string | null;
};

export type AzureFileVolumeSource = {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
};

export type Binding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  target?: ObjectReference;
};

export type CSIPersistentVolumeSource = {
  driver?: string;
  volumeHandle?: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  controllerPublishSecretRef?: SecretReference;
  nodeStageSecretRef?: SecretReference;
  nodePublishSecretRef?: SecretReference;
  controllerExpandSecretRef?: SecretReference;
  nodeExpandSecretRef?: SecretReference;
};

export type CSIVolumeSource = {
  driver?: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  nodePublishSecretRef?: LocalObjectReference;
};

export type Capabilities = {
  add?: Capability[];
  drop?: Capability[];
};

export type Capability = string;

export type CephFSPersistentVolumeSource = {
  monitors?: string[] | null;
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
};

export type CephFSVolumeSource = {
  monitors?: string[] | null;
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
};

export type CinderPersistentVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
};

export type CinderVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
};

export type ClaimResourceStatus = string;

export type ClientIPConfig = {
  timeoutSeconds?: number;
};

export type ClusterTrustBundleProjection = {
  name?: string;
  signerName?: string;
  labelSelector?: meta_v1.LabelSelector;
  optional?: boolean;
  path?: string;
};

export type ComponentCondition = {
  type?: ComponentConditionType;
  status?: ConditionStatus;
  message?: string;
  error?: string;
};

export type ComponentConditionType = string;

export type ComponentStatus = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  conditions?: ComponentCondition[];
};

export type ComponentStatusList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ComponentStatus[] | null;
};

export type ConditionStatus = string;

export type ConfigMap = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  immutable?: boolean;
  data?: Record<string, string>;
  binaryData?: Record<string, Bytes>;
};

export type ConfigMapEnvSource = {
  name?: string;
  optional?: boolean;
};

export type ConfigMapKeySelector = {
  name?: string;
  key?: string;
  optional?: boolean;
};

export type ConfigMapList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ConfigMap[] | null;
};

export type ConfigMapNodeConfigSource = {
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  kubeletConfigKey?: string;
};

export type ConfigMapProjection = {
  name?: string;
  items?: KeyToPath[];
  optional?: boolean;
};

export type ConfigMapVolumeSource = {
  name?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
};

export type Container = {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  restartPolicy?: ContainerRestartPolicy;
  restartPolicyRules?: ContainerRestartRule[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  terminationMessagePath?: string;
  /** `File`, `FallbackToLogsOnError` */
  terminationMessagePolicy?: TerminationMessagePolicy;
  /** `Always`, `Never`, `IfNotPresent` */
  imagePullPolicy?: PullPolicy;
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
};

export type ContainerExtendedResourceRequest = {
  containerName?: string;
  resourceName?: string;
  requestName?: string;
};

export type ContainerImage = {
  names?: string[] | null;
  sizeBytes?: Int64;
};

export type ContainerPort = {
  name?: string;
  hostPort?: number;
  containerPort?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  hostIP?: string;
};

export type ContainerResizePolicy = {
  resourceName?: ResourceName;
  restartPolicy?: ResourceResizeRestartPolicy;
};

export type ContainerRestartPolicy = string;

export type ContainerRestartRule = {
  action?: ContainerRestartRuleAction;
  exitCodes?: ContainerRestartRuleOnExitCodes;
};

export type ContainerRestartRuleAction = string;

export type ContainerRestartRuleOnExitCodes = {
  operator?: ContainerRestartRuleOnExitCodesOperator;
  values?: number[];
};

export type ContainerRestartRuleOnExitCodesOperator = string;

export type ContainerState = {
  waiting?: ContainerStateWaiting;
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
};

export type ContainerStateRunning = {
  startedAt?: Time | null;
};

export type ContainerStateTerminated = {
  exitCode?: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: Time | null;
  finishedAt?: Time | null;
  containerID?: string;
};

export type ContainerStateWaiting = {
  reason?: string;
  message?: string;
};

export type ContainerStatus = {
  name?: string;
  state?: ContainerState;
  lastState?: ContainerState;
  ready?: boolean;
  restartCount?: number;
  image?: string;
  imageID?: string;
  containerID?: string;
  started?: boolean;
  allocatedResources?: ResourceList;
  resources?: ResourceRequirements;
  volumeMounts?: VolumeMountStatus[];
  user?: ContainerUser;
  allocatedResourcesStatus?: ResourceStatus[];
  /** `SIGABRT`, `SIGALRM`, `SIGBUS`, `SIGCHLD`, `SIGCLD`, `SIGCONT`, `SIGFPE`, `SIGHUP`, `SIGILL`, `SIGINT`, `SIGIO`, `SIGIOT`, `SIGKILL`, `SIGPIPE`, `SIGPOLL`, `SIGPROF`, `SIGPWR`, `SIGQUIT`, `SIGSEGV`, `SIGSTKFLT`, `SIGSTOP`, `SIGSYS`, `SIGTERM`, `SIGTRAP`, `SIGTSTP`, `SIGTTIN`, `SIGTTOU`, `SIGURG`, `SIGUSR1`, `SIGUSR2`, `SIGVTALRM`, `SIGWINCH`, `SIGXCPU`, `SIGXFSZ`, `SIGRTMIN`, `SIGRTMIN+1`, `SIGRTMIN+2`, `SIGRTMIN+3`, `SIGRTMIN+4`, `SIGRTMIN+5`, `SIGRTMIN+6`, `SIGRTMIN+7`, `SIGRTMIN+8`, `SIGRTMIN+9`, `SIGRTMIN+10`, `SIGRTMIN+11`, `SIGRTMIN+12`, `SIGRTMIN+13`, `SIGRTMIN+14`, `SIGRTMIN+15`, `SIGRTMAX-14`, `SIGRTMAX-13`, `SIGRTMAX-12`, `SIGRTMAX-11`, `SIGRTMAX-10`, `SIGRTMAX-9`, `SIGRTMAX-8`, `SIGRTMAX-7`, `SIGRTMAX-6`, `SIGRTMAX-5`, `SIGRTMAX-4`, `SIGRTMAX-3`, `SIGRTMAX-2`, `SIGRTMAX-1`, `SIGRTMAX` */
  stopSignal?: Signal;
};

export type ContainerUser = {
  linux?: LinuxContainerUser;
};

export type DNSPolicy = string;

export type DaemonEndpoint = {
  Port?: number;
};

export type DownwardAPIProjection = {
  items?: DownwardAPIVolumeFile[];
};

export type DownwardAPIVolumeFile = {
  path?: string;
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  mode?: number;
};

export type DownwardAPIVolumeSource = {
  items?: DownwardAPIVolumeFile[];
  defaultMode?: number;
};

export type EmptyDirVolumeSource = {
  medium?: StorageMedium;
  sizeLimit?: Quantity;
};

export type EndpointAddress = {
  ip?: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
};

export type EndpointPort = {
  name?: string;
  port?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  appProtocol?: string;
};

export type EndpointSubset = {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
};

export type Endpoints = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  subsets?: EndpointSubset[];
};

export type EndpointsList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Endpoints[] | null;
};

export type EnvFromSource = {
  prefix?: string;
  configMapRef?: ConfigMapEnvSource;
  secretRef?: SecretEnvSource;
};

export type EnvVar = {
  name?: string;
  value?: string;
  valueFrom?: EnvVarSource;
};

export type EnvVarSource = {
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  configMapKeyRef?: ConfigMapKeySelector;
  secretKeyRef?: SecretKeySelector;
  fileKeyRef?: FileKeySelector;
};

export type EphemeralContainer = {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  restartPolicy?: ContainerRestartPolicy;
  restartPolicyRules?: ContainerRestartRule[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  terminationMessagePath?: string;
  /** `File`, `FallbackToLogsOnError` */
  terminationMessagePolicy?: TerminationMessagePolicy;
  /** `Always`, `Never`, `IfNotPresent` */
  imagePullPolicy?: PullPolicy;
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
  targetContainerName?: string;
};

export type EphemeralContainerCommon = {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  restartPolicy?: ContainerRestartPolicy;
  restartPolicyRules?: ContainerRestartRule[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  terminationMessagePath?: string;
  /** `File`, `FallbackToLogsOnError` */
  terminationMessagePolicy?: TerminationMessagePolicy;
  /** `Always`, `Never`, `IfNotPresent` */
  imagePullPolicy?: PullPolicy;
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
};

export type EphemeralVolumeSource = {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
};

export type Event = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  involvedObject?: ObjectReference;
  reason?: string;
  message?: string;
  source?: EventSource;
  firstTimestamp?: Time | null;
  lastTimestamp?: Time | null;
  count?: number;
  type?: string;
  eventTime?: MicroTime | null;
  series?: EventSeries;
  action?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
};

export type EventList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Event[] | null;
};

export type EventSeries = {
  count?: number;
  lastObservedTime?: MicroTime | null;
};

export type EventSource = {
  component?: string;
  host?: string;
};

export type ExecAction = {
  command?: string[];
};

export type FCVolumeSource = {
  targetWWNs?: string[];
  lun?: number;
  fsType?: string;
  readOnly?: boolean;
  wwids?: string[];
};

export type FileKeySelector = {
  volumeName?: string;
  path?: string;
  key?: string;
  optional?: boolean;
};

export type FinalizerName = string;

export type FlexPersistentVolumeSource = {
  driver?: string;
  fsType?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
  options?: Record<string, string>;
};

export type FlexVolumeSource = {
  driver?: string;
  fsType?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
  options?: Record<string, string>;
};

export type FlockerVolumeSource = {
  datasetName?: string;
  datasetUUID?: string;
};

export type GCEPersistentDiskVolumeSource = {
  pdName?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
};

export type GRPCAction = {
  port?: number;
  service?: string | null;
};

export type GitRepoVolumeSource = {
  repository?: string;
  revision?: string;
  directory?: string;
};

export type GlusterfsPersistentVolumeSource = {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
  endpointsNamespace?: string;
};

export type GlusterfsVolumeSource = {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
};

export type HTTPGetAction = {
  path?: string;
  port?: IntOrString;
  host?: string;
  /** `HTTP`, `HTTPS` */
  scheme?: URIScheme;
  httpHeaders?: HTTPHeader[];
};

export type HTTPHeader = {
  name?: string;
  value?: string;
};

export type HostAlias = {
  ip?: string;
  hostnames?: string[];
};

export type HostIP = {
  ip?: string;
};

export type HostPathType = string;

export type HostPathVolumeSource = {
  path?: string;
  /** ``, `DirectoryOrCreate`, `Directory`, `FileOrCreate`, `File`, `Socket`, `CharDevice`, `BlockDevice` */
  type?: HostPathType;
};

export type IPFamily = string;

export type IPFamilyPolicy = string;

export type IPFamilyPolicyType = string;

export type ISCSIPersistentVolumeSource = {
  targetPortal?: string;
  iqn?: string;
  lun?: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: SecretReference;
  initiatorName?: string;
};

export type ISCSIVolumeSource = {
  targetPortal?: string;
  iqn?: string;
  lun?: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: LocalObjectReference;
  initiatorName?: string;
};

export type ImageVolumeSource = {
  reference?: string;
  /** `Always`, `Never`, `IfNotPresent` */
  pullPolicy?: PullPolicy;
};

export type ImageVolumeStatus = {
  imageRef?: string;
};

export type KeyToPath = {
  key?: string;
  path?: string;
  mode?: number;
};

export type Lifecycle = {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  /** `SIGABRT`, `SIGALRM`, `SIGBUS`, `SIGCHLD`, `SIGCLD`, `SIGCONT`, `SIGFPE`, `SIGHUP`, `SIGILL`, `SIGINT`, `SIGIO`, `SIGIOT`, `SIGKILL`, `SIGPIPE`, `SIGPOLL`, `SIGPROF`, `SIGPWR`, `SIGQUIT`, `SIGSEGV`, `SIGSTKFLT`, `SIGSTOP`, `SIGSYS`, `SIGTERM`, `SIGTRAP`, `SIGTSTP`, `SIGTTIN`, `SIGTTOU`, `SIGURG`, `SIGUSR1`, `SIGUSR2`, `SIGVTALRM`, `SIGWINCH`, `SIGXCPU`, `SIGXFSZ`, `SIGRTMIN`, `SIGRTMIN+1`, `SIGRTMIN+2`, `SIGRTMIN+3`, `SIGRTMIN+4`, `SIGRTMIN+5`, `SIGRTMIN+6`, `SIGRTMIN+7`, `SIGRTMIN+8`, `SIGRTMIN+9`, `SIGRTMIN+10`, `SIGRTMIN+11`, `SIGRTMIN+12`, `SIGRTMIN+13`, `SIGRTMIN+14`, `SIGRTMIN+15`, `SIGRTMAX-14`, `SIGRTMAX-13`, `SIGRTMAX-12`, `SIGRTMAX-11`, `SIGRTMAX-10`, `SIGRTMAX-9`, `SIGRTMAX-8`, `SIGRTMAX-7`, `SIGRTMAX-6`, `SIGRTMAX-5`, `SIGRTMAX-4`, `SIGRTMAX-3`, `SIGRTMAX-2`, `SIGRTMAX-1`, `SIGRTMAX` */
  stopSignal?: Signal;
};

export type LifecycleHandler = {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  sleep?: SleepAction;
};

export type LimitRange = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: LimitRangeSpec;
};

export type LimitRangeItem = {
  type?: LimitType;
  max?: ResourceList;
  min?: ResourceList;
  default?: ResourceList;
  defaultRequest?: ResourceList;
  maxLimitRequestRatio?: ResourceList;
};

export type LimitRangeList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: LimitRange[] | null;
};

export type LimitRangeSpec = {
  limits?: LimitRangeItem[] | null;
};

export type LimitType = string;

export type LinuxContainerUser = {
  uid?: Int64;
  gid?: Int64;
  supplementalGroups?: Int64[];
};

export type List = {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items?: RawExtension[] | null;
};

export type LoadBalancerIPMode = string;

export type LoadBalancerIngress = {
  ip?: string;
  hostname?: string;
  ipMode?: LoadBalancerIPMode;
  ports?: PortStatus[];
};

export type LoadBalancerStatus = {
  ingress?: LoadBalancerIngress[];
};

export type LocalObjectReference = {
  name?: string;
};

export type LocalVolumeSource = {
  path?: string;
  fsType?: string;
};

export type ModifyVolumeStatus = {
  targetVolumeAttributesClassName?: string;
  /** `Pending`, `InProgress`, `Infeasible` */
  status?: PersistentVolumeClaimModifyVolumeStatus;
};

export type MountPropagationMode = string;

export type NFSVolumeSource = {
  server?: string;
  path?: string;
  readOnly?: boolean;
};

export type Namespace = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
};

export type NamespaceCondition = {
  type?: NamespaceConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type NamespaceConditionType = string;

export type NamespaceList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Namespace[] | null;
};

export type NamespacePhase = string;

export type NamespaceSpec = {
  finalizers?: FinalizerName[];
};

export type NamespaceStatus = {
  /** `Active`, `Terminating` */
  phase?: NamespacePhase;
  conditions?: NamespaceCondition[];
};

export type Node = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
};

export type NodeAddress = {
  type?: NodeAddressType;
  address?: string;
};

export type NodeAddressType = string;

export type NodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
};

export type NodeAllocatableResourceClaimStatus = {
  resourceClaimName?: string;
  containers?: string[];
  resources?: Record<string, Quantity> | null;
};

export type NodeCondition = {
  type?: NodeConditionType;
  status?: ConditionStatus;
  lastHeartbeatTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type NodeConditionType = string;

export type NodeConfigSource = {
  configMap?: ConfigMapNodeConfigSource;
};

export type NodeConfigStatus = {
  assigned?: NodeConfigSource;
  active?: NodeConfigSource;
  lastKnownGood?: NodeConfigSource;
  error?: string;
};

export type NodeDaemonEndpoints = {
  kubeletEndpoint?: DaemonEndpoint;
};

export type NodeFeatures = {
  supplementalGroupsPolicy?: boolean;
};

export type NodeInclusionPolicy = string;

export type NodeList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Node[] | null;
};

export type NodePhase = string;

export type NodeProxyOptions = {
  kind?: string;
  apiVersion?: string;
  path?: string;
};

export type NodeRuntimeHandler = {
  name?: string;
  features?: NodeRuntimeHandlerFeatures;
};

export type NodeRuntimeHandlerFeatures = {
  recursiveReadOnlyMounts?: boolean;
  userNamespaces?: boolean;
};

export type NodeSelector = {
  nodeSelectorTerms?: NodeSelectorTerm[] | null;
};

export type NodeSelectorOperator = string;

export type NodeSelectorRequirement = {
  key?: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt`, `Lt` */
  operator?: NodeSelectorOperator;
  values?: string[];
};

export type NodeSelectorTerm = {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
};

export type NodeSpec = {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: Taint[];
  configSource?: NodeConfigSource;
  externalID?: string;
};

export type NodeStatus = {
  capacity?: ResourceList;
  allocatable?: ResourceList;
  /** `Pending`, `Running`, `Terminated` */
  phase?: NodePhase;
  conditions?: NodeCondition[];
  addresses?: NodeAddress[];
  daemonEndpoints?: NodeDaemonEndpoints;
  nodeInfo?: NodeSystemInfo;
  images?: ContainerImage[];
  volumesInUse?: UniqueVolumeName[];
  volumesAttached?: AttachedVolume[];
  config?: NodeConfigStatus;
  runtimeHandlers?: NodeRuntimeHandler[];
  features?: NodeFeatures;
  declaredFeatures?: string[];
};

export type NodeSwapStatus = {
  capacity?: Int64;
};

export type NodeSystemInfo = {
  machineID?: string;
  systemUUID?: string;
  bootID?: string;
  kernelVersion?: string;
  osImage?: string;
  containerRuntimeVersion?: string;
  kubeletVersion?: string;
  kubeProxyVersion?: string;
  operatingSystem?: string;
  architecture?: string;
  swap?: NodeSwapStatus;
};

export type OSName = string;

export type ObjectFieldSelector = {
  apiVersion?: string;
  fieldPath?: string;
};

export type ObjectReference = {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
};

export type PersistentVolume = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PersistentVolumeSpec;
  status?: PersistentVolumeStatus;
};

export type PersistentVolumeAccessMode = string;

export type PersistentVolumeClaim = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
};

export type PersistentVolumeClaimCondition = {
  type?: PersistentVolumeClaimConditionType;
  status?: ConditionStatus;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type PersistentVolumeClaimConditionType = string;

export type PersistentVolumeClaimList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PersistentVolumeClaim[] | null;
};

export type PersistentVolumeClaimModifyVolumeStatus = string;

export type PersistentVolumeClaimPhase = string;

export type PersistentVolumeClaimSpec = {
  /** `ReadWriteOnce`, `ReadOnlyMany`, `ReadWriteMany`, `ReadWriteOncePod` */
  accessModes?: PersistentVolumeAccessMode[];
  selector?: meta_v1.LabelSelector;
  resources?: VolumeResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  /** `Block`, `Filesystem` */
  volumeMode?: PersistentVolumeMode;
  dataSource?: TypedLocalObjectReference;
  dataSourceRef?: TypedObjectReference;
  volumeAttributesClassName?: string;
};

export type PersistentVolumeClaimStatus = {
  /** `Pending`, `Bound`, `Lost` */
  phase?: PersistentVolumeClaimPhase;
  /** `ReadWriteOnce`, `ReadOnlyMany`, `ReadWriteMany`, `ReadWriteOncePod` */
  accessModes?: PersistentVolumeAccessMode[];
  capacity?: ResourceList;
  conditions?: PersistentVolumeClaimCondition[];
  allocatedResources?: ResourceList;
  allocatedResourceStatuses?: Record<string, ClaimResourceStatus>;
  currentVolumeAttributesClassName?: string;
  modifyVolumeStatus?: ModifyVolumeStatus;
};

export type PersistentVolumeClaimTemplate = {
  metadata?: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
};

export type PersistentVolumeClaimVolumeSource = {
  claimName?: string;
  readOnly?: boolean;
};

export type PersistentVolumeList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PersistentVolume[] | null;
};

export type PersistentVolumeMode = string;

export type PersistentVolumePhase = string;

export type PersistentVolumeReclaimPolicy = string;

export type PersistentVolumeSource = {
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  hostPath?: HostPathVolumeSource;
  glusterfs?: GlusterfsPersistentVolumeSource;
  nfs?: NFSVolumeSource;
  rbd?: RBDPersistentVolumeSource;
  iscsi?: ISCSIPersistentVolumeSource;
  cinder?: CinderPersistentVolumeSource;
  cephfs?: CephFSPersistentVolumeSource;
  fc?: FCVolumeSource;
  flocker?: FlockerVolumeSource;
  flexVolume?: FlexPersistentVolumeSource;
  azureFile?: AzureFilePersistentVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOPersistentVolumeSource;
  local?: LocalVolumeSource;
  storageos?: StorageOSPersistentVolumeSource;
  csi?: CSIPersistentVolumeSource;
};

export type PersistentVolumeSpec = {
  capacity?: ResourceList;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  hostPath?: HostPathVolumeSource;
  glusterfs?: GlusterfsPersistentVolumeSource;
  nfs?: NFSVolumeSource;
  rbd?: RBDPersistentVolumeSource;
  iscsi?: ISCSIPersistentVolumeSource;
  cinder?: CinderPersistentVolumeSource;
  cephfs?: CephFSPersistentVolumeSource;
  fc?: FCVolumeSource;
  flocker?: FlockerVolumeSource;
  flexVolume?: FlexPersistentVolumeSource;
  azureFile?: AzureFilePersistentVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOPersistentVolumeSource;
  local?: LocalVolumeSource;
  storageos?: StorageOSPersistentVolumeSource;
  csi?: CSIPersistentVolumeSource;
  /** `ReadWriteOnce`, `ReadOnlyMany`, `ReadWriteMany`, `ReadWriteOncePod` */
  accessModes?: PersistentVolumeAccessMode[];
  claimRef?: ObjectReference;
  /** `Recycle`, `Delete`, `Retain` */
  persistentVolumeReclaimPolicy?: PersistentVolumeReclaimPolicy;
  storageClassName?: string;
  mountOptions?: string[];
  /** `Block`, `Filesystem` */
  volumeMode?: PersistentVolumeMode;
  nodeAffinity?: VolumeNodeAffinity;
  volumeAttributesClassName?: string;
};

export type PersistentVolumeStatus = {
  /** `Pending`, `Available`, `Bound`, `Released`, `Failed` */
  phase?: PersistentVolumePhase;
  message?: string;
  reason?: string;
  lastPhaseTransitionTime?: Time;
};

export type PhotonPersistentDiskVolumeSource = {
  pdID?: string;
  fsType?: string;
};

export type Pod = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
};

export type PodAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
};

export type PodAffinityTerm = {
  labelSelector?: meta_v1.LabelSelector;
  namespaces?: string[];
  topologyKey?: string;
  namespaceSelector?: meta_v1.LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
};

export type PodAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
};

export type PodAttachOptions = {
  kind?: string;
  apiVersion?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
};

export type PodCertificateProjection = {
  signerName?: string;
  keyType?: string;
  maxExpirationSeconds?: number;
  credentialBundlePath?: string;
  keyPath?: string;
  certificateChainPath?: string;
  userAnnotations?: Record<string, string>;
};

export type PodCondition = {
  type?: PodConditionType;
  observedGeneration?: Int64;
  status?: ConditionStatus;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type PodConditionType = string;

export type PodDNSConfig = {
  nameservers?: string[];
  searches?: string[];
  options?: PodDNSConfigOption[];
};

export type PodDNSConfigOption = {
  name?: string;
  value?: string;
};

export type PodExecOptions = {
  kind?: string;
  apiVersion?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
  command?: string[] | null;
};

export type PodExtendedResourceClaimStatus = {
  requestMappings?: ContainerExtendedResourceRequest[] | null;
  resourceClaimName?: string;
};

export type PodFSGroupChangePolicy = string;

export type PodIP = {
  ip?: string;
};

export type PodList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Pod[] | null;
};

export type PodLogOptions = {
  kind?: string;
  apiVersion?: string;
  container?: string;
  follow?: boolean;
  previous?: boolean;
  sinceSeconds?: Int64;
  sinceTime?: Time;
  timestamps?: boolean;
  tailLines?: Int64;
  limitBytes?: Int64;
  insecureSkipTLSVerifyBackend?: boolean;
  stream?: string;
};

export type PodOS = {
  name?: OSName;
};

export type PodPhase = string;

export type PodPortForwardOptions = {
  kind?: string;
  apiVersion?: string;
  ports?: number[];
};

export type PodProxyOptions = {
  kind?: string;
  apiVersion?: string;
  path?: string;
};

export type PodQOSClass = string;

export type PodReadinessGate = {
  conditionType?: PodConditionType;
};

export type PodResizeStatus = string;

export type PodResourceClaim = {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
};

export type PodResourceClaimStatus = {
  name?: string;
  resourceClaimName?: string;
};

export type PodSELinuxChangePolicy = string;

export type PodSchedulingGate = {
  name?: string;
};

export type PodSchedulingGroup = {
  podGroupName?: string;
};

export type PodSecurityContext = {
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: Int64;
  runAsGroup?: Int64;
  runAsNonRoot?: boolean;
  supplementalGroups?: Int64[];
  /** `Merge`, `Strict` */
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  fsGroup?: Int64;
  sysctls?: Sysctl[];
  /** `OnRootMismatch`, `Always` */
  fsGroupChangePolicy?: PodFSGroupChangePolicy;
  seccompProfile?: SeccompProfile;
  appArmorProfile?: AppArmorProfile;
  seLinuxChangePolicy?: PodSELinuxChangePolicy;
};

export type PodSignature = {
  podController?: OwnerReference;
};

export type PodSpec = {
  volumes?: Volume[];
  initContainers?: Container[];
  containers?: Container[] | null;
  ephemeralContainers?: EphemeralContainer[];
  /** `Always`, `OnFailure`, `Never` */
  restartPolicy?: RestartPolicy;
  terminationGracePeriodSeconds?: Int64;
  activeDeadlineSeconds?: Int64;
  /** `ClusterFirstWithHostNet`, `ClusterFirst`, `Default`, `None` */
  dnsPolicy?: DNSPolicy;
  nodeSelector?: Record<string, string>;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  nodeName?: string;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: PodSecurityContext;
  imagePullSecrets?: LocalObjectReference[];
  hostname?: string;
  subdomain?: string;
  affinity?: Affinity;
  schedulerName?: string;
  tolerations?: Toleration[];
  hostAliases?: HostAlias[];
  priorityClassName?: string;
  priority?: number;
  dnsConfig?: PodDNSConfig;
  readinessGates?: PodReadinessGate[];
  runtimeClassName?: string;
  enableServiceLinks?: boolean;
  /** `PreemptLowerPriority`, `Never` */
  preemptionPolicy?: PreemptionPolicy;
  overhead?: ResourceList;
  topologySpreadConstraints?: TopologySpreadConstraint[];
  setHostnameAsFQDN?: boolean;
  os?: PodOS;
  hostUsers?: boolean;
  schedulingGates?: PodSchedulingGate[];
  resourceClaims?: PodResourceClaim[];
  resources?: ResourceRequirements;
  hostnameOverride?: string;
  schedulingGroup?: PodSchedulingGroup;
};

export type PodStatus = {
  observedGeneration?: Int64;
  /** `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown` */
  phase?: PodPhase;
  conditions?: PodCondition[];
  message?: string;
  reason?: string;
  nominatedNodeName?: string;
  hostIP?: string;
  hostIPs?: HostIP[];
  podIP?: string;
  podIPs?: PodIP[];
  startTime?: Time;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  /** `Guaranteed`, `Burstable`, `BestEffort` */
  qosClass?: PodQOSClass;
  ephemeralContainerStatuses?: ContainerStatus[];
  resize?: PodResizeStatus;
  resourceClaimStatuses?: PodResourceClaimStatus[];
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  allocatedResources?: ResourceList;
  resources?: ResourceRequirements;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
};

export type PodStatusResult = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  status?: PodStatus;
};

export type PodTemplate = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  template?: PodTemplateSpec;
};

export type PodTemplateList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PodTemplate[] | null;
};

export type PodTemplateSpec = {
  metadata?: ObjectMeta;
  spec?: PodSpec;
};

export type PortStatus = {
  port?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  error?: string;
};

export type PortworxVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
};

export type Preconditions = {
  uid?: string;
};

export type PreemptionPolicy = string;

export type PreferAvoidPodsEntry = {
  podSignature?: PodSignature;
  evictionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type PreferredSchedulingTerm = {
  weight?: number;
  preference?: NodeSelectorTerm;
};

export type Probe = {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  grpc?: GRPCAction;
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: Int64;
};

export type ProbeHandler = {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  grpc?: GRPCAction;
};

export type ProcMountType = string;

export type ProjectedVolumeSource = {
  sources?: VolumeProjection[] | null;
  defaultMode?: number;
};

export type Protocol = string;

export type PullPolicy = string;

export type QuobyteVolumeSource = {
  registry?: string;
  volume?: string;
  readOnly?: boolean;
  user?: string;
  group?: string;
  tenant?: string;
};

export type RBDPersistentVolumeSource = {
  monitors?: string[] | null;
  image?: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
};

export type RBDVolumeSource = {
  monitors?: string[] | null;
  image?: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
};

export type RangeAllocation = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  range?: string;
  data?: Bytes | null;
};

export type RecursiveReadOnlyMode = string;

export type ReplicationController = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ReplicationControllerSpec;
  status?: ReplicationControllerStatus;
};

export type ReplicationControllerCondition = {
  type?: ReplicationControllerConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type ReplicationControllerConditionType = string;

export type ReplicationControllerList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ReplicationController[] | null;
};

export type ReplicationControllerSpec = {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: PodTemplateSpec;
};

export type ReplicationControllerStatus = {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: Int64;
  conditions?: ReplicationControllerCondition[];
};

export type ResourceClaim = {
  name?: string;
  request?: string;
};

export type ResourceFieldSelector = {
  containerName?: string;
  resource?: string;
  divisor?: Quantity;
};

export type ResourceHealth = {
  resourceID?: ResourceID;
  health?: ResourceHealthStatus;
  message?: string;
};

export type ResourceHealthStatus = string;

export type ResourceID = string;

export type ResourceList = Record<string, Quantity>;

export type ResourceName = string;

export type ResourceQuota = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ResourceQuotaSpec;
  status?: ResourceQuotaStatus;
};

export type ResourceQuotaList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ResourceQuota[] | null;
};

export type ResourceQuotaScope = string;

export type ResourceQuotaSpec = {
  hard?: ResourceList;
  /** `Terminating`, `NotTerminating`, `BestEffort`, `NotBestEffort`, `PriorityClass`, `CrossNamespacePodAffinity`, `VolumeAttributesClass` */
  scopes?: ResourceQuotaScope[];
  scopeSelector?: ScopeSelector;
};

export type ResourceQuotaStatus = {
  hard?: ResourceList;
  used?: ResourceList;
};

export type ResourceRequirements = {
  limits?: ResourceList;
  requests?: ResourceList;
  claims?: ResourceClaim[];
};

export type ResourceResizeRestartPolicy = string;

export type ResourceStatus = {
  name?: ResourceName;
  resources?: ResourceHealth[];
};

export type RestartPolicy = string;

export type SELinuxOptions = {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
};

export type ScaleIOPersistentVolumeSource = {
  gateway?: string;
  system?: string;
  secretRef?: SecretReference | null;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
};

export type ScaleIOVolumeSource = {
  gateway?: string;
  system?: string;
  secretRef?: LocalObjectReference | null;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
};

export type ScopeSelector = {
  matchExpressions?: ScopedResourceSelectorRequirement[];
};

export type ScopeSelectorOperator = string;

export type ScopedResourceSelectorRequirement = {
  /** `Terminating`, `NotTerminating`, `BestEffort`, `NotBestEffort`, `PriorityClass`, `CrossNamespacePodAffinity`, `VolumeAttributesClass` */
  scopeName?: ResourceQuotaScope;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist` */
  operator?: ScopeSelectorOperator;
  values?: string[];
};

export type SeccompProfile = {
  /** `Unconfined`, `RuntimeDefault`, `Localhost` */
  type?: SeccompProfileType;
  localhostProfile?: string;
};

export type SeccompProfileType = string;

export type Secret = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  immutable?: boolean;
  data?: Record<string, Bytes>;
  stringData?: Record<string, string>;
  type?: SecretType;
};

export type SecretEnvSource = {
  name?: string;
  optional?: boolean;
};

export type SecretKeySelector = {
  name?: string;
  key?: string;
  optional?: boolean;
};

export type SecretList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Secret[] | null;
};

export type SecretProjection = {
  name?: string;
  items?: KeyToPath[];
  optional?: boolean;
};

export type SecretReference = {
  name?: string;
  namespace?: string;
};

export type SecretType = string;

export type SecretVolumeSource = {
  secretName?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
};

export type SecurityContext = {
  capabilities?: Capabilities;
  privileged?: boolean;
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: Int64;
  runAsGroup?: Int64;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  allowPrivilegeEscalation?: boolean;
  /** `Default`, `Unmasked` */
  procMount?: ProcMountType;
  seccompProfile?: SeccompProfile;
  appArmorProfile?: AppArmorProfile;
};

export type SerializedReference = {
  kind?: string;
  apiVersion?: string;
  reference?: ObjectReference;
};

export type Service = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ServiceSpec;
  status?: ServiceStatus;
};

export type ServiceAccount = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  secrets?: ObjectReference[];
  imagePullSecrets?: LocalObjectReference[];
  automountServiceAccountToken?: boolean;
};

export type ServiceAccountList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ServiceAccount[] | null;
};

export type ServiceAccountTokenProjection = {
  audience?: string;
  expirationSeconds?: Int64;
  path?: string;
};

export type ServiceAffinity = string;

export type ServiceExternalTrafficPolicy = string;

export type ServiceExternalTrafficPolicyType = string;

export type ServiceInternalTrafficPolicy = string;

export type ServiceInternalTrafficPolicyType = string;

export type ServiceList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Service[] | null;
};

export type ServicePort = {
  name?: string;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  appProtocol?: string;
  port?: number;
  targetPort?: IntOrString;
  nodePort?: number;
};

export type ServiceProxyOptions = {
  kind?: string;
  apiVersion?: string;
  path?: string;
};

export type ServiceSpec = {
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  /** `ClusterIP`, `NodePort`, `LoadBalancer`, `ExternalName` */
  type?: ServiceType;
  externalIPs?: string[];
  /** `ClientIP`, `None` */
  sessionAffinity?: ServiceAffinity;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  externalName?: string;
  /** `Cluster`, `Local` */
  externalTrafficPolicy?: ServiceExternalTrafficPolicy;
  healthCheckNodePort?: number;
  publishNotReadyAddresses?: boolean;
  sessionAffinityConfig?: SessionAffinityConfig;
  /** `IPv4`, `IPv6`, `` */
  ipFamilies?: IPFamily[];
  /** `SingleStack`, `PreferDualStack`, `RequireDualStack` */
  ipFamilyPolicy?: IPFamilyPolicy;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  /** `Cluster`, `Local` */
  internalTrafficPolicy?: ServiceInternalTrafficPolicy;
  trafficDistribution?: string;
};

export type ServiceStatus = {
  loadBalancer?: LoadBalancerStatus;
  conditions?: meta_v1.Condition[];
};

export type ServiceType = string;

export type SessionAffinityConfig = {
  clientIP?: ClientIPConfig;
};

export type Signal = string;

export type SleepAction = {
  seconds?: Int64;
};

export type StorageMedium = string;

export type StorageOSPersistentVolumeSource = {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: ObjectReference;
};

export type StorageOSVolumeSource = {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
};

export type SupplementalGroupsPolicy = string;

export type Sysctl = {
  name?: string;
  value?: string;
};

export type TCPSocketAction = {
  port?: IntOrString;
  host?: string;
};

export type Taint = {
  key?: string;
  value?: string;
  /** `NoSchedule`, `PreferNoSchedule`, `NoExecute` */
  effect?: TaintEffect;
  timeAdded?: Time;
};

export type TaintEffect = string;

export type TerminationMessagePolicy = string;

export type Toleration = {
  key?: string;
  /** `Exists`, `Equal`, `Lt`, `Gt` */
  operator?: TolerationOperator;
  value?: string;
  /** `NoSchedule`, `PreferNoSchedule`, `NoExecute` */
  effect?: TaintEffect;
  tolerationSeconds?: Int64;
};

export type TolerationOperator = string;

export type TopologySelectorLabelRequirement = {
  key?: string;
  values?: string[] | null;
};

export type TopologySelectorTerm = {
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
};

export type TopologySpreadConstraint = {
  maxSkew?: number;
  topologyKey?: string;
  /** `DoNotSchedule`, `ScheduleAnyway` */
  whenUnsatisfiable?: UnsatisfiableConstraintAction;
  labelSelector?: meta_v1.LabelSelector;
  minDomains?: number;
  /** `Ignore`, `Honor` */
  nodeAffinityPolicy?: NodeInclusionPolicy;
  /** `Ignore`, `Honor` */
  nodeTaintsPolicy?: NodeInclusionPolicy;
  matchLabelKeys?: string[];
};

export type TypedLocalObjectReference = {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
};

export type TypedObjectReference = {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
  namespace?: string;
};

export type URIScheme = string;

export type UniqueVolumeName = string;

export type UnsatisfiableConstraintAction = string;

export type Volume = {
  name?: string;
  hostPath?: HostPathVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  secret?: SecretVolumeSource;
  nfs?: NFSVolumeSource;
  iscsi?: ISCSIVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  rbd?: RBDVolumeSource;
  flexVolume?: FlexVolumeSource;
  cinder?: CinderVolumeSource;
  cephfs?: CephFSVolumeSource;
  flocker?: FlockerVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  fc?: FCVolumeSource;
  azureFile?: AzureFileVolumeSource;
  configMap?: ConfigMapVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  projected?: ProjectedVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  storageos?: StorageOSVolumeSource;
  csi?: CSIVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  image?: ImageVolumeSource;
};

export type VolumeDevice = {
  name?: string;
  devicePath?: string;
};

export type VolumeMount = {
  name?: string;
  readOnly?: boolean;
  recursiveReadOnly?: RecursiveReadOnlyMode;
  mountPath?: string;
  subPath?: string;
  /** `None`, `HostToContainer`, `Bidirectional` */
  mountPropagation?: MountPropagationMode;
  subPathExpr?: string;
};

export type VolumeMountStatus = {
  name?: string;
  mountPath?: string;
  readOnly?: boolean;
  recursiveReadOnly?: RecursiveReadOnlyMode;
  volumeStatus?: VolumeStatus;
};

export type VolumeNodeAffinity = {
  required?: NodeSelector;
};

export type VolumeProjection = {
  secret?: SecretProjection;
  downwardAPI?: DownwardAPIProjection;
  configMap?: ConfigMapProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
  clusterTrustBundle?: ClusterTrustBundleProjection;
  podCertificate?: PodCertificateProjection;
};

export type VolumeResourceRequirements = {
  limits?: ResourceList;
  requests?: ResourceList;
};

export type VolumeSource = {
  hostPath?: HostPathVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  secret?: SecretVolumeSource;
  nfs?: NFSVolumeSource;
  iscsi?: ISCSIVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  rbd?: RBDVolumeSource;
  flexVolume?: FlexVolumeSource;
  cinder?: CinderVolumeSource;
  cephfs?: CephFSVolumeSource;
  flocker?: FlockerVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  fc?: FCVolumeSource;
  azureFile?: AzureFileVolumeSource;
  configMap?: ConfigMapVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  projected?: ProjectedVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  storageos?: StorageOSVolumeSource;
  csi?: CSIVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  image?: ImageVolumeSource;
};

export type VolumeStatus = {
  image?: ImageVolumeStatus;
};

export type VsphereVirtualDiskVolumeSource = {
  volumePath?: string;
  fsType?: string;
  storagePolicyName?: string;
  storagePolicyID?: string;
};

export type WeightedPodAffinityTerm = {
  weight?: number;
  podAffinityTerm?: PodAffinityTerm;
};

export type WindowsSecurityContextOptions = {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
};
