import type { PodSpec, SecurityContext, Sysctl, AppArmorProfile, SeccompProfile } from '@apichain/api/core/v1';
import type { Int64 } from '@apichain/api/scalars';
import { isSet } from '@apichain/kinds';
import { byteLength, field, integer, isValidGroupID, isValidUserID } from '@apichain/meta';
import { localDescendingPath } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { checkEach, choice, invalidEach, type Out } from '../common/rules.ts';
import type { PodContext } from './context.ts';
import { windowsOptionErrors } from './windows.ts';

function userId(out: Out, path: string, value: Int64 | undefined): void {
  if (isSet(value)) invalidEach(out, path, value, isValidUserID(integer(value)));
}
function groupId(out: Out, path: string, value: Int64 | undefined): void {
  if (isSet(value)) invalidEach(out, path, value, isValidGroupID(integer(value)));
}

const longestSysctl = 253;
const sysctlFormat = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlName = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;
const ipcSysctls = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

/** The name of a sysctl with dots as separators; a name whose first separator is a slash is converted. */
function normalized(name: string): string {
  const firstSlash = name.indexOf('/');
  const firstDot = name.indexOf('.');
  if (firstSlash < 0 || (firstDot >= 0 && firstDot < firstSlash)) return name;
  return name.replaceAll('.', '\u0000').replaceAll('/', '.').replaceAll('\u0000', '/');
}

function sysctlErrors(
  out: Out,
  path: string,
  sysctls: readonly Sysctl[],
  spec: PodSpec,
  hadHostSysctls: boolean,
): void {
  const seen = new Set<string>();
  checkEach(out, sysctls, (out, sysctl, i) => {
    const at = `${path}[${i}].name`;
    const name = sysctl.name ?? '';
    if (name === '') out.push(field.required(at));
    else if (byteLength(name) > longestSysctl || !sysctlName.test(name)) {
      out.push(
        field.invalid(at, name, `must have at most ${longestSysctl} characters and match regex ^${sysctlFormat}$`),
      );
    } else if (seen.has(name)) out.push(field.duplicate(at, name));
    if (!hadHostSysctls) hostSysctlErrors(out, at, name, spec);
    seen.add(name);
  });
}

function hostSysctlErrors(out: Out, path: string, name: string, spec: PodSpec): void {
  const spelled = normalized(name);
  if (spec.hostNetwork === true && spelled.startsWith('net.')) {
    out.push(field.invalid(path, name, "may not be specified when 'hostNetwork' is true"));
  }
  if (spec.hostIPC === true && (ipcSysctls.has(spelled) || spelled.startsWith('fs.mqueue.'))) {
    out.push(field.invalid(path, name, "may not be specified when 'hostIPC' is true"));
  }
}

function hasHostSysctls(spec: PodSpec | undefined): boolean {
  if (spec === undefined) return false;
  const out: Out = [];
  checkEach(out, spec.securityContext?.sysctls ?? [], (out, sysctl) =>
    hostSysctlErrors(out, '', sysctl.name ?? '', spec),
  );
  return out.length > 0;
}

/** Checks the security context of a pod. */
export function podSecurityErrors(out: Out, path: string, spec: PodSpec, old: PodSpec | undefined): void {
  const context = spec.securityContext;
  if (isSet(context)) {
    groupId(out, `${path}.fsGroup`, context.fsGroup);
    userId(out, `${path}.runAsUser`, context.runAsUser);
    groupId(out, `${path}.runAsGroup`, context.runAsGroup);
    checkEach(out, context.supplementalGroups ?? [], (out, group, i) => {
      groupId(out, `${path}.supplementalGroups[${i}]`, group);
    });
    shareProcessErrors(out, path, spec);
    if (isSet(context.sysctls)) {
      sysctlErrors(out, `${path}.sysctls`, context.sysctls, spec, hasHostSysctls(old));
    }
    choice(out, `${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']);
    seccompErrors(out, `${path}.seccompProfile`, context.seccompProfile);
    windowsOptionErrors(out, `${path}.windowsOptions`, context.windowsOptions);
    appArmorErrors(out, `${path}.appArmorProfile`, context.appArmorProfile);
    choice(out, `${path}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']);
    const isInUse = isSet(old?.securityContext?.seLinuxChangePolicy);
    const changePolicies = isInUse ? ['MountOption', 'Recursive'] : ['Recursive'];
    choice(out, `${path}.seLinuxChangePolicy`, context.seLinuxChangePolicy, changePolicies);
  } else shareProcessErrors(out, path, spec);
}

function shareProcessErrors(out: Out, path: string, spec: PodSpec): void {
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    out.push(field.invalid(`${path}.shareProcessNamespace`, true, detail));
  }
}

/** Checks the security context of a container. */
export function containerSecurityErrors(
  out: Out,
  path: string,
  context: SecurityContext | undefined,
  pod: PodContext,
): void {
  const { hostUsers } = pod.spec;
  if (!isSet(context)) return;
  if (context.privileged === true && !pod.capabilities.allowPrivileged) {
    out.push(field.forbidden(`${path}.privileged`, 'disallowed by cluster policy'));
  }
  userId(out, `${path}.runAsUser`, context.runAsUser);
  groupId(out, `${path}.runAsGroup`, context.runAsGroup);
  if (isSet(context.procMount)) {
    choice(out, `${path}.procMount`, context.procMount, ['Default', 'Unmasked']);
    if (hostUsers !== false && context.procMount === 'Unmasked') {
      out.push(field.invalid(`${path}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`'));
    }
  }
  seccompErrors(out, `${path}.seccompProfile`, context.seccompProfile);
  if (context.allowPrivilegeEscalation === false) {
    const clashes: string[] = [];
    if (context.privileged === true) clashes.push('`privileged` to true');
    if ((context.capabilities?.add ?? []).includes('CAP_SYS_ADMIN')) {
      clashes.push('`capabilities.Add` CAP_SYS_ADMIN');
    }
    for (const clash of clashes) {
      const shown = goValue('core.v1.SecurityContext', context);
      out.push(field.invalid(path, shown, `cannot set \`allowPrivilegeEscalation\` to false and ${clash}`));
    }
  }
  windowsOptionErrors(out, `${path}.windowsOptions`, context.windowsOptions);
  appArmorErrors(out, `${path}.appArmorProfile`, context.appArmorProfile);
}

const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** A seccomp profile of a pod or container. */
function seccompErrors(out: Out, path: string, profile: SeccompProfile | undefined): void {
  if (!isSet(profile)) return;
  const type = profile.type ?? '';
  const at = `${path}.localhostProfile`;
  if (type === '') out.push(field.required(`${path}.type`, 'type is required when seccompProfile is set'));
  else if (!types.includes(type)) out.push(field.notSupported(`${path}.type`, type, types));
  if (type !== 'Localhost') {
    if (!isSet(profile.localhostProfile)) return;
    const shown = goValue('core.v1.SeccompProfile', profile);
    out.push(field.invalid(at, shown, 'can only be set when seccomp type is Localhost'));
  } else if (!isSet(profile.localhostProfile)) {
    out.push(field.required(at, 'must be set when seccomp type is Localhost'));
  } else localDescendingPath(out, at, profile.localhostProfile);
}

const longestProfile = 4095;

/** An AppArmor profile of a pod or container. */
function appArmorErrors(out: Out, path: string, profile: AppArmorProfile | undefined): void {
  if (!isSet(profile)) return;
  const type = profile.type ?? '';
  const at = `${path}.localhostProfile`;
  const given = isSet(profile.localhostProfile);
  const name = profile.localhostProfile ?? '';
  if (type === '') {
    out.push(field.required(`${path}.type`, 'type is required when appArmorProfile is set'));
    return;
  }
  if (type === 'Localhost') {
    if (name === '') out.push(field.required(at, 'must be set when AppArmor type is Localhost'));
    else {
      if (name !== name.trim()) out.push(field.invalid(at, name, 'must not be padded with whitespace'));
      if (byteLength(name) > longestProfile) out.push(field.tooLong(at, longestProfile));
    }
    return;
  }
  if (!types.includes(type)) out.push(field.notSupported(`${path}.type`, type, types));
  else if (given) out.push(field.invalid(at, name, 'can only be set when AppArmor type is Localhost'));
}
