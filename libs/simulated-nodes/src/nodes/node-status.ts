import { createHash } from 'node:crypto';
import type { Node, NodeCondition, NodeStatus } from '@apichain/api/core/v1';
import { formatTime } from '@apichain/go-text';
import { findCondition, isSet, semanticEqual } from '@apichain/meta';
import type { PodEvent } from '../pods/events.ts';
import { defaultCapacity } from './node-spec.ts';

/** What is the same for all simulated nodes. */
export interface NodeFacts {
  /** The version of the API server, which the kubelets have too. */
  readonly version: string;
  /** The address of the kubelets and of the nodes. */
  readonly address: string;
  /** The port of the kubelets; 0 if they do not listen. */
  readonly port: number;
}

/** What the kubelet of a node does next to its Node, and when, in milliseconds since the epoch. */
interface NodeStep {
  readonly step: 'report' | 'heartbeat';
  readonly due: number;
  readonly status: NodeStatus;
}

/** How often a kubelet reports a status that has not changed, in milliseconds. */
const heartbeatMs = 300_000;

const conditions: readonly (readonly [type: string, status: string, reason: string, message: string])[] = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
];

/** Reports a status that differs at once, and otherwise every five minutes, spread over the nodes. */
export function nextNodeStep(node: Node, facts: NodeFacts, now: number): NodeStep {
  const status = nodeStatus(node, facts, now);
  if (!isReported(node, status)) return { step: 'report', due: now, status };
  const last = findCondition(node.status?.conditions, 'Ready')?.lastHeartbeatTime;
  const since = isSet(last) ? Date.parse(last) : now;
  return { step: 'heartbeat', due: since + heartbeatMs * spread(node.metadata.name ?? ''), status };
}

/** From 0.5 to 1.5, as a kubelet spreads its reports, but the same for each report of a node. */
const spread = (name: string): number => 0.5 + Number.parseInt(digest(name).slice(0, 4), 16) / 0xffff;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The status that a kubelet reports. */
export function nodeStatus(node: Node, { version, address, port }: NodeFacts, now: number): NodeStatus {
  const { name = '', labels } = node.metadata;
  const time = formatTime(new Date(now));
  const identity = digest(name);
  return {
    ...capacityOf(node),
    conditions: conditions.map(([type, status, reason, message]): NodeCondition => {
      const old = findCondition(node.status?.conditions, type);
      const since = old?.status === status ? (old?.lastTransitionTime ?? time) : time;
      return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: since };
    }),
    // An API server that prefers host names must reach the kubelet by this one.
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: {
      machineID: identity.slice(0, 32),
      systemUUID: uuid(identity),
      bootID: uuid(digest(identity)),
      kernelVersion: 'simulated',
      osImage: 'simulated',
      containerRuntimeVersion: 'simulated://1.0.0',
      kubeletVersion: version,
      kubeProxyVersion: '',
      operatingSystem: labels?.['kubernetes.io/os'] ?? 'linux',
      architecture: labels?.['kubernetes.io/arch'] ?? 'amd64',
    },
  };
}

/** A node that a user has created may have said what it has. */
function capacityOf({ status }: Node): Required<Pick<NodeStatus, 'capacity' | 'allocatable'>> {
  const capacity = status?.capacity ?? defaultCapacity;
  return { capacity, allocatable: status?.allocatable ?? capacity };
}

/** A node with the capacity that its kubelet reports, whether it has done so or not. */
export const withCapacity = (node: Node): Node => ({ ...node, status: { ...node.status, ...capacityOf(node) } });

const uuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');

/** Whether the node has this status, apart from the time of the report. */
function isReported({ status: old = {} }: Node, status: NodeStatus): boolean {
  const { conditions: made = [], ...rest } = status;
  const same = Object.entries(rest).every(([name, value]) => semanticEqual(old[name as keyof NodeStatus], value));
  return same && (made ?? []).every((condition) => isHeld(condition, old));
}

const isHeld = ({ type = '', status, reason, message }: NodeCondition, { conditions: held }: NodeStatus): boolean => {
  const old = findCondition(held, type);
  return old?.status === status && old?.reason === reason && old?.message === message;
};

/** The reason of the event that a kubelet records when a condition becomes what it reports, by the type of the condition. */
const reasons: Readonly<Record<string, string>> = {
  MemoryPressure: 'NodeHasSufficientMemory',
  DiskPressure: 'NodeHasNoDiskPressure',
  PIDPressure: 'NodeHasSufficientPID',
  Ready: 'NodeReady',
};

/** The events about the conditions that a report of a kubelet changes. After pkg/kubelet/nodestatus/setters.go. */
export function nodeEvents({ metadata: { name = '' }, status: old }: Node, { conditions }: NodeStatus): PodEvent[] {
  return (conditions ?? []).flatMap(({ type = '', status }): PodEvent[] => {
    const reason = reasons[type];
    if (reason === undefined || findCondition(old?.conditions, type)?.status === status) return [];
    return [{ type: 'Normal', reason, message: `Node ${name} status is now: ${reason}` }];
  });
}
