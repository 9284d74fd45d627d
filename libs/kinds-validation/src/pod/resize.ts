import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, list, type Plain, record, records, text } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { podQosClass } from '@apichain/kinds';
import { collect, type Out } from '../common/rules.ts';
import type { Capabilities } from './capabilities.ts';
import { isSidecar } from './context.ts';
import { isMirrorPod, storedPodErrors } from './pod.ts';

const onlyCpuAndMemory = 'only cpu and memory resources are mutable';

/** Whether a key of the stored list is gone. */
const loses = (now: unknown, before: unknown): boolean =>
  Object.keys(record(before)).some((name) => !isSet(record(now)[name]));

/** A resource list with what a resize may change taken from the stored one. */
function frozen(now: unknown, before: unknown): Plain {
  const result: Plain = { ...record(now) };
  for (const name of ['cpu', 'memory']) {
    if (isSet(record(before)[name])) result[name] = record(before)[name];
    else delete result[name];
  }
  return result;
}

/** Both lists of `now`; what else resources hold, claims, is left out, so that whoever has some cannot be resized. */
const frozenLists = (now: unknown, before: unknown): Plain => ({
  limits: frozen(at(now, 'limits'), at(before, 'limits')),
  requests: frozen(at(now, 'requests'), at(before, 'requests')),
});

function podLevelErrors(out: Out, spec: Plain, old: Plain): void {
  if (!isSet(old.resources) && !isSet(spec.resources)) return;
  if (!isSet(spec.resources)) {
    out.push(field.forbidden('spec.resources', 'pod-level resources cannot be removed'));
    return;
  }
  for (const kind of ['requests', 'limits']) {
    if (loses(at(spec.resources, kind), at(old.resources, kind))) {
      const detail = `pod-level resource ${kind} cannot be removed`;
      out.push(field.forbidden(`spec.resources.${kind}`, detail));
    }
  }
  const munged = { ...record(spec.resources), ...frozenLists(spec.resources, old.resources) };
  if (!isSameResources(munged, old.resources)) {
    out.push(field.forbidden('spec', 'only cpu and memory resources are mutable at pod-level'));
  }
}

/** The same containers in the same order. */
function orderErrors(out: Out, name: string, spec: Plain, old: Plain): void {
  const now = records(spec[name]);
  const before = records(old[name]);
  if (now.length !== before.length) {
    out.push(field.forbidden(`spec.${name}`, `${name} may not be added or removed on resize`));
    return;
  }
  for (const [i, container] of now.entries()) {
    if (container.name === before[i]?.name) continue;
    out.push(field.forbidden(`spec.${name}[${i}].name`, `${name} may not be renamed or reordered on resize`));
  }
}

function removedErrors(out: Out, path: string, container: Plain, stored: Plain): void {
  for (const kind of ['requests', 'limits']) {
    if (loses(at(container.resources, kind), at(stored.resources, kind))) {
      out.push(field.forbidden(`${path}.resources.${kind}`, `resource ${kind} cannot be removed`));
    }
  }
}

const isSameResources = (a: unknown, b: unknown): boolean =>
  ['limits', 'requests', 'claims'].every((name) => semanticEqual(at(a, name), at(b, name)));

/** Whether nothing but cpu and memory of the container has changed. */
function unchanged(container: Plain, stored: Plain): boolean {
  const { resources: now, ...rest } = container;
  const { resources: before, ...storedRest } = stored;
  return semanticEqual(rest, storedRest) && isSameResources(frozenLists(now, before), before);
}

const initOnly = 'only cpu and memory resources for init or sidecar containers are mutable';
const restartsOnResize = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';

function containerErrors(out: Out, spec: Plain, old: Plain): void {
  const pairs = (name: string) => {
    const before = records(old[name]);
    return records(spec[name]).map((container, i) => ({
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
    const restarts = records(container.resizePolicy).some((policy) => policy.restartPolicy === 'RestartContainer');
    if (!isSidecar(container) && restarts && !semanticEqual(container, stored)) {
      out.push(field.forbidden(path, restartsOnResize));
    }
  }
}

/** A node that reports no resources of the first container that runs knows nothing of resizing. */
function runsOldNode(pod: KubeObject): boolean {
  const running = records(at(pod.status, 'containerStatuses')).find((status) => isSet(at(status.state, 'running')));
  return running !== undefined && !isSet(running.resources);
}

/** Everything of the spec that a resize leaves alone. */
function otherFields(spec: Plain): Plain {
  const { containers: _c, initContainers: _i, resources: _r, ...rest } = spec;
  return rest;
}

/** A change of resources through pods/resize: https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
export function validatePodResize(pod: KubeObject, stored: KubeObject, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    const spec = record(pod.spec);
    const old = record(stored.spec);
    if (isMirrorPod(pod)) {
      out.push(field.forbidden('[]', 'static pods cannot be resized'));
      return;
    }
    if (record(old.os).name === 'windows') {
      out.push(field.forbidden('[]', 'windows pods cannot be resized'));
      return;
    }
    // Complete when it returns: whether there is an error decides what else is looked at.
    out.push(...collect((found) => storedPodErrors(found, pod, stored, capabilities)));
    const qosClass = text(at(stored.status, 'qosClass')) || podQosClass(old);
    if (podQosClass(spec) !== qosClass) {
      const shown = text(at(pod.status, 'qosClass'));
      out.push(field.invalid('spec', shown, 'Pod QOS Class may not change as a result of resizing'));
    }
    if (runsOldNode(stored)) out.push(field.forbidden('spec', 'Pod running on node without support for resize'));
    podLevelErrors(out, spec, old);
    if (list(at(stored.status, 'nodeAllocatableResourceClaimStatuses')).length > 0) {
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
