import { currentTime } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
import { at, condition, integer, isSet, list, type Plain, record, records, text, texts, textMap } from '../fields.ts';
import {
  accessModes,
  ageAt,
  asText,
  booleanAt,
  type Cell,
  conditionOf,
  containersAt,
  countAt,
  integerAt,
  integerOr,
  joinedAt,
  labelsAt,
  limited,
  loadBalancerAddresses,
  selectorAt,
  selectorText,
  textAt,
} from './cells.ts';
import { age, humanDuration } from './duration.ts';
import { hpaTargets } from './hpa.ts';

type Cells = Readonly<Record<string, Cell>>;

const template = (path: string): Cells => ({
  Containers: containersAt(path, 'name'),
  Images: containersAt(path, 'image'),
});
const workload: Cells = { ...template('spec.template.spec'), Selector: selectorAt('spec.selector') };
const replicas: Cells = {
  Desired: integerAt('spec.replicas'),
  Current: integerAt('status.replicas'),
  Ready: integerAt('status.readyReplicas'),
};
const readyOfDesired: Cell = (object) =>
  `${integer(at(object.status, 'readyReplicas'))}/${integer(at(object.spec, 'replicas'))}`;

function jobStatus(job: KubeObject): string {
  const is = (type: string) => conditionOf(job, type)?.status === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (isSet(job.metadata.deletionTimestamp)) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function jobCompletions(job: KubeObject): string {
  const succeeded = integer(at(job.status, 'succeeded'));
  const completions = at(job.spec, 'completions');
  if (isSet(completions)) return `${succeeded}/${integer(completions)}`;
  const parallelism = integer(at(job.spec, 'parallelism'));
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject): string {
  const start = Date.parse(text(at(job.status, 'startTime')));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(text(at(job.status, 'completionTime')));
  return humanDuration((Number.isNaN(end) ? currentTime() : end) - start);
}

function externalIps(service: KubeObject): string {
  const spec = record(service.spec);
  const own = texts(spec.externalIPs);
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return own.length === 0 ? '<none>' : own.join(',');
    case 'LoadBalancer': {
      const all = [...loadBalancerAddresses(service), ...own];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    case 'ExternalName':
      return text(spec.externalName);
    default:
      return '<unknown>';
  }
}

function servicePorts(service: KubeObject): string {
  const ports = records(at(service.spec, 'ports')).map((port) => {
    const nodePort = integer(port.nodePort);
    return `${integer(port.port)}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port.protocol)}`;
  });
  return ports.length === 0 ? '<none>' : ports.join(',');
}

function ingressHosts(ingress: KubeObject): string {
  const rules = records(at(ingress.spec, 'rules'));
  const shown: string[] = [];
  for (const [i, rule] of rules.entries()) {
    if (shown.length === 3) return `${shown.join(',')} + ${rules.length - i} more...`;
    const host = text(rule.host);
    if (host !== '') shown.push(host);
  }
  return shown.length === 0 ? '*' : shown.join(',');
}

const marked = (annotations: readonly string[]): Cell => {
  return (object) => {
    const isDefault = annotations.some((name) => object.metadata.annotations?.[name] === 'true');
    return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
  };
};

function classParameters(ingressClass: KubeObject): string {
  const parameters = at(ingressClass.spec, 'parameters');
  if (!isSet(parameters)) return '<none>';
  const { apiGroup, kind, name } = record(parameters);
  const group = text(apiGroup);
  return `${text(kind)}${group === '' ? '' : `.${group}`}/${text(name)}`;
}

const hostPort = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

function endpointAddresses(endpoints: KubeObject): string {
  const subsets = records(endpoints.subsets);
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const ips = records(subset.addresses).map((address) => text(address.ip));
    const ports = records(subset.ports);
    return ports.length === 0 ? ips : ports.flatMap((port) => ips.map((ip) => hostPort(ip, integer(port.port))));
  });
  return limited(all, 3);
}

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(node, 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return at(node.spec, 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(textMap(node.metadata.labels)).flatMap(([name, value]) => {
    if (name.startsWith(prefix)) return [name.slice(prefix.length)];
    return name === 'kubernetes.io/role' ? [value] : [];
  });
  const unique = [...new Set(roles.filter((role) => role !== ''))].toSorted();
  return unique.length === 0 ? '<none>' : unique.join(',');
}

const nodeAddress =
  (type: string): Cell =>
  (node) =>
    text(records(at(node.status, 'addresses')).find((address) => address.type === type)?.address) || '<none>';

function kernelVersion(node: KubeObject): string {
  const architecture = text(at(node.status, 'nodeInfo', 'architecture'));
  const version = text(at(node.status, 'nodeInfo', 'kernelVersion')) || '<unknown>';
  return architecture === '' ? version : `${version} (${architecture})`;
}

const firstSeen = (event: KubeObject): string =>
  isSet(event.firstTimestamp) ? age(event.firstTimestamp) : age(event.eventTime);

function lastSeen(event: KubeObject): string {
  if (isSet(event.series)) return age(record(event.series).lastObservedTime);
  return isSet(event.lastTimestamp) ? age(event.lastTimestamp) : firstSeen(event);
}

function eventObject(event: KubeObject): string {
  const { kind, name } = record(event.involvedObject);
  const lower = text(kind).toLowerCase();
  return text(name) === '' ? lower : `${lower}/${text(name)}`;
}

function eventSource(event: KubeObject): string {
  const source = record(event.source);
  const component = text(source.component) || text(event.reportingComponent);
  const host = text(source.host) || text(event.reportingInstance);
  return host === '' ? component : `${component}, ${host}`;
}

const eventCells: Cells = {
  'Last Seen': lastSeen,
  Type: textAt('type'),
  Reason: textAt('reason'),
  Object: eventObject,
  Subobject: textAt('involvedObject.fieldPath'),
  Source: eventSource,
  Message: (event) => text(event.message).trim(),
  'First Seen': firstSeen,
  Count: (event) => (isSet(event.series) ? integer(record(event.series).count) : integer(event.count) || 1),
};

const terminatingOr = (object: KubeObject): string =>
  isSet(object.metadata.deletionTimestamp) ? 'Terminating' : text(at(object.status, 'phase'));

const storageClass = (object: KubeObject): string =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? text(at(object.spec, 'storageClassName'));

const whenBound =
  (cell: Cell): Cell =>
  (claim) =>
    text(at(claim.spec, 'volumeName')) === '' ? '' : cell(claim);

const componentCondition = (member: string): Cell => {
  return (object) => text(condition(object.conditions, 'Healthy')?.[member]);
};
const componentHealth: Record<string, string> = { True: 'Healthy', False: 'Unhealthy' };

function subjectNames(kind: string): Cell {
  return (binding) =>
    records(binding.subjects)
      .filter((subject) => subject.kind === kind)
      .map((s) => (kind === 'ServiceAccount' ? `${text(s.namespace)}/${text(s.name)}` : text(s.name)))
      .join(', ');
}
const bindingCells: Cells = {
  Role: (binding) => `${text(at(binding.roleRef, 'kind'))}/${text(at(binding.roleRef, 'name'))}`,
  Users: subjectNames('User'),
  Groups: subjectNames('Group'),
  ServiceAccounts: subjectNames('ServiceAccount'),
};

function csrCondition(csr: KubeObject): string {
  const types = new Set(records(at(csr.status, 'conditions')).map((c) => c.type));
  const state = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${state}${failed}${text(at(csr.status, 'certificate')) === '' ? '' : ',Issued'}`;
}

function controllerOwner(object: KubeObject): string {
  const owner = (object.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

const quotaUsage =
  (limits: boolean): Cell =>
  (quota) => {
    const used = record(at(quota.status, 'used'));
    return Object.entries(textMap(at(quota.status, 'hard')))
      .filter(([name]) => (name.split('.')[0] === 'limits') === limits)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, hard]) => `${name}: ${text(used[name]) || '0'}/${hard}`)
      .join(', ');
  };

function slicePorts(slice: KubeObject): string {
  const ports = records(slice.ports);
  if (ports.length === 0) return '<unset>';
  return limited(
    ports.map((port) => (isSet(port.port) ? String(integer(port.port)) : text(port.name) || '*')),
    3,
  );
}

function sliceEndpoints(slice: KubeObject): string {
  const addresses = records(slice.endpoints).flatMap((endpoint) => texts(endpoint.addresses));
  return addresses.length === 0 ? '<unset>' : limited(addresses, 3);
}

const paramKind: Cell = (policy) => {
  const kind = at(policy.spec, 'paramKind');
  return isSet(kind) ? `${text(record(kind).apiVersion)}/${text(record(kind).kind)}` : '<unset>';
};

const paramRef: Cell = (binding) => {
  const reference = record(at(binding.spec, 'paramRef'));
  if (text(reference.name) !== '') return `${text(reference.namespace) || '*'}/${text(reference.name)}`;
  return isSet(reference.selector) ? selectorText(reference.selector) : '<unset>';
};

function claimState(claim: KubeObject): string {
  const deleted = isSet(claim.metadata.deletionTimestamp);
  const allocated = isSet(at(claim.status, 'allocation'));
  const states = [
    ...(deleted ? ['deleted'] : []),
    ...(allocated ? ['allocated'] : deleted ? [] : ['pending']),
    ...(allocated && list(at(claim.status, 'reservedFor')).length > 0 ? ['reserved'] : []),
  ];
  return states.join(',');
}

function parentReference(address: KubeObject): string {
  const parent = at(address.spec, 'parentRef');
  if (!isSet(parent)) return '<none>';
  const { group, resource, namespace, name } = record(parent);
  const qualified = [text(resource), text(group)].filter((part) => part !== '').join('.');
  return [qualified.toLowerCase(), text(namespace), text(name)].filter((part) => part !== '').join('/');
}

function poolSum(member: string): Cell {
  return (request) => {
    const pools = at(request.status, 'pools');
    if (!isSet(request.status) || conditionOf(request, 'Failed')?.status === 'True') return '-';
    return String(records(pools).reduce((sum, pool) => sum + integer(pool[member]), 0));
  };
}

function poolRequestStatus(request: KubeObject): string {
  const type = ['Complete', 'Failed'].find((name) => conditionOf(request, name)?.status === 'True') ?? 'Pending';
  const listed = list(at(request.status, 'pools')).length;
  const count = integer(at(request.status, 'poolCount'));
  return type === 'Complete' && count > listed ? `Complete (${listed}/${count} pools)` : type;
}

function podGroupStatus(group: KubeObject): string {
  const disrupted = conditionOf(group, 'DisruptionTarget');
  if (disrupted !== undefined) return text(disrupted.reason);
  const scheduled = conditionOf(group, 'PodGroupScheduled');
  if (scheduled === undefined) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}

const lastTrue =
  (types: readonly string[], otherwise: string): Cell =>
  (object) =>
    text(
      records(at(object.status, 'conditions')).findLast((c) => c.status === 'True' && types.includes(text(c.type)))
        ?.type,
    ) || otherwise;

const storageVersions: Cell = (object) => {
  const entries = records(at(object.status, 'storageVersions')).map(
    (entry: Plain) => `${text(entry.apiServerID)}=${text(entry.encodingVersion)}`,
  );
  return entries.length === 0 ? '<unset>' : limited(entries, 3);
};

/** How the cells are made that are no plain field, by `Kind` or `Kind.group` and column name. */
export const kindCells: Readonly<Record<string, Cells>> = {
  PodTemplate: { ...template('template.spec'), 'Pod Labels': labelsAt('template.metadata.labels') },
  'PodDisruptionBudget.policy': {
    'Min Available': asText('spec.minAvailable', 'N/A'),
    'Max Unavailable': asText('spec.maxUnavailable', 'N/A'),
    'Allowed Disruptions': integerAt('status.disruptionsAllowed'),
  },
  ReplicationController: { ...workload, ...replicas, Selector: labelsAt('spec.selector') },
  'ReplicaSet.apps': { ...workload, ...replicas },
  'DaemonSet.apps': {
    ...workload,
    Desired: integerAt('status.desiredNumberScheduled'),
    Current: integerAt('status.currentNumberScheduled'),
    Ready: integerAt('status.numberReady'),
    'Up-to-date': integerAt('status.updatedNumberScheduled'),
    Available: integerAt('status.numberAvailable'),
    'Node Selector': labelsAt('spec.template.spec.nodeSelector'),
  },
  'Job.batch': { ...workload, Status: jobStatus, Completions: jobCompletions, Duration: jobDuration },
  'CronJob.batch': {
    ...template('spec.jobTemplate.spec.template.spec'),
    Selector: selectorAt('spec.jobTemplate.spec.selector'),
    Timezone: textAt('spec.timeZone', '<none>'),
    Suspend: (cronJob) => {
      const suspend = at(cronJob.spec, 'suspend');
      return typeof suspend === 'boolean' ? (suspend ? 'True' : 'False') : '<unset>';
    },
    Active: countAt('status.active'),
    'Last Schedule': ageAt('status.lastScheduleTime', '<none>'),
  },
  Service: {
    'Cluster-IP': (service) => texts(at(service.spec, 'clusterIPs'))[0] ?? '<none>',
    'External-IP': externalIps,
    'Port(s)': servicePorts,
    Selector: labelsAt('spec.selector'),
  },
  'Ingress.networking.k8s.io': {
    Class: textAt('spec.ingressClassName', '<none>'),
    Hosts: ingressHosts,
    Address: (ingress) => loadBalancerAddresses(ingress).join(','),
    Ports: (ingress) => (list(at(ingress.spec, 'tls')).length > 0 ? '80, 443' : '80'),
  },
  'IngressClass.networking.k8s.io': {
    Name: marked(['ingressclass.kubernetes.io/is-default-class']),
    Parameters: classParameters,
  },
  'StatefulSet.apps': { ...template('spec.template.spec'), Ready: readyOfDesired },
  Endpoints: { Endpoints: endpointAddresses },
  Node: {
    Status: nodeStatus,
    Roles: nodeRoles,
    'Internal-IP': nodeAddress('InternalIP'),
    'External-IP': nodeAddress('ExternalIP'),
    'OS-Image': textAt('status.nodeInfo.osImage', '<unknown>'),
    'Kernel-Version': kernelVersion,
    'Container-Runtime': textAt('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  },
  Event: eventCells,
  'Event.events.k8s.io': eventCells,
  Secret: { Data: (secret) => Object.keys(record(secret.data)).length },
  PersistentVolume: {
    Capacity: textAt('spec.capacity.storage', '0'),
    'Access Modes': (volume) => accessModes(at(volume.spec, 'accessModes')),
    Status: terminatingOr,
    Claim: (volume) => {
      const claim = at(volume.spec, 'claimRef');
      return isSet(claim) ? `${text(record(claim).namespace)}/${text(record(claim).name)}` : '';
    },
    StorageClass: storageClass,
    VolumeAttributesClass: textAt('spec.volumeAttributesClassName', '<unset>'),
    VolumeMode: textAt('spec.volumeMode', '<unset>'),
  },
  PersistentVolumeClaim: {
    Status: terminatingOr,
    Capacity: whenBound(textAt('status.capacity.storage', '0')),
    'Access Modes': whenBound((claim) => accessModes(at(claim.status, 'accessModes'))),
    StorageClass: storageClass,
    VolumeAttributesClass: textAt('spec.volumeAttributesClassName', '<unset>'),
    VolumeMode: textAt('spec.volumeMode', '<unset>'),
  },
  ComponentStatus: {
    Status: (object) => {
      const health = condition(object.conditions, 'Healthy');
      return health === undefined ? 'Unknown' : (componentHealth[text(health.status)] ?? 'Unhealthy');
    },
    Message: componentCondition('message'),
    Error: componentCondition('error'),
  },
  'Deployment.apps': {
    ...template('spec.template.spec'),
    Ready: readyOfDesired,
    'Up-to-date': integerAt('status.updatedReplicas'),
    Available: integerAt('status.availableReplicas'),
    Selector: (deployment) => selectorText(at(deployment.spec, 'selector'), '<invalid>', ''),
  },
  'HorizontalPodAutoscaler.autoscaling': {
    Reference: (hpa) =>
      `${text(at(hpa.spec, 'scaleTargetRef', 'kind'))}/${text(at(hpa.spec, 'scaleTargetRef', 'name'))}`,
    Targets: hpaTargets,
    MinPods: asText('spec.minReplicas', '<unset>'),
    MaxPods: integerAt('spec.maxReplicas'),
    Replicas: integerAt('status.currentReplicas'),
  },
  ConfigMap: { Data: (c) => Object.keys(record(c.data)).length + Object.keys(record(c.binaryData)).length },
  'NetworkPolicy.networking.k8s.io': { 'Pod-Selector': selectorAt('spec.podSelector') },
  'RoleBinding.rbac.authorization.k8s.io': bindingCells,
  'ClusterRoleBinding.rbac.authorization.k8s.io': bindingCells,
  'CertificateSigningRequest.certificates.k8s.io': {
    SignerName: textAt('spec.signerName', '<none>'),
    RequestedDuration: (csr) => {
      const seconds = at(csr.spec, 'expirationSeconds');
      return isSet(seconds) ? humanDuration(integer(seconds) * 1000) : '<none>';
    },
    Condition: csrCondition,
  },
  'ClusterTrustBundle.certificates.k8s.io': { SignerName: textAt('spec.signerName', '<none>') },
  'PodCertificateRequest.certificates.k8s.io': {
    State: (request) => {
      const known = ['Issued', 'Denied', 'Failed'];
      const types = records(at(request.status, 'conditions')).map((c) => text(c.type));
      return types.findLast((type) => known.includes(type)) ?? 'Pending';
    },
    UnverifiedUserAnnotations: labelsAt('spec.unverifiedUserAnnotations'),
  },
  'Lease.coordination.k8s.io': { Holder: textAt('spec.holderIdentity') },
  'StorageClass.storage.k8s.io': {
    Name: marked(['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']),
    ReclaimPolicy: textAt('reclaimPolicy', 'Delete'),
    VolumeBindingMode: textAt('volumeBindingMode', 'Immediate'),
    AllowVolumeExpansion: booleanAt('allowVolumeExpansion'),
  },
  'APIService.apiregistration.k8s.io': {
    Service: (object) =>
      isSet(at(object.spec, 'service'))
        ? `${text(at(object.spec, 'service', 'namespace'))}/${text(at(object.spec, 'service', 'name'))}`
        : 'Local',
    Available: (object) => {
      const available = conditionOf(object, 'Available');
      if (available === undefined) return 'Unknown';
      const reason = text(available.reason);
      return available.status === 'True' || reason === '' ? available.status : `${text(available.status)} (${reason})`;
    },
  },
  'ControllerRevision.apps': { Controller: controllerOwner, Revision: integerAt('revision') },
  ResourceQuota: { Request: quotaUsage(false), Limit: quotaUsage(true) },
  'PriorityClass.scheduling.k8s.io': {
    Value: integerAt('value'),
    'Global-Default': booleanAt('globalDefault'),
    PreemptionPolicy: textAt('preemptionPolicy'),
  },
  'VolumeAttachment.storage.k8s.io': {
    PV: textAt('spec.source.persistentVolumeName'),
    Attached: booleanAt('status.attached'),
  },
  'EndpointSlice.discovery.k8s.io': { Ports: slicePorts, Endpoints: sliceEndpoints },
  'CSINode.storage.k8s.io': { Drivers: countAt('spec.drivers') },
  'CSIDriver.storage.k8s.io': {
    AttachRequired: booleanAt('spec.attachRequired', true),
    PodInfoOnMount: booleanAt('spec.podInfoOnMount'),
    StorageCapacity: booleanAt('spec.storageCapacity'),
    TokenRequests: (driver) => {
      const requests = at(driver.spec, 'tokenRequests');
      return isSet(requests)
        ? records(requests)
            .map((request) => text(request.audience))
            .join(',')
        : '<unset>';
    },
    RequiresRepublish: booleanAt('spec.requiresRepublish'),
    Modes: joinedAt('spec.volumeLifecycleModes', '<none>'),
  },
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': { Webhooks: countAt('webhooks') },
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': { Webhooks: countAt('webhooks') },
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': {
    Validations: countAt('spec.validations'),
    ParamKind: paramKind,
  },
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': { ParamRef: paramRef },
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': {
    Mutations: countAt('spec.mutations'),
    ParamKind: paramKind,
  },
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': { ParamRef: paramRef },
  'FlowSchema.flowcontrol.apiserver.k8s.io': {
    MatchingPrecedence: integerAt('spec.matchingPrecedence'),
    DistinguisherMethod: textAt('spec.distinguisherMethod.type', '<none>'),
    MissingPL: (schema) => text(conditionOf(schema, 'Dangling')?.status) || '?',
  },
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': {
    NominalConcurrencyShares: integerOr('spec.limited.nominalConcurrencyShares', '<none>'),
    Queues: integerOr('spec.limited.limitResponse.queuing.queues', '<none>'),
    HandSize: integerOr('spec.limited.limitResponse.queuing.handSize', '<none>'),
    QueueLengthLimit: integerOr('spec.limited.limitResponse.queuing.queueLengthLimit', '<none>'),
  },
  'StorageVersion.internal.apiserver.k8s.io': {
    CommonEncodingVersion: textAt('status.commonEncodingVersion', '<unset>'),
    StorageVersions: storageVersions,
  },
  'Scale.autoscaling': { Desired: integerAt('spec.replicas'), Available: integerAt('status.replicas') },
  'ResourceClaim.resource.k8s.io': { State: claimState },
  'ResourceSlice.resource.k8s.io': { Node: textAt('spec.nodeName') },
  'ResourcePoolStatusRequest.resource.k8s.io': {
    Total: poolSum('totalDevices'),
    Available: poolSum('availableDevices'),
    Allocated: poolSum('allocatedDevices'),
    Unavailable: poolSum('unavailableDevices'),
    Errors: (request) =>
      isSet(request.status)
        ? String(records(at(request.status, 'pools')).filter((pool) => text(pool.validationError) !== '').length)
        : '-',
    Pools: integerAt('status.poolCount'),
    Status: poolRequestStatus,
    Completed: (request) => {
      const complete = conditionOf(request, 'Complete');
      return complete === undefined ? '<none>' : age(complete.lastTransitionTime);
    },
  },
  'DeviceTaintRule.resource.k8s.io': { TimeAdded: ageAt('spec.taint.timeAdded', '') },
  'ServiceCIDR.networking.k8s.io': { CIDRs: joinedAt('spec.cidrs', '') },
  'IPAddress.networking.k8s.io': { ParentRef: parentReference },
  'StorageVersionMigration.storagemigration.k8s.io': {
    Resource: (migration) => {
      const { group, resource } = record(at(migration.spec, 'resource'));
      return text(group) === '' ? text(resource) : `${text(resource)}.${text(group)}`;
    },
    Status: lastTrue(['Running', 'Failed', 'Succeeded'], 'Unknown'),
  },
  'PodGroup.scheduling.k8s.io': {
    Policy: (group) => (isSet(at(group.spec, 'schedulingPolicy', 'gang')) ? 'Gang' : 'Basic'),
    Workload: textAt('spec.podGroupTemplateRef.workload.workloadName', '<none>'),
    Status: podGroupStatus,
  },
};
