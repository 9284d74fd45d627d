import type { Container, ContainerStatus, Pod } from '@apichain/api/core/v1';
import { amountsOf } from './resources.ts';

type Amounts = Map<string, number>;

/** How requests are counted. */
export interface RequestOptions {
  /** Counts what is allocated and actuated as well as what is requested: a resize in place frees nothing before it is done. */
  readonly useStatus?: boolean;
  /** What a container without a request for the resource counts as requesting. */
  readonly nonMissing?: ReadonlyMap<string, number>;
}

const isRestartable = ({ restartPolicy }: Container) => restartPolicy === 'Always';

/** Whether a resource may be requested for the pod as a whole. */
const isPodLevel = (name: string) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** Whether the pod requests resources as a whole. */
export const hasPodLevelRequests = ({ spec }: Pod): boolean =>
  Object.keys(spec?.resources?.requests ?? {}).some(isPodLevel);

function add(sum: Amounts, more: Amounts): void {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount);
}

function raiseTo(amounts: Amounts, others: Amounts): void {
  for (const [name, amount] of others) amounts.set(name, Math.max(amounts.get(name) ?? 0, amount));
}

/**
 * What a pod requests of a node, by resource: the larger of the sum of its containers and of the largest init container, plus sidecars and overhead.
 * Requests for the pod as a whole replace those of its containers. Source: k8s.io/component-helpers/resource.
 */
export function podRequests(pod: Pod, options: RequestOptions = {}): Amounts {
  const { spec = {}, status } = pod;
  const requests: Amounts = new Map();
  for (const container of spec.containers ?? [])
    add(requests, containerRequests(pod, container, options, status?.containerStatuses));
  const sidecars: Amounts = new Map();
  const initial: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const statuses = isRestartable(container) ? status?.initContainerStatuses : undefined;
    const own = containerRequests(pod, container, options, statuses);
    if (isRestartable(container)) {
      add(requests, own);
      add(sidecars, own);
      raiseTo(initial, sidecars);
    } else {
      add(own, sidecars);
      raiseTo(initial, own);
    }
  }
  raiseTo(requests, initial);
  for (const [name, amount] of podLevelRequests(pod, options)) requests.set(name, amount);
  add(requests, amountsOf(spec.overhead));
  return requests;
}

function podLevelRequests(pod: Pod, { useStatus = false }: RequestOptions): Amounts {
  const { spec, status } = pod;
  const requested = amountsOf(spec?.resources?.requests);
  const effective =
    useStatus && status?.resources !== undefined
      ? effectiveRequests(pod, requested, status.resources.requests, status.allocatedResources)
      : requested;
  return new Map([...effective].filter(([name]) => isPodLevel(name) && requested.has(name)));
}

function containerRequests(
  pod: Pod,
  { name, resources }: Container,
  { useStatus = false, nonMissing }: RequestOptions,
  statuses: readonly ContainerStatus[] | undefined,
): Amounts {
  let requests = amountsOf(resources?.requests);
  const status = useStatus ? statuses?.find((candidate) => candidate.name === name) : undefined;
  if (status?.resources !== undefined)
    requests = effectiveRequests(pod, requests, status.resources.requests, status.allocatedResources);
  for (const [resource, amount] of nonMissing ?? []) if (!requests.has(resource)) requests.set(resource, amount);
  return requests;
}

function effectiveRequests(
  { status }: Pod,
  requested: Amounts,
  actuated: Parameters<typeof amountsOf>[0],
  allocated: Parameters<typeof amountsOf>[0],
): Amounts {
  const resize = status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const effective = resize?.reason === 'Infeasible' ? new Map<string, number>() : new Map(requested);
  raiseTo(effective, amountsOf(actuated));
  raiseTo(effective, amountsOf(allocated));
  return effective;
}
