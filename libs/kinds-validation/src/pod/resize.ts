import type { Container, Pod, PodSpec, ResourceList, ResourceRequirements } from '@apichain/api/core/v1';
import { field, semanticEqual, type FieldError } from '@apichain/meta';
import { isSet, podQosClass } from '@apichain/kinds';
import { collect, type Out } from '../common/rules.ts';
import { isSidecar, type Capabilities } from './context.ts';
import { isMirrorPod, storedPodErrors } from './pod.ts';

const onlyCpuAndMemory = 'only cpu and memory resources are mutable';

/** Whether a key of the stored list has been removed. */
const loses = (now: ResourceList | undefined, before: ResourceList | undefined): boolean =>
  Object.keys(before ?? {}).some((name) => !Object.hasOwn(now ?? {}, name));

/** A new resource list in which the amounts that a resize may change are replaced by the stored ones. */
function frozen(now: ResourceList | undefined, before: ResourceList | undefined): ResourceList {
  const result: ResourceList = { ...now };
  for (const name of ['cpu', 'memory']) {
    const amount = before?.[name];
    if (isSet(amount)) result[name] = amount;
    else delete result[name];
  }
  return result;
}

/** Both lists of `now`. Other members such as claims are left out, so a container that has them cannot be resized. */
const frozenLists = (
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
): ResourceRequirements => ({
  limits: frozen(now?.limits, before?.limits),
  requests: frozen(now?.requests, before?.requests),
});

const resourceLists = ['requests', 'limits'] as const;

function podLevelErrors(out: Out, spec: PodSpec, old: PodSpec): void {
  if (!isSet(old.resources) && !isSet(spec.resources)) return;
  if (!isSet(spec.resources)) {
    out.push(field.forbidden('spec.resources', 'pod-level resources cannot be removed'));
    return;
  }
  for (const kind of resourceLists) {
    if (loses(spec.resources[kind], old.resources?.[kind])) {
      const detail = `pod-level resource ${kind} cannot be removed`;
      out.push(field.forbidden(`spec.resources.${kind}`, detail));
    }
  }
  const munged = { ...spec.resources, ...frozenLists(spec.resources, old.resources) };
  if (!isSameResources(munged, old.resources)) {
    out.push(field.forbidden('spec', 'only cpu and memory resources are mutable at pod-level'));
  }
}

/** The containers must be the same, in the same order. */
function orderErrors(out: Out, name: 'containers' | 'initContainers', spec: PodSpec, old: PodSpec): void {
  const now = spec[name] ?? [];
  const before = old[name] ?? [];
  if (now.length !== before.length) {
    out.push(field.forbidden(`spec.${name}`, `${name} may not be added or removed on resize`));
    return;
  }
  for (const [i, container] of now.entries()) {
    if (container.name === before[i]?.name) continue;
    out.push(field.forbidden(`spec.${name}[${i}].name`, `${name} may not be renamed or reordered on resize`));
  }
}

function removedErrors(out: Out, path: string, container: Container, stored: Container): void {
  for (const kind of resourceLists) {
    if (loses(container.resources?.[kind], stored.resources?.[kind])) {
      out.push(field.forbidden(`${path}.resources.${kind}`, `resource ${kind} cannot be removed`));
    }
  }
}

const isSameResources = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  (['limits', 'requests', 'claims'] as const).every((name) => semanticEqual(a?.[name], b?.[name]));

/** Whether only cpu and memory of the container have changed. */
function unchanged(container: Container, stored: Container): boolean {
  const { resources: now, ...rest } = container;
  const { resources: before, ...storedRest } = stored;
  return semanticEqual(rest, storedRest) && isSameResources(frozenLists(now, before), before);
}

const initOnly = 'only cpu and memory resources for init or sidecar containers are mutable';
const restartsOnResize = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';

function containerErrors(out: Out, spec: PodSpec, old: PodSpec): void {
  const pairs = (name: 'containers' | 'initContainers') => {
    const before = old[name] ?? [];
    return (spec[name] ?? []).map((container, i) => ({
      container,
      stored: before[i] ?? {},
      path: `spec.${name}[${i}]`,
    }));
  };
  const containers = pairs('containers');
  const initContainers = pairs('initContainers');
  for (const { path, container, stored } of [...initContainers, ...containers]) {
    removedErrors(out, path, container, stored);
  }
  for (const { container, stored } of containers) {
    if (!unchanged(container, stored)) out.push(field.forbidden('spec', onlyCpuAndMemory));
  }
  for (const { path, container, stored } of initContainers) {
    if (!unchanged(container, stored)) out.push(field.forbidden(path, initOnly));
    const restarts = container.resizePolicy?.some((policy) => policy.restartPolicy === 'RestartContainer');
    if (!isSidecar(container) && restarts && !semanticEqual(container, stored)) {
      out.push(field.forbidden(path, restartsOnResize));
    }
  }
}

/** A node that reports no resources for the first running container does not support resizing. */
function runsOldNode(pod: Pod): boolean {
  const running = pod.status?.containerStatuses?.find((status) => isSet(status.state?.running));
  return running !== undefined && !isSet(running.resources);
}

/** The fields of the spec that a resize must not change. */
function otherFields(spec: PodSpec): PodSpec {
  const { containers: _c, initContainers: _i, resources: _r, ...rest } = spec;
  return rest;
}

/**
 * Checks a change of resources through pods/resize:
 * https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
 */
export function validatePodResize(pod: Pod, stored: Pod, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    const spec = pod.spec ?? {};
    const old = stored.spec ?? {};
    if (isMirrorPod(pod)) {
      out.push(field.forbidden('[]', 'static pods cannot be resized'));
      return;
    }
    if (old.os?.name === 'windows') {
      out.push(field.forbidden('[]', 'windows pods cannot be resized'));
      return;
    }
    // `collect` completes the checks here, because their result determines which further checks run.
    out.push(...collect((found) => storedPodErrors(found, pod, stored, capabilities)));
    const reported = stored.status?.qosClass ?? '';
    if (podQosClass(spec) !== (reported === '' ? podQosClass(old) : reported)) {
      const shown = pod.status?.qosClass ?? '';
      out.push(field.invalid('spec', shown, 'Pod QOS Class may not change as a result of resizing'));
    }
    if (runsOldNode(stored)) out.push(field.forbidden('spec', 'Pod running on node without support for resize'));
    podLevelErrors(out, spec, old);
    if ((stored.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0) {
      out.push(field.forbidden('spec', 'pods with node allocatable resource claims cannot be resized'));
    }
    const before = out.length;
    orderErrors(out, 'containers', spec, old);
    orderErrors(out, 'initContainers', spec, old);
    if (out.length > before) return;
    containerErrors(out, spec, old);
    if (out.length === 0 && !semanticEqual(otherFields(spec), otherFields(old))) {
      out.push(field.forbidden('spec', onlyCpuAndMemory));
    }
  });
}
