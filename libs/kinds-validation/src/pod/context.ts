import type { Container, PodSpec, Volume } from '@apichain/api/core/v1';
import { checkEach, type Out } from '../common/rules.ts';
import type { Capabilities } from './capabilities.ts';

/** What the checks of a pod spec need to know about their surroundings. */
export interface PodContext {
  /** Where the spec stands: `spec`, `spec.template.spec`, ... */
  readonly path: string;
  readonly spec: PodSpec;
  /** A pod itself, not a template of pods. */
  readonly isPod: boolean;
  /** The pod's name; empty for templates. */
  readonly podName: string;
  /** The pod comes from a file on its node. */
  readonly isMirror: boolean;
  /** The stored spec of an update: what it already has wrong is let through. */
  readonly old?: PodSpec;
  /** Volumes without an error, by name. */
  readonly volumes: Map<string, Volume>;
  readonly resourceClaims: Set<string>;
  readonly capabilities: Capabilities;
}

export interface ContainerAt {
  readonly container: Container;
  readonly path: string;
}

export const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const;
type ContainerList = (typeof containerLists)[number];

/** The order in which most checks go through the lists. */
const checkedLists: readonly ContainerList[] = ['initContainers', 'containers', 'ephemeralContainers'];

/** Containers with their paths, in the order asked for. */
export function containersAt(
  spec: PodSpec,
  path: string,
  lists: readonly ContainerList[] = checkedLists,
): ContainerAt[] {
  const found: ContainerAt[] = [];
  for (const name of lists) {
    const containers: readonly Container[] = spec[name] ?? [];
    for (const [i, container] of containers.entries()) found.push({ container, path: `${path}.${name}[${i}]` });
  }
  return found;
}

/** Checks each container of a spec, see `checkEach`; `path` is that of the spec, `check` gets the container's. */
export function checkContainers(
  out: Out,
  spec: PodSpec,
  path: string,
  check: (out: Out, container: Container, path: string) => void,
  lists: readonly ContainerList[] = checkedLists,
): void {
  for (const name of lists) {
    const containers: readonly Container[] = spec[name] ?? [];
    checkEach(out, containers, (found, container, i) => check(found, container, `${path}.${name}[${i}]`));
  }
}

/** An init container that keeps running beside the others. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';
