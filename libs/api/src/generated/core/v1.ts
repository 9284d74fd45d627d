// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, OwnerReference, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';
import type { Bytes, Int64, IntOrString, MicroTime, Quantity, RawExtension, Time } from '../../scalars.ts';

export type AWSElasticBlockStoreVolumeSource = {
  volumeID?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type Affinity = {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
  [emptied]?: readonly string[];
};

export type AppArmorProfile = {
  /** `Unconfined`, `RuntimeDefault`, `Localhost` */
  type?: AppArmorProfileType;
  localhostProfile?: string;
  [emptied]?: readonly string[];
};

export type AppArmorProfileType = string;

export type AttachedVolume = {
  name?: UniqueVolumeName;
  devicePath?: string;
  [emptied]?: readonly string[];
};

export type AvoidPods = {
  preferAvoidPods?: PreferAvoidPodsEntry[];
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type AzureFilePersistentVolumeSource = {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
  secretNamespace?: string | null;
  [emptied]?: readonly string[];
};

export type AzureFileVolumeSource = {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type Binding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  target?: ObjectReference;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type CSIVolumeSource = {
  driver?: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  nodePublishSecretRef?: LocalObjectReference;
  [emptied]?: readonly string[];
};

export type Capabilities = {
  add?: Capability[];
  drop?: Capability[];
  [emptied]?: readonly string[];
};

export type Capability = string;

export type CephFSPersistentVolumeSource = {
  monitors?: string[] | null;
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type CephFSVolumeSource = {
  monitors?: string[] | null;
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type CinderPersistentVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
  [emptied]?: readonly string[];
};

export type CinderVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  [emptied]?: readonly string[];
};

export type ClaimResourceStatus = string;

export type ClientIPConfig = {
  timeoutSeconds?: number;
  [emptied]?: readonly string[];
};

export type ClusterTrustBundleProjection = {
  name?: string;
  signerName?: string;
  labelSelector?: meta_v1.LabelSelector;
  optional?: boolean;
  path?: string;
  [emptied]?: readonly string[];
};

export type ComponentCondition = {
  type?: ComponentConditionType;
  status?: ConditionStatus;
  message?: string;
  error?: string;
  [emptied]?: readonly string[];
};

export type ComponentConditionType = string;

export type ComponentStatus = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  conditions?: ComponentCondition[];
  [emptied]?: readonly string[];
};

export type ComponentStatusList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ComponentStatus[] | null;
  [emptied]?: readonly string[];
};

export type ConditionStatus = string;

export type ConfigMap = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  immutable?: boolean;
  data?: Record<string, string>;
  binaryData?: Record<string, Bytes>;
  [emptied]?: readonly string[];
};

export type ConfigMapEnvSource = {
  name?: string;
  optional?: boolean;
  [emptied]?: readonly string[];
};

export type ConfigMapKeySelector = {
  name?: string;
  key?: string;
  optional?: boolean;
  [emptied]?: readonly string[];
};

export type ConfigMapList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ConfigMap[] | null;
  [emptied]?: readonly string[];
};

export type ConfigMapNodeConfigSource = {
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  kubeletConfigKey?: string;
  [emptied]?: readonly string[];
};

export type ConfigMapProjection = {
  name?: string;
  items?: KeyToPath[];
  optional?: boolean;
  [emptied]?: readonly string[];
};

export type ConfigMapVolumeSource = {
  name?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ContainerExtendedResourceRequest = {
  containerName?: string;
  resourceName?: string;
  requestName?: string;
  [emptied]?: readonly string[];
};

export type ContainerImage = {
  names?: string[] | null;
  sizeBytes?: Int64;
  [emptied]?: readonly string[];
};

export type ContainerPort = {
  name?: string;
  hostPort?: number;
  containerPort?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  hostIP?: string;
  [emptied]?: readonly string[];
};

export type ContainerResizePolicy = {
  resourceName?: ResourceName;
  restartPolicy?: ResourceResizeRestartPolicy;
  [emptied]?: readonly string[];
};

export type ContainerRestartPolicy = string;

export type ContainerRestartRule = {
  action?: ContainerRestartRuleAction;
  exitCodes?: ContainerRestartRuleOnExitCodes;
  [emptied]?: readonly string[];
};

export type ContainerRestartRuleAction = string;

export type ContainerRestartRuleOnExitCodes = {
  operator?: ContainerRestartRuleOnExitCodesOperator;
  values?: number[];
  [emptied]?: readonly string[];
};

export type ContainerRestartRuleOnExitCodesOperator = string;

export type ContainerState = {
  waiting?: ContainerStateWaiting;
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
  [emptied]?: readonly string[];
};

export type ContainerStateRunning = {
  startedAt?: Time | null;
  [emptied]?: readonly string[];
};

export type ContainerStateTerminated = {
  exitCode?: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: Time | null;
  finishedAt?: Time | null;
  containerID?: string;
  [emptied]?: readonly string[];
};

export type ContainerStateWaiting = {
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ContainerUser = {
  linux?: LinuxContainerUser;
  [emptied]?: readonly string[];
};

export type DNSPolicy = string;

export type DaemonEndpoint = {
  Port?: number;
  [emptied]?: readonly string[];
};

export type DownwardAPIProjection = {
  items?: DownwardAPIVolumeFile[];
  [emptied]?: readonly string[];
};

export type DownwardAPIVolumeFile = {
  path?: string;
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  mode?: number;
  [emptied]?: readonly string[];
};

export type DownwardAPIVolumeSource = {
  items?: DownwardAPIVolumeFile[];
  defaultMode?: number;
  [emptied]?: readonly string[];
};

export type EmptyDirVolumeSource = {
  medium?: StorageMedium;
  sizeLimit?: Quantity;
  [emptied]?: readonly string[];
};

export type EndpointAddress = {
  ip?: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
  [emptied]?: readonly string[];
};

export type EndpointPort = {
  name?: string;
  port?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  appProtocol?: string;
  [emptied]?: readonly string[];
};

export type EndpointSubset = {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
  [emptied]?: readonly string[];
};

export type Endpoints = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  subsets?: EndpointSubset[];
  [emptied]?: readonly string[];
};

export type EndpointsList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Endpoints[] | null;
  [emptied]?: readonly string[];
};

export type EnvFromSource = {
  prefix?: string;
  configMapRef?: ConfigMapEnvSource;
  secretRef?: SecretEnvSource;
  [emptied]?: readonly string[];
};

export type EnvVar = {
  name?: string;
  value?: string;
  valueFrom?: EnvVarSource;
  [emptied]?: readonly string[];
};

export type EnvVarSource = {
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  configMapKeyRef?: ConfigMapKeySelector;
  secretKeyRef?: SecretKeySelector;
  fileKeyRef?: FileKeySelector;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type EphemeralVolumeSource = {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type EventList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Event[] | null;
  [emptied]?: readonly string[];
};

export type EventSeries = {
  count?: number;
  lastObservedTime?: MicroTime | null;
  [emptied]?: readonly string[];
};

export type EventSource = {
  component?: string;
  host?: string;
  [emptied]?: readonly string[];
};

export type ExecAction = {
  command?: string[];
  [emptied]?: readonly string[];
};

export type FCVolumeSource = {
  targetWWNs?: string[];
  lun?: number;
  fsType?: string;
  readOnly?: boolean;
  wwids?: string[];
  [emptied]?: readonly string[];
};

export type FileKeySelector = {
  volumeName?: string;
  path?: string;
  key?: string;
  optional?: boolean;
  [emptied]?: readonly string[];
};

export type FinalizerName = string;

export type FlexPersistentVolumeSource = {
  driver?: string;
  fsType?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
  options?: Record<string, string>;
  [emptied]?: readonly string[];
};

export type FlexVolumeSource = {
  driver?: string;
  fsType?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
  options?: Record<string, string>;
  [emptied]?: readonly string[];
};

export type FlockerVolumeSource = {
  datasetName?: string;
  datasetUUID?: string;
  [emptied]?: readonly string[];
};

export type GCEPersistentDiskVolumeSource = {
  pdName?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type GRPCAction = {
  port?: number;
  service?: string | null;
  [emptied]?: readonly string[];
};

export type GitRepoVolumeSource = {
  repository?: string;
  revision?: string;
  directory?: string;
  [emptied]?: readonly string[];
};

export type GlusterfsPersistentVolumeSource = {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
  endpointsNamespace?: string;
  [emptied]?: readonly string[];
};

export type GlusterfsVolumeSource = {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type HTTPGetAction = {
  path?: string;
  port?: IntOrString;
  host?: string;
  /** `HTTP`, `HTTPS` */
  scheme?: URIScheme;
  httpHeaders?: HTTPHeader[];
  [emptied]?: readonly string[];
};

export type HTTPHeader = {
  name?: string;
  value?: string;
  [emptied]?: readonly string[];
};

export type HostAlias = {
  ip?: string;
  hostnames?: string[];
  [emptied]?: readonly string[];
};

export type HostIP = {
  ip?: string;
  [emptied]?: readonly string[];
};

export type HostPathType = string;

export type HostPathVolumeSource = {
  path?: string;
  /** ``, `DirectoryOrCreate`, `Directory`, `FileOrCreate`, `File`, `Socket`, `CharDevice`, `BlockDevice` */
  type?: HostPathType;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ImageVolumeSource = {
  reference?: string;
  /** `Always`, `Never`, `IfNotPresent` */
  pullPolicy?: PullPolicy;
  [emptied]?: readonly string[];
};

export type ImageVolumeStatus = {
  imageRef?: string;
  [emptied]?: readonly string[];
};

export type KeyToPath = {
  key?: string;
  path?: string;
  mode?: number;
  [emptied]?: readonly string[];
};

export type Lifecycle = {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  /** `SIGABRT`, `SIGALRM`, `SIGBUS`, `SIGCHLD`, `SIGCLD`, `SIGCONT`, `SIGFPE`, `SIGHUP`, `SIGILL`, `SIGINT`, `SIGIO`, `SIGIOT`, `SIGKILL`, `SIGPIPE`, `SIGPOLL`, `SIGPROF`, `SIGPWR`, `SIGQUIT`, `SIGSEGV`, `SIGSTKFLT`, `SIGSTOP`, `SIGSYS`, `SIGTERM`, `SIGTRAP`, `SIGTSTP`, `SIGTTIN`, `SIGTTOU`, `SIGURG`, `SIGUSR1`, `SIGUSR2`, `SIGVTALRM`, `SIGWINCH`, `SIGXCPU`, `SIGXFSZ`, `SIGRTMIN`, `SIGRTMIN+1`, `SIGRTMIN+2`, `SIGRTMIN+3`, `SIGRTMIN+4`, `SIGRTMIN+5`, `SIGRTMIN+6`, `SIGRTMIN+7`, `SIGRTMIN+8`, `SIGRTMIN+9`, `SIGRTMIN+10`, `SIGRTMIN+11`, `SIGRTMIN+12`, `SIGRTMIN+13`, `SIGRTMIN+14`, `SIGRTMIN+15`, `SIGRTMAX-14`, `SIGRTMAX-13`, `SIGRTMAX-12`, `SIGRTMAX-11`, `SIGRTMAX-10`, `SIGRTMAX-9`, `SIGRTMAX-8`, `SIGRTMAX-7`, `SIGRTMAX-6`, `SIGRTMAX-5`, `SIGRTMAX-4`, `SIGRTMAX-3`, `SIGRTMAX-2`, `SIGRTMAX-1`, `SIGRTMAX` */
  stopSignal?: Signal;
  [emptied]?: readonly string[];
};

export type LifecycleHandler = {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  sleep?: SleepAction;
  [emptied]?: readonly string[];
};

export type LimitRange = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: LimitRangeSpec;
  [emptied]?: readonly string[];
};

export type LimitRangeItem = {
  type?: LimitType;
  max?: ResourceList;
  min?: ResourceList;
  default?: ResourceList;
  defaultRequest?: ResourceList;
  maxLimitRequestRatio?: ResourceList;
  [emptied]?: readonly string[];
};

export type LimitRangeList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: LimitRange[] | null;
  [emptied]?: readonly string[];
};

export type LimitRangeSpec = {
  limits?: LimitRangeItem[] | null;
  [emptied]?: readonly string[];
};

export type LimitType = string;

export type LinuxContainerUser = {
  uid?: Int64;
  gid?: Int64;
  supplementalGroups?: Int64[];
  [emptied]?: readonly string[];
};

export type List = {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items?: RawExtension[] | null;
  [emptied]?: readonly string[];
};

export type LoadBalancerIPMode = string;

export type LoadBalancerIngress = {
  ip?: string;
  hostname?: string;
  ipMode?: LoadBalancerIPMode;
  ports?: PortStatus[];
  [emptied]?: readonly string[];
};

export type LoadBalancerStatus = {
  ingress?: LoadBalancerIngress[];
  [emptied]?: readonly string[];
};

export type LocalObjectReference = {
  name?: string;
  [emptied]?: readonly string[];
};

export type LocalVolumeSource = {
  path?: string;
  fsType?: string;
  [emptied]?: readonly string[];
};

export type ModifyVolumeStatus = {
  targetVolumeAttributesClassName?: string;
  /** `Pending`, `InProgress`, `Infeasible` */
  status?: PersistentVolumeClaimModifyVolumeStatus;
  [emptied]?: readonly string[];
};

export type MountPropagationMode = string;

export type NFSVolumeSource = {
  server?: string;
  path?: string;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type Namespace = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
  [emptied]?: readonly string[];
};

export type NamespaceCondition = {
  type?: NamespaceConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type NamespaceConditionType = string;

export type NamespaceList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Namespace[] | null;
  [emptied]?: readonly string[];
};

export type NamespacePhase = string;

export type NamespaceSpec = {
  finalizers?: FinalizerName[];
  [emptied]?: readonly string[];
};

export type NamespaceStatus = {
  /** `Active`, `Terminating` */
  phase?: NamespacePhase;
  conditions?: NamespaceCondition[];
  [emptied]?: readonly string[];
};

export type Node = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
  [emptied]?: readonly string[];
};

export type NodeAddress = {
  type?: NodeAddressType;
  address?: string;
  [emptied]?: readonly string[];
};

export type NodeAddressType = string;

export type NodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  [emptied]?: readonly string[];
};

export type NodeAllocatableResourceClaimStatus = {
  resourceClaimName?: string;
  containers?: string[];
  resources?: Record<string, Quantity> | null;
  [emptied]?: readonly string[];
};

export type NodeCondition = {
  type?: NodeConditionType;
  status?: ConditionStatus;
  lastHeartbeatTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type NodeConditionType = string;

export type NodeConfigSource = {
  configMap?: ConfigMapNodeConfigSource;
  [emptied]?: readonly string[];
};

export type NodeConfigStatus = {
  assigned?: NodeConfigSource;
  active?: NodeConfigSource;
  lastKnownGood?: NodeConfigSource;
  error?: string;
  [emptied]?: readonly string[];
};

export type NodeDaemonEndpoints = {
  kubeletEndpoint?: DaemonEndpoint;
  [emptied]?: readonly string[];
};

export type NodeFeatures = {
  supplementalGroupsPolicy?: boolean;
  [emptied]?: readonly string[];
};

export type NodeInclusionPolicy = string;

export type NodeList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Node[] | null;
  [emptied]?: readonly string[];
};

export type NodePhase = string;

export type NodeProxyOptions = {
  kind?: string;
  apiVersion?: string;
  path?: string;
  [emptied]?: readonly string[];
};

export type NodeRuntimeHandler = {
  name?: string;
  features?: NodeRuntimeHandlerFeatures;
  [emptied]?: readonly string[];
};

export type NodeRuntimeHandlerFeatures = {
  recursiveReadOnlyMounts?: boolean;
  userNamespaces?: boolean;
  [emptied]?: readonly string[];
};

export type NodeSelector = {
  nodeSelectorTerms?: NodeSelectorTerm[] | null;
  [emptied]?: readonly string[];
};

export type NodeSelectorOperator = string;

export type NodeSelectorRequirement = {
  key?: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt`, `Lt` */
  operator?: NodeSelectorOperator;
  values?: string[];
  [emptied]?: readonly string[];
};

export type NodeSelectorTerm = {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
  [emptied]?: readonly string[];
};

export type NodeSpec = {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: Taint[];
  configSource?: NodeConfigSource;
  externalID?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type NodeSwapStatus = {
  capacity?: Int64;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type OSName = string;

export type ObjectFieldSelector = {
  apiVersion?: string;
  fieldPath?: string;
  [emptied]?: readonly string[];
};

export type ObjectReference = {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
  [emptied]?: readonly string[];
};

export type PersistentVolume = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PersistentVolumeSpec;
  status?: PersistentVolumeStatus;
  [emptied]?: readonly string[];
};

export type PersistentVolumeAccessMode = string;

export type PersistentVolumeClaim = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
  [emptied]?: readonly string[];
};

export type PersistentVolumeClaimCondition = {
  type?: PersistentVolumeClaimConditionType;
  status?: ConditionStatus;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type PersistentVolumeClaimConditionType = string;

export type PersistentVolumeClaimList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PersistentVolumeClaim[] | null;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PersistentVolumeClaimTemplate = {
  metadata?: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
  [emptied]?: readonly string[];
};

export type PersistentVolumeClaimVolumeSource = {
  claimName?: string;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type PersistentVolumeList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PersistentVolume[] | null;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PersistentVolumeStatus = {
  /** `Pending`, `Available`, `Bound`, `Released`, `Failed` */
  phase?: PersistentVolumePhase;
  message?: string;
  reason?: string;
  lastPhaseTransitionTime?: Time;
  [emptied]?: readonly string[];
};

export type PhotonPersistentDiskVolumeSource = {
  pdID?: string;
  fsType?: string;
  [emptied]?: readonly string[];
};

export type Pod = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
  [emptied]?: readonly string[];
};

export type PodAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  [emptied]?: readonly string[];
};

export type PodAffinityTerm = {
  labelSelector?: meta_v1.LabelSelector;
  namespaces?: string[];
  topologyKey?: string;
  namespaceSelector?: meta_v1.LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
  [emptied]?: readonly string[];
};

export type PodAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  [emptied]?: readonly string[];
};

export type PodAttachOptions = {
  kind?: string;
  apiVersion?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
  [emptied]?: readonly string[];
};

export type PodCertificateProjection = {
  signerName?: string;
  keyType?: string;
  maxExpirationSeconds?: number;
  credentialBundlePath?: string;
  keyPath?: string;
  certificateChainPath?: string;
  userAnnotations?: Record<string, string>;
  [emptied]?: readonly string[];
};

export type PodCondition = {
  type?: PodConditionType;
  observedGeneration?: Int64;
  status?: ConditionStatus;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type PodConditionType = string;

export type PodDNSConfig = {
  nameservers?: string[];
  searches?: string[];
  options?: PodDNSConfigOption[];
  [emptied]?: readonly string[];
};

export type PodDNSConfigOption = {
  name?: string;
  value?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PodExtendedResourceClaimStatus = {
  requestMappings?: ContainerExtendedResourceRequest[] | null;
  resourceClaimName?: string;
  [emptied]?: readonly string[];
};

export type PodFSGroupChangePolicy = string;

export type PodIP = {
  ip?: string;
  [emptied]?: readonly string[];
};

export type PodList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Pod[] | null;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PodOS = {
  name?: OSName;
  [emptied]?: readonly string[];
};

export type PodPhase = string;

export type PodPortForwardOptions = {
  kind?: string;
  apiVersion?: string;
  ports?: number[];
  [emptied]?: readonly string[];
};

export type PodProxyOptions = {
  kind?: string;
  apiVersion?: string;
  path?: string;
  [emptied]?: readonly string[];
};

export type PodQOSClass = string;

export type PodReadinessGate = {
  conditionType?: PodConditionType;
  [emptied]?: readonly string[];
};

export type PodResizeStatus = string;

export type PodResourceClaim = {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
  [emptied]?: readonly string[];
};

export type PodResourceClaimStatus = {
  name?: string;
  resourceClaimName?: string;
  [emptied]?: readonly string[];
};

export type PodSELinuxChangePolicy = string;

export type PodSchedulingGate = {
  name?: string;
  [emptied]?: readonly string[];
};

export type PodSchedulingGroup = {
  podGroupName?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PodSignature = {
  podController?: OwnerReference;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PodStatusResult = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  status?: PodStatus;
  [emptied]?: readonly string[];
};

export type PodTemplate = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  template?: PodTemplateSpec;
  [emptied]?: readonly string[];
};

export type PodTemplateList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PodTemplate[] | null;
  [emptied]?: readonly string[];
};

export type PodTemplateSpec = {
  metadata?: ObjectMeta;
  spec?: PodSpec;
  [emptied]?: readonly string[];
};

export type PortStatus = {
  port?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  error?: string;
  [emptied]?: readonly string[];
};

export type PortworxVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  [emptied]?: readonly string[];
};

export type Preconditions = {
  uid?: string;
  [emptied]?: readonly string[];
};

export type PreemptionPolicy = string;

export type PreferAvoidPodsEntry = {
  podSignature?: PodSignature;
  evictionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type PreferredSchedulingTerm = {
  weight?: number;
  preference?: NodeSelectorTerm;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ProbeHandler = {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  grpc?: GRPCAction;
  [emptied]?: readonly string[];
};

export type ProcMountType = string;

export type ProjectedVolumeSource = {
  sources?: VolumeProjection[] | null;
  defaultMode?: number;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type RangeAllocation = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  range?: string;
  data?: Bytes | null;
  [emptied]?: readonly string[];
};

export type RecursiveReadOnlyMode = string;

export type ReplicationController = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ReplicationControllerSpec;
  status?: ReplicationControllerStatus;
  [emptied]?: readonly string[];
};

export type ReplicationControllerCondition = {
  type?: ReplicationControllerConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type ReplicationControllerConditionType = string;

export type ReplicationControllerList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ReplicationController[] | null;
  [emptied]?: readonly string[];
};

export type ReplicationControllerSpec = {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: PodTemplateSpec;
  [emptied]?: readonly string[];
};

export type ReplicationControllerStatus = {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: Int64;
  conditions?: ReplicationControllerCondition[];
  [emptied]?: readonly string[];
};

export type ResourceClaim = {
  name?: string;
  request?: string;
  [emptied]?: readonly string[];
};

export type ResourceFieldSelector = {
  containerName?: string;
  resource?: string;
  divisor?: Quantity;
  [emptied]?: readonly string[];
};

export type ResourceHealth = {
  resourceID?: ResourceID;
  health?: ResourceHealthStatus;
  message?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ResourceQuotaList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ResourceQuota[] | null;
  [emptied]?: readonly string[];
};

export type ResourceQuotaScope = string;

export type ResourceQuotaSpec = {
  hard?: ResourceList;
  /** `Terminating`, `NotTerminating`, `BestEffort`, `NotBestEffort`, `PriorityClass`, `CrossNamespacePodAffinity`, `VolumeAttributesClass` */
  scopes?: ResourceQuotaScope[];
  scopeSelector?: ScopeSelector;
  [emptied]?: readonly string[];
};

export type ResourceQuotaStatus = {
  hard?: ResourceList;
  used?: ResourceList;
  [emptied]?: readonly string[];
};

export type ResourceRequirements = {
  limits?: ResourceList;
  requests?: ResourceList;
  claims?: ResourceClaim[];
  [emptied]?: readonly string[];
};

export type ResourceResizeRestartPolicy = string;

export type ResourceStatus = {
  name?: ResourceName;
  resources?: ResourceHealth[];
  [emptied]?: readonly string[];
};

export type RestartPolicy = string;

export type SELinuxOptions = {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ScopeSelector = {
  matchExpressions?: ScopedResourceSelectorRequirement[];
  [emptied]?: readonly string[];
};

export type ScopeSelectorOperator = string;

export type ScopedResourceSelectorRequirement = {
  /** `Terminating`, `NotTerminating`, `BestEffort`, `NotBestEffort`, `PriorityClass`, `CrossNamespacePodAffinity`, `VolumeAttributesClass` */
  scopeName?: ResourceQuotaScope;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist` */
  operator?: ScopeSelectorOperator;
  values?: string[];
  [emptied]?: readonly string[];
};

export type SeccompProfile = {
  /** `Unconfined`, `RuntimeDefault`, `Localhost` */
  type?: SeccompProfileType;
  localhostProfile?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type SecretEnvSource = {
  name?: string;
  optional?: boolean;
  [emptied]?: readonly string[];
};

export type SecretKeySelector = {
  name?: string;
  key?: string;
  optional?: boolean;
  [emptied]?: readonly string[];
};

export type SecretList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Secret[] | null;
  [emptied]?: readonly string[];
};

export type SecretProjection = {
  name?: string;
  items?: KeyToPath[];
  optional?: boolean;
  [emptied]?: readonly string[];
};

export type SecretReference = {
  name?: string;
  namespace?: string;
  [emptied]?: readonly string[];
};

export type SecretType = string;

export type SecretVolumeSource = {
  secretName?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type SerializedReference = {
  kind?: string;
  apiVersion?: string;
  reference?: ObjectReference;
  [emptied]?: readonly string[];
};

export type Service = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ServiceSpec;
  status?: ServiceStatus;
  [emptied]?: readonly string[];
};

export type ServiceAccount = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  secrets?: ObjectReference[];
  imagePullSecrets?: LocalObjectReference[];
  automountServiceAccountToken?: boolean;
  [emptied]?: readonly string[];
};

export type ServiceAccountList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ServiceAccount[] | null;
  [emptied]?: readonly string[];
};

export type ServiceAccountTokenProjection = {
  audience?: string;
  expirationSeconds?: Int64;
  path?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ServicePort = {
  name?: string;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: Protocol;
  appProtocol?: string;
  port?: number;
  targetPort?: IntOrString;
  nodePort?: number;
  [emptied]?: readonly string[];
};

export type ServiceProxyOptions = {
  kind?: string;
  apiVersion?: string;
  path?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ServiceStatus = {
  loadBalancer?: LoadBalancerStatus;
  conditions?: meta_v1.Condition[];
  [emptied]?: readonly string[];
};

export type ServiceType = string;

export type SessionAffinityConfig = {
  clientIP?: ClientIPConfig;
  [emptied]?: readonly string[];
};

export type Signal = string;

export type SleepAction = {
  seconds?: Int64;
  [emptied]?: readonly string[];
};

export type StorageMedium = string;

export type StorageOSPersistentVolumeSource = {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: ObjectReference;
  [emptied]?: readonly string[];
};

export type StorageOSVolumeSource = {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  [emptied]?: readonly string[];
};

export type SupplementalGroupsPolicy = string;

export type Sysctl = {
  name?: string;
  value?: string;
  [emptied]?: readonly string[];
};

export type TCPSocketAction = {
  port?: IntOrString;
  host?: string;
  [emptied]?: readonly string[];
};

export type Taint = {
  key?: string;
  value?: string;
  /** `NoSchedule`, `PreferNoSchedule`, `NoExecute` */
  effect?: TaintEffect;
  timeAdded?: Time;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type TolerationOperator = string;

export type TopologySelectorLabelRequirement = {
  key?: string;
  values?: string[] | null;
  [emptied]?: readonly string[];
};

export type TopologySelectorTerm = {
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type TypedLocalObjectReference = {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
  [emptied]?: readonly string[];
};

export type TypedObjectReference = {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
  namespace?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type VolumeDevice = {
  name?: string;
  devicePath?: string;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type VolumeMountStatus = {
  name?: string;
  mountPath?: string;
  readOnly?: boolean;
  recursiveReadOnly?: RecursiveReadOnlyMode;
  volumeStatus?: VolumeStatus;
  [emptied]?: readonly string[];
};

export type VolumeNodeAffinity = {
  required?: NodeSelector;
  [emptied]?: readonly string[];
};

export type VolumeProjection = {
  secret?: SecretProjection;
  downwardAPI?: DownwardAPIProjection;
  configMap?: ConfigMapProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
  clusterTrustBundle?: ClusterTrustBundleProjection;
  podCertificate?: PodCertificateProjection;
  [emptied]?: readonly string[];
};

export type VolumeResourceRequirements = {
  limits?: ResourceList;
  requests?: ResourceList;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type VolumeStatus = {
  image?: ImageVolumeStatus;
  [emptied]?: readonly string[];
};

export type VsphereVirtualDiskVolumeSource = {
  volumePath?: string;
  fsType?: string;
  storagePolicyName?: string;
  storagePolicyID?: string;
  [emptied]?: readonly string[];
};

export type WeightedPodAffinityTerm = {
  weight?: number;
  podAffinityTerm?: PodAffinityTerm;
  [emptied]?: readonly string[];
};

export type WindowsSecurityContextOptions = {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
  [emptied]?: readonly string[];
};
