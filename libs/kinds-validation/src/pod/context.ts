import { type Plain, records, text } from '@apichain/kinds';
import { checkEach, type Out } from '../common/rules.ts';
import type { Capabilities } from './capabilities.ts';

/** What the checks of a pod spec need to know about their surroundings. */
export interface PodContext {
  /** Where the spec stands: `spec`, `spec.template.spec`, ... */
  readonly path: string;
  readonly spec: Plain;
  /** A pod itself, not a template of pods. */
  readonly isPod: boolean;
  /** The pod's name; empty for templates. */
  readonly podName: string;
  /** The pod comes from a file on its node. */
  readonly isMirror: boolean;
  /** The stored spec of an update: what it already has wrong is let through. */
  readonly old?: Plain;
  /** Volumes without an error, by name. */
  readonly volumes: Map<string, Plain>;
  readonly resourceClaims: Set<string>;
  readonly capabilities: Capabilities;
}

export interface ContainerAt {
  readonly container: Plain;
  readonly path: string;
}

export const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Containers with their paths, in the order asked for. */
export function containersAt(
  spec: Plain,
  path: string,
  lists: readonly string[] = ['initContainers', 'containers', 'ephemeralContainers'],
): ContainerAt[] {
  const found: ContainerAt[] = [];
  for (const name of lists) {
    const containers = records(spec[name]);
    for (const [i, container] of containers.entries()) found.push({ container, path: `${path}.${name}[${i}]` });
  }
  return found;
}

/** Checks each container of a spec, see `checkEach`; `path` is that of the spec, `check` gets the container's. */
export function checkContainers(
  out: Out,
  spec: Plain,
  path: string,
  check: (out: Out, container: Plain, path: string) => void,
  lists: readonly string[] = ['initContainers', 'containers', 'ephemeralContainers'],
): void {
  for (const name of lists) {
    checkEach(out, records(spec[name]), (found, container, i) => check(found, container, `${path}.${name}[${i}]`));
  }
}

export const nameOf = (object: Plain): string => text(object.name);

/** An init container that keeps running beside the others. */
export const isSidecar = (container: Plain): boolean => container.restartPolicy === 'Always';
