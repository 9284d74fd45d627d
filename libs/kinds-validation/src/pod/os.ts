import type { PodSecurityContext, PodSpec, SecurityContext } from '@apichain/api/core/v1';
import { field } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { checkEach, type Out } from '../common/rules.ts';
import { checkContainers } from './context.ts';

const linuxOnlyOfPod = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const satisfies readonly (keyof PodSecurityContext)[];
const linuxOnlyOfContainer = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const satisfies readonly (keyof SecurityContext)[];

/** Some host settings count as set only when true; the others as soon as they are present. */
function hostErrors(out: Out, path: string, spec: PodSpec): void {
  const detail = 'cannot be set for a windows pod';
  if (isSet(spec.hostUsers)) out.push(field.forbidden(`${path}.hostUsers`, detail));
  for (const name of ['hostPID', 'hostIPC'] as const) {
    if (spec[name] === true) out.push(field.forbidden(`${path}.${name}`, detail));
  }
}

function windowsErrors(out: Out, path: string, spec: PodSpec): void {
  const detail = 'cannot be set for a windows pod';
  const context = spec.securityContext ?? {};
  checkEach(out, linuxOnlyOfPod.slice(0, 2), (out, name) => {
    if (isSet(context[name])) out.push(field.forbidden(`${path}.securityContext.${name}`, detail));
  });
  hostErrors(out, path, spec);
  checkEach(out, linuxOnlyOfPod.slice(2), (out, name) => {
    if (isSet(context[name])) out.push(field.forbidden(`${path}.securityContext.${name}`, detail));
  });
  if (isSet(spec.shareProcessNamespace)) out.push(field.forbidden(`${path}.shareProcessNamespace`, detail));
  checkContainers(out, spec, path, (out, container, at) => {
    const own = container.securityContext;
    if (!isSet(own)) return;
    for (const name of linuxOnlyOfContainer) {
      if (isSet(own[name])) out.push(field.forbidden(`${at}.securityContext.${name}`, detail));
    }
  });
}

function linuxErrors(out: Out, path: string, spec: PodSpec): void {
  const detail = 'windows options cannot be set for a linux pod';
  if (isSet(spec.securityContext?.windowsOptions)) {
    out.push(field.forbidden(`${path}.securityContext.windowsOptions`, detail));
  }
  checkContainers(out, spec, path, (out, container, at) => {
    if (isSet(container.securityContext?.windowsOptions)) {
      out.push(field.forbidden(`${at}.securityContext.windowsOptions`, detail));
    }
  });
}

/** Checks the operating system of a pod, and the fields that it excludes. */
export function osErrors(out: Out, path: string, spec: PodSpec): void {
  if (!isSet(spec.os)) return;
  const name = spec.os.name ?? '';
  if (name === '') out.push(field.required(`${path}.os.name`));
  else if (name === 'linux') linuxErrors(out, path, spec);
  else if (name === 'windows') windowsErrors(out, path, spec);
  else out.push(field.notSupported(`${path}.os`, name, ['linux', 'windows']));
}
