import type { Pod } from '@apichain/api/core/v1';
import { criticalPriority } from '@apichain/component-helpers';
import { amountOfResource, type PodInfo, type Shortage } from '@apichain/scheduler/admission-check';

export const isCritical = ({ spec }: Pod): boolean => (spec?.priority ?? 0) >= criticalPriority;

/** How much of each resource is to become free. */
type Requirements = ReadonlyMap<string, number>;

/** Pods of a class of quality of service go before those of the next one. */
const classes = ['BestEffort', 'Burstable', 'Guaranteed'] as const;

const requestOf = ({ requests }: PodInfo, resource: string): number =>
  resource === 'pods' ? 1 : amountOfResource(requests, resource);

/**
 * The pods of a node that a kubelet ends so that a critical pod fits: as few as possible, and those that request least. Throws Error in the words of a kubelet if all
 * together do not make enough room. Source: pkg/kubelet/preemption.
 */
export function victimsFor(pod: Pod, others: readonly PodInfo[], shortages: readonly Shortage[]): PodInfo[] {
  const wanted: Requirements = new Map(
    shortages.map(({ resource, requested, used, capacity }) => [resource, requested - (capacity - used)]),
  );
  const candidates = others.filter((other) => isPreemptable(pod, other.pod));
  const [bestEffort, burstable, guaranteed] = classes.map((name) =>
    candidates.filter((other) => (other.pod.status?.qosClass ?? 'BestEffort') === name),
  ) as [PodInfo[], PodInfo[], PodInfo[]];
  const missing = left(wanted, candidates);
  if (missing.size > 0) throw new Error(`no set of running pods found to reclaim resources: ${shown(missing)}`);
  const last = fewest(guaranteed, left(wanted, [...bestEffort, ...burstable]));
  const second = fewest(burstable, left(wanted, [...bestEffort, ...last]));
  return [...fewest(bestEffort, left(wanted, [...second, ...last])), ...second, ...last];
}

const isPreemptable = (pod: Pod, other: Pod): boolean =>
  !isCritical(other) || (pod.spec?.priority ?? 0) > (other.spec?.priority ?? 0);

/** What is still required when these pods have gone. */
const left = (wanted: Requirements, gone: readonly PodInfo[]): Requirements =>
  new Map(
    [...wanted]
      .map(
        ([resource, amount]) =>
          [resource, gone.reduce((rest, pod) => rest - requestOf(pod, resource), amount)] as const,
      )
      .filter(([, amount]) => amount > 0),
  );

/** Chooses the pod that comes nearest to what is required, until enough is free. */
function fewest(pods: readonly PodInfo[], wanted: Requirements): PodInfo[] {
  const [nearest, ...others] = pods.toSorted(
    (a, b) =>
      distance(wanted, a) - distance(wanted, b) ||
      requestOf(a, 'memory') - requestOf(b, 'memory') ||
      requestOf(a, 'cpu') - requestOf(b, 'cpu'),
  );
  return wanted.size === 0 || nearest === undefined ? [] : [nearest, ...fewest(others, left(wanted, [nearest]))];
}

/** The sum of the squares of the shares that a pod leaves unmet, so that all resources count alike. */
const distance = (wanted: Requirements, pod: PodInfo): number =>
  [...wanted].reduce(
    (sum, [resource, amount]) => sum + Math.max(0, (amount - requestOf(pod, resource)) / amount) ** 2,
    0,
  );

const shown = (wanted: Requirements): string =>
  `[${[...wanted].map(([resource, amount]) => `(res: ${resource}, q: ${amount}), `).join('')}]`;
