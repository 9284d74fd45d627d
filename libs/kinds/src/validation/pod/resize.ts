import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, list, type Plain, record, records, text } from '../../fields.ts';
import { semanticEqual } from '../../strategies/equality.ts';
import { podQosClass } from '../../strategies/qos.ts';
import { collect, type Out } from '../common/rules.ts';
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

function frozenResources(now: unknown, before: unknown): Plain {
  const resources = record(now);
  const stored = record(before);
  return {
    ...resources,
    limits: frozen(resources.limits, stored.limits),
    requests: frozen(resources.requests, stored.requests),
  };
}

function podLevelErrors(out: Out, spec: Plain, old: Plain): void {
  if (!isSet(old.resources)) return;
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
  if (!semanticEqual(frozenResources(spec.resources, old.resources), old.resources)) {
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

/** The container as it would be, had only cpu and memory changed. */
const unchanged = (container: Plain, stored: Plain): boolean =>
  semanticEqual(
    {
      ...container,
      resources: frozenResources(container.resources, stored.resources),
      resizePolicy: stored.resizePolicy,
    },
    stored,
  );

function containerErrors(out: Out, spec: Plain, old: Plain): void {
  for (const [i, container] of records(spec.containers).entries()) {
    const stored = records(old.containers)[i] ?? {};
    removedErrors(out, `spec.containers[${i}]`, container, stored);
    if (!unchanged(container, stored)) out.push(field.forbidden('spec', onlyCpuAndMemory));
  }
  for (const [i, container] of records(spec.initContainers).entries()) {
    const stored = records(old.initContainers)[i] ?? {};
    const path = `spec.initContainers[${i}]`;
    removedErrors(out, path, container, stored);
    if (!unchanged(container, stored)) {
      out.push(field.forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable'));
    }
    const restarts = records(container.resizePolicy).some((policy) => policy.restartPolicy === 'RestartContainer');
    if (!isSidecar(container) && restarts && !semanticEqual(container.resources, stored.resources)) {
      const detail = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
      out.push(field.forbidden(path, detail));
    }
  }
}

function runsOldNode(pod: KubeObject): boolean {
  const specs = new Map(
    [...records(record(pod.spec).containers), ...records(record(pod.spec).initContainers)].map((c) => [
      text(c.name),
      c,
    ]),
  );
  return records(at(pod.status, 'containerStatuses')).some(
    (status) =>
      isSet(at(status.state, 'running')) &&
      !isSet(status.resources) &&
      Object.keys(record(specs.get(text(status.name))?.resources)).length > 0,
  );
}

/** Everything of the spec that a resize leaves alone. */
function otherFields(spec: Plain): Plain {
  const { containers: _c, initContainers: _i, resources: _r, ...rest } = spec;
  return rest;
}

/** A change of resources through pods/resize: https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
export function validatePodResize(pod: KubeObject, stored: KubeObject): FieldError[] {
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
    storedPodErrors(out, pod, stored);
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
