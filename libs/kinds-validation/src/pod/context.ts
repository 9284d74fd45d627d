import type { Container, PodSpec, Volume } from '@apichain/api/core/v1';
import { containerLists, type ContainerList } from '@apichain/kinds';
import { checkEach, type Out } from '../common/rules.ts';

/** The context of the checks of a pod spec. */
export interface PodContext {
  /** The path of the spec: `spec`, `spec.template.spec`, ... */
  readonly path: string;
  readonly spec: PodSpec;
  /** Whether this is a pod, not a pod template. */
  readonly isPod: boolean;
  /** The pod's name; empty for templates. */
  readonly podName: string;
  /** Whether this is a mirror pod, from a manifest on its node. */
  readonly isMirror: boolean;
  /** The stored spec in an update; its existing violations are accepted. */
  readonly old?: PodSpec;
  /** Volumes without errors, by name. */
  readonly volumes: Map<string, Volume>;
  readonly resourceClaims: Set<string>;
  readonly capabilities: Capabilities;
}

/** Checks each container of a spec, see `checkEach`. `path` is that of the spec; `check` receives the container's. */
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

/** Whether an init container keeps running beside the main containers. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/**
 * Which container settings the cluster allows: the server's flags, for every check of a pod spec, also of one nested in another object.
 * Source: pkg/capabilities of k8s.io/kubernetes, which keeps it process-wide; here each server passes its own.
 */
export interface Capabilities {
  /** `--allow-privileged`: allows privileged containers, and host processes on Windows. */
  readonly allowPrivileged: boolean;
}

/** The capabilities of a server without flags. */
export const defaultCapabilities: Capabilities = { allowPrivileged: false };
