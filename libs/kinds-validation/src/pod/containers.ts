import type { Container, EphemeralContainer, VolumeMount } from '@apichain/api/core/v1';
import { field, isDNS1123Label } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { checkEach, isNonZero, type Out, requiredChoice, requiredName, requiredText } from '../common/rules.ts';
import { containerResourceErrors, resizePolicyErrors, restartRuleErrors } from './container-resources.ts';
import { type PodContext, isSidecar } from './context.ts';
import { envErrors, envFromErrors } from './env.ts';
import { volumeDeviceErrors, volumeMountErrors } from './mounts.ts';
import { hostPortConflicts, portErrors } from './ports.ts';
import { containerProbeErrors, lifecycleErrors } from './probes.ts';
import { containerSecurityErrors } from './security.ts';

/** Checks that apply to containers of every kind. */
function commonErrors(out: Out, path: string, container: Container, context: PodContext): void {
  requiredName(out, `${path}.name`, container.name, isDNS1123Label);
  requiredText(out, `${path}.image`, container.image);
  requiredChoice(out, `${path}.terminationMessagePolicy`, container.terminationMessagePolicy, [
    'File',
    'FallbackToLogsOnError',
  ]);
  portErrors(out, `${path}.ports`, container.ports);
  envErrors(out, `${path}.env`, container.env);
  envFromErrors(out, `${path}.envFrom`, container.envFrom);
  const privileged = container.securityContext?.privileged === true;
  volumeMountErrors(out, `${path}.volumeMounts`, container, privileged, context);
  volumeDeviceErrors(out, `${path}.volumeDevices`, container, context);
  requiredChoice(out, `${path}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']);
  containerResourceErrors(out, `${path}.resources`, container.resources, context.resourceClaims);
  resizePolicyErrors(out, `${path}.resizePolicy`, container.resizePolicy, context.spec.restartPolicy);
  containerSecurityErrors(out, `${path}.securityContext`, container.securityContext, context);
}

/** Reports a duplicate name, and records the name. An empty name is recorded too, except for init containers. */
function uniqueName(out: Out, path: string, container: Container, taken: Set<string>, init = false): void {
  const name = container.name ?? '';
  if (taken.has(name)) out.push(field.duplicate(`${path}.name`, name));
  else if (name !== '' || !init) taken.add(name);
}

export function containerErrors(out: Out, context: PodContext, taken: Set<string>): void {
  const path = `${context.path}.containers`;
  const containers = context.spec.containers ?? [];
  if (containers.length === 0) {
    out.push(field.required(path));
    return;
  }
  checkEach(out, containers, (out, container, i) => {
    const at = `${path}[${i}]`;
    commonErrors(out, at, container, context);
    uniqueName(out, at, container, taken);
    lifecycleErrors(out, `${at}.lifecycle`, container.lifecycle, context.spec.terminationGracePeriodSeconds);
    containerProbeErrors(out, at, container);
    restartRuleErrors(out, at, container);
  });
  hostPortConflicts(out, path, containers);
}

const runningOnly = [
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
] as const satisfies readonly (keyof Container)[];

function resizesByRestart(container: Container): boolean {
  return (container.resizePolicy ?? []).some((policy) => policy.restartPolicy === 'RestartContainer');
}

export function initContainerErrors(out: Out, context: PodContext, taken: Set<string>): void {
  const path = `${context.path}.initContainers`;
  const hadRestarts = (context.old?.initContainers ?? []).some((c) => !isSidecar(c) && resizesByRestart(c));
  checkEach(out, context.spec.initContainers ?? [], (out, container, i) => {
    const at = `${path}[${i}]`;
    commonErrors(out, at, container, context);
    restartRuleErrors(out, at, container, true);
    uniqueName(out, at, container, taken, true);
    // Init containers do not run at the same time, so each is checked alone; errors have index 0.
    hostPortConflicts(out, path, [container]);
    if (isSidecar(container)) {
      lifecycleErrors(out, `${at}.lifecycle`, container.lifecycle, context.spec.terminationGracePeriodSeconds);
      containerProbeErrors(out, at, container);
      return;
    }
    for (const name of runningOnly) {
      if (isSet(container[name])) {
        out.push(field.forbidden(`${at}.${name}`, 'may not be set for init containers without restartPolicy=Always'));
      }
    }
    if (!hadRestarts) initResizePolicyErrors(out, at, container);
  });
}

function initResizePolicyErrors(out: Out, path: string, container: Container): void {
  checkEach(out, container.resizePolicy ?? [], (out, policy, j) => {
    if (policy.restartPolicy !== 'RestartContainer') return;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    out.push(field.invalid(`${path}.resizePolicy[${j}].restartPolicy`, policy.restartPolicy, detail));
  });
}

/** In the order of the Go type; all except the lists and the resources are pointers. */
const notEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const satisfies readonly (keyof EphemeralContainer)[];
const subPaths = ['subPath', 'subPathExpr'] as const satisfies readonly (keyof VolumeMount)[];
const cannotBeSet = 'cannot be set for an Ephemeral Container';

export function ephemeralContainerErrors(out: Out, context: PodContext): void {
  const containers = context.spec.ephemeralContainers ?? [];
  if (containers.length === 0) return;
  const others = new Set(
    [...(context.spec.containers ?? []), ...(context.spec.initContainers ?? [])].map(({ name }) => name ?? ''),
  );
  const taken = new Set(others);
  checkEach(out, containers, (out, container, i) => {
    const at = `${context.path}.ephemeralContainers[${i}]`;
    commonErrors(out, at, container, context);
    imageWhitespace(out, at, container);
    uniqueName(out, at, container, taken);
    const target = container.targetContainerName ?? '';
    if (target !== '' && !others.has(target)) out.push(field.notFound(`${at}.targetContainerName`, target));
    for (const name of notEphemeral) {
      if (isNonZero(container, name, name !== 'resources')) out.push(field.forbidden(`${at}.${name}`, cannotBeSet));
    }
    checkEach(out, container.volumeMounts ?? [], (out, mount, j) => {
      for (const name of subPaths) {
        if ((mount[name] ?? '') !== '') out.push(field.forbidden(`${at}.volumeMounts[${j}].${name}`, cannotBeSet));
      }
    });
  });
}

/** Images of pods must not have surrounding whitespace; in templates they may. */
export function imageWhitespace(out: Out, path: string, container: Container): void {
  const image = container.image ?? '';
  if (image !== image.trim()) {
    out.push(field.invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  }
}
