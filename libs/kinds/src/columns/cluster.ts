import type { ComponentStatus, Event, Node, ResourceQuota } from '@apichain/api/core/v1';
import { lookupTable, isSet, findCondition, memberCount } from '@apichain/meta';
import { conditionOf, textAt, age, type Cell, type Cells, type CellTable } from './cells.ts';

function nodeStatus(node: Node): string {
  const ready = conditionOf(node, 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles(node: Node): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([name, value]) => {
    if (name.startsWith(prefix)) return [name.slice(prefix.length)];
    return name === 'kubernetes.io/role' ? [value] : [];
  });
  const unique = [...new Set(roles.filter((role) => role !== ''))].toSorted();
  return unique.length === 0 ? '<none>' : unique.join(',');
}

const nodeAddress =
  (type: string): Cell<Node> =>
  (node) =>
    (node.status?.addresses ?? []).find((address) => address.type === type)?.address || '<none>';

function kernelVersion(node: Node): string {
  const architecture = node.status?.nodeInfo?.architecture ?? '';
  const version = node.status?.nodeInfo?.kernelVersion || '<unknown>';
  return architecture === '' ? version : `${version} (${architecture})`;
}

const firstSeen = (event: Event): string =>
  isSet(event.firstTimestamp) ? age(event.firstTimestamp) : age(event.eventTime);

function lastSeen(event: Event): string {
  if (isSet(event.series)) return age(event.series.lastObservedTime);
  return isSet(event.lastTimestamp) ? age(event.lastTimestamp) : firstSeen(event);
}

function eventObject(event: Event): string {
  const { kind, name } = event.involvedObject ?? {};
  const lower = (kind ?? '').toLowerCase();
  return (name ?? '') === '' ? lower : `${lower}/${name ?? ''}`;
}

function eventSource(event: Event): string {
  const source = event.source ?? {};
  const component = source.component || (event.reportingComponent ?? '');
  const host = source.host || (event.reportingInstance ?? '');
  return host === '' ? component : `${component}, ${host}`;
}

const eventCells: Cells<Event> = {
  'Last Seen': lastSeen,
  Type: textAt((object) => object.type),
  Reason: textAt((object) => object.reason),
  Object: eventObject,
  Subobject: textAt((object) => object.involvedObject?.fieldPath),
  Source: eventSource,
  Message: (event) => (event.message ?? '').trim(),
  'First Seen': firstSeen,
  Count: (event) => (isSet(event.series) ? (event.series.count ?? 0) : event.count || 1),
};

const componentCondition = (member: 'message' | 'error'): Cell<ComponentStatus> => {
  return (object) => findCondition(object.conditions, 'Healthy')?.[member] ?? '';
};

const componentHealth: Record<string, string> = lookupTable({ True: 'Healthy', False: 'Unhealthy' });

const quotaUsage =
  (limits: boolean): Cell<ResourceQuota> =>
  (quota) => {
    const used = quota.status?.used ?? {};
    return Object.entries(quota.status?.hard ?? {})
      .filter(([name]) => (name.split('.')[0] === 'limits') === limits)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, hard]) => `${name}: ${used[name] || '0'}/${hard}`)
      .join(', ');
  };

/** Nodes, events, and other kinds about the cluster as a whole, by `Kind` or `Kind.group` and column name. */
export const clusterCells: CellTable = {
  Node: {
    Status: nodeStatus,
    Roles: nodeRoles,
    'Internal-IP': nodeAddress('InternalIP'),
    'External-IP': nodeAddress('ExternalIP'),
    'OS-Image': textAt((object) => object.status?.nodeInfo?.osImage, '<unknown>'),
    'Kernel-Version': kernelVersion,
    'Container-Runtime': textAt((object) => object.status?.nodeInfo?.containerRuntimeVersion, '<unknown>'),
  },
  Event: eventCells,
  'Event.events.k8s.io': eventCells,
  Secret: { Data: (secret) => memberCount(secret.data) },
  ComponentStatus: {
    Status: (object) => {
      const health = findCondition(object.conditions, 'Healthy');
      return health === undefined ? 'Unknown' : (componentHealth[health.status ?? ''] ?? 'Unhealthy');
    },
    Message: componentCondition('message'),
    Error: componentCondition('error'),
  },
  ConfigMap: { Data: (c) => memberCount(c.data) + memberCount(c.binaryData) },
  'Lease.coordination.k8s.io': { Holder: textAt((object) => object.spec?.holderIdentity) },
  ResourceQuota: { Request: quotaUsage(false), Limit: quotaUsage(true) },
};
