import type { Container, Pod } from '@apichain/api/core/v1';
import { parseQuantity } from '@apichain/meta';

/** What the pods request of a resource, in thousandths, by name. With `container`, what that container requests. Throws Error if one requests nothing. */
export const requestsOf = (pods: readonly Pod[], resource: string, container: string): Map<string, number> =>
  new Map(pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, resource, container)]));

/** The resources that a pod can request as a whole. */
const podLevel = ['cpu', 'memory'];
const isPodLevel = (resource: string) => podLevel.includes(resource) || resource.startsWith('hugepages-');

function requestOf(pod: Pod, resource: string, container: string): number {
  const { name = '' } = pod.metadata;
  const whole = pod.spec?.resources?.requests ?? {};
  if (container === '' && Object.keys(whole).some(isPodLevel)) {
    const request = whole[resource] ?? sumOfContainers(pod, resource);
    if (request === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
    return typeof request === 'number' ? request : milli(request);
  }
  const containers = containersOf(pod).filter((each) => container === '' || each.name === container);
  if (container !== '' && containers.length === 0) throw new Error(`container ${container} not found in Pod ${name}`);
  return containers.reduce((sum, each) => {
    const request = each.resources?.requests?.[resource];
    if (request === undefined)
      throw new Error(`missing request for ${resource} in container ${each.name} of Pod ${name}`);
    return sum + milli(request);
  }, 0);
}

/** Undefined if no container requests the resource. */
function sumOfContainers(pod: Pod, resource: string): number | undefined {
  const requests = containersOf(pod).flatMap(({ resources }) => resources?.requests?.[resource] ?? []);
  return requests.length === 0 ? undefined : requests.reduce((sum, request) => sum + milli(request), 0);
}

const containersOf = ({ spec }: Pod): Container[] => [
  ...(spec?.containers ?? []),
  ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
];

/** A quantity in thousandths, rounded up. */
export const milli = (quantity: string): number => Number(parseQuantity(quantity).milliValue());
