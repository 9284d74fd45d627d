import type { Mood } from '../parts/parts.tsx';
import { quantity } from './quantity.ts';
import { conditionsOf, fields, isTrue, type StoredObject } from '../api/stored-object.ts';

/** What the page shows of a node. */
export interface Node {
  readonly name: string;
  /** As the column STATUS of `kubectl get nodes`. */
  readonly status: string;
  readonly mood: Mood;
  /** Runs no containers: the node has the label of simulated nodes. */
  readonly isSimulated: boolean;
  /** Conditions that say that something is wrong, such as MemoryPressure. */
  readonly problems: readonly string[];
  /** Cores, bytes and number. */
  readonly allocatable: Capacity;
  readonly created: string | undefined;
}

export interface Capacity {
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
}

const simulatedLabel = 'simulate.apichain.dev/simulated';

export function nodeOf({ metadata, spec = {}, status = {} }: StoredObject): Node {
  const conditions = conditionsOf(status);
  const ready = conditions.find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  const isClosed = spec['unschedulable'] === true;
  const { cpu, memory, pods } = fields(status['allocatable'] ?? status['capacity']);
  return {
    name: metadata.name,
    status: isClosed ? `${word},SchedulingDisabled` : word,
    mood: word !== 'Ready' ? 'bad' : isClosed ? 'warn' : 'good',
    isSimulated: metadata.labels?.[simulatedLabel] === 'true',
    problems: conditions.filter(({ type }) => type !== 'Ready' && isTrue(conditions, type)).map(({ type }) => type),
    allocatable: { cpu: quantity(cpu), memory: quantity(memory), pods: quantity(pods) },
    created: metadata.creationTimestamp,
  };
}
