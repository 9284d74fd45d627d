import { containerLists, type ContainerList } from '@apichain/kinds';
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

/** Checks each container of a spec, see `checkEach`; `path` is that of the spec, `check` gets the container's. */
export function checkContainers(
  out: Out,
  spec: PodSpec,
  path: string,
  check: (out: Out, container: Container, path: string) => void,
  lists: readonly ContainerList[] = containerLists,
): void {
  for (const name of lists) {
    const containers: readonly Container[] = spec[name] ?? [];
    checkEach(out, containers, (found, container, i) => check(found, container, `${path}.${name}[${i}]`));
  }
}

/** An init container that keeps running beside the others. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';
