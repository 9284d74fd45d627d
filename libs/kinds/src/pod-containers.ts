import type { Container, PodSpec } from '@apichain/api/core/v1';

/** The container lists of a pod, in the order in which kube-apiserver visits them. */
export const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
/** The name of one of these lists. */
export type ContainerList = (typeof containerLists)[number];

/** A container and its path. Ephemeral containers have all fields of other containers. */
interface ContainerAt {
  readonly container: Container;
  readonly path: string;
}

/** The containers of the pod spec at `path`, with their paths, in the order of `lists`. */
export function containersAt(
  spec: PodSpec,
  path: string,
  lists: readonly ContainerList[] = containerLists,
): ContainerAt[] {
  const found: ContainerAt[] = [];
  for (const name of lists) {
    const containers: readonly Container[] = spec[name] ?? [];
    for (const [i, container] of containers.entries()) found.push({ container, path: `${path}.${name}[${i}]` });
  }
  return found;
}
