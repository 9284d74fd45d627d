import type { Pod, PodSpec } from '@apichain/api/core/v1';
import { currentTime, firstByName, isSet } from '@apichain/meta';
import { containersOf, initContainersOf, isBestEffort, podSpec } from '../../pod-fields.ts';
import { podAmounts, specifiedAmounts, type ContainerAmounts } from '../../pod-resources.ts';
import { addTo, one, raiseTo, readResourceList, sum, type ResourceList } from '../../resource-list.ts';
import type { Evaluator } from './evaluator.ts';
import { valueMatches } from './quota.ts';

const plainNames = ['cpu', 'memory', 'ephemeral-storage'];
const names = new Set([
  'count/pods',
  'pods',
  ...plainNames.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** A quota on one of these requires every container to specify it. */
const obliging = new Set(['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]));
const hugePages = 'hugepages-';

/** Names without a domain and those under kubernetes.io are native to Kubernetes. */
const isNative = (name: string) => !name.includes('/') || name.includes('kubernetes.io/');
/** The prefix of extended resource names that request devices of a class. */
const implicitDevices = 'deviceclass.resource.kubernetes.io/';
const isExtended = (name: string) =>
  (!isNative(name) && !name.startsWith('requests.')) || name.startsWith(implicitDevices);

function asQuotaNames(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage: ResourceList = new Map([['pods', one]]);
  for (const name of plainNames) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith(hugePages)) usage.set(name, request);
    if (name.startsWith(hugePages) || isExtended(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

/** A container counts with its actual or allocated resources where these exceed its spec. */
function countedAmounts(pod: Pod): ContainerAmounts {
  const { containerStatuses, initContainerStatuses } = pod.status ?? {};
  const statuses = firstByName([...(containerStatuses ?? []), ...(initContainerStatuses ?? [])]);
  if (statuses.size === 0) return specifiedAmounts;
  return (container, half) => {
    const amounts: ResourceList = new Map(specifiedAmounts(container, half));
    const status = statuses.get(container.name);
    if (status === undefined) return amounts;
    raiseTo(amounts, readResourceList(status.resources?.[half]));
    if (half === 'requests') raiseTo(amounts, readResourceList(status.allocatedResources));
    return amounts;
  };
}

function usageOf(pod: Pod): ResourceList {
  const usage: ResourceList = new Map([['count/pods', one]]);
  if (hasEnded(pod)) return usage;
  const spec = podSpec(pod);
  const amountsOf = countedAmounts(pod);
  const requests = podAmounts(spec, 'requests', amountsOf);
  const limits = podAmounts(spec, 'limits', amountsOf);
  const overhead = readResourceList(spec.overhead);
  addTo(requests, overhead);
  for (const [name, amount] of overhead) {
    const limit = limits.get(name);
    if (limit !== undefined && !limit.isZero) limits.set(name, limit.add(amount));
  }
  return sum(usage, asQuotaNames(requests, limits));
}

/** Pods that have ended, or whose grace period is over, use nothing. */
function hasEnded({ metadata, status }: Pod): boolean {
  const phase = status?.phase ?? '';
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000 < currentTime();
}

function looksIntoOtherNamespaces(spec: PodSpec): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm ?? {}),
  ]);
  return terms.some((term) => (term.namespaces ?? []).length > 0 || isSet(term.namespaceSelector));
}

function isTerminating(pod: Pod): boolean {
  const { activeDeadlineSeconds } = podSpec(pod);
  return isSet(activeDeadlineSeconds) && activeDeadlineSeconds >= 0;
}

/** Counts pods and the resources that they use. */
export const podEvaluator: Evaluator<Pod> = {
  handles({ operation, subresource, object, oldObject }) {
    if (subresource !== '') return subresource === 'resize' && operation === 'UPDATE';
    if (operation === 'CREATE') return true;
    // An update that moves a pod into the scope of another quota is charged to that quota.
    return object !== undefined && oldObject !== undefined && isTerminating(object) !== isTerminating(oldObject);
  },
  matching: (candidates) =>
    [...candidates].filter(
      (name) =>
        names.has(name) ||
        name.startsWith(hugePages) ||
        name.startsWith(`requests.${hugePages}`) ||
        name.startsWith(`requests.${implicitDevices}`) ||
        (!isNative(name) && name.startsWith('requests.')),
    ),
  matchesScope(requirement, pod) {
    const spec = podSpec(pod);
    switch (requirement.scope) {
      case 'Terminating':
        return isTerminating(pod);
      case 'NotTerminating':
        return !isTerminating(pod);
      case 'BestEffort':
        return isBestEffort(spec);
      case 'NotBestEffort':
        return !isBestEffort(spec);
      case 'PriorityClass': {
        const name = spec.priorityClassName ?? '';
        return valueMatches(requirement, name === '' ? undefined : name);
      }
      case 'CrossNamespacePodAffinity':
        return looksIntoOtherNamespaces(spec);
      default:
        return false;
    }
  },
  usage: usageOf,
  complaint(required, pod) {
    const spec = podSpec(pod);
    // Resources of the pod as a whole replace those of its containers.
    if (isSet(spec.resources?.requests) || isSet(spec.resources?.limits)) return undefined;
    const missing = new Map<string, Set<string>>();
    for (const container of [...containersOf(spec), ...initContainersOf(spec)]) {
      const given = asQuotaNames(specifiedAmounts(container, 'requests'), specifiedAmounts(container, 'limits'));
      for (const name of required) {
        if (!obliging.has(name) || given.has(name)) continue;
        const containers = missing.get(name) ?? new Set();
        missing.set(name, containers.add(container.name ?? ''));
      }
    }
    if (missing.size === 0) return undefined;
    const parts = [...missing]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, containers]) => `${name} for: ${[...containers].toSorted().join(',')}`);
    return `must specify ${parts.join('; ')}`;
  },
};
