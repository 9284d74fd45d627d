import { lookupTable } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
import { at, condition, integer, isSet, record, records, text, textMap } from '../fields.ts';
import { type Cell, type Cells, conditionOf, textAt } from './cells.ts';
import { age } from './duration.ts';

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

const componentCondition = (member: string): Cell => {
  return (object) => text(condition(object.conditions, 'Healthy')?.[member]);
};

const componentHealth: Record<string, string> = lookupTable({ True: 'Healthy', False: 'Unhealthy' });

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

/** Nodes, events, and what is about the cluster as a whole. By `Kind` or `Kind.group` and column name. */
export const clusterCells: Readonly<Record<string, Cells>> = {
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
  ComponentStatus: {
    Status: (object) => {
      const health = condition(object.conditions, 'Healthy');
      return health === undefined ? 'Unknown' : (componentHealth[text(health.status)] ?? 'Unhealthy');
    },
    Message: componentCondition('message'),
    Error: componentCondition('error'),
  },
  ConfigMap: { Data: (c) => Object.keys(record(c.data)).length + Object.keys(record(c.binaryData)).length },
  'Lease.coordination.k8s.io': { Holder: textAt('spec.holderIdentity') },
  ResourceQuota: { Request: quotaUsage(false), Limit: quotaUsage(true) },
};
