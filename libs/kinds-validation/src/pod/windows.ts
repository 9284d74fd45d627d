import type { PodSecurityContext, SecurityContext, WindowsSecurityContextOptions } from '@apichain/api/core/v1';
import { byteLength, field, isDNS1123Subdomain } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { invalidEach, type Out } from '../common/rules.ts';
import { containerLists } from '@apichain/kinds';
import { checkContainers, type PodContext } from './context.ts';

const longestCredentialSpec = 64 * 1024;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/;
const reserved = '"/\\:;|=,+*?<>@[]';

function userNameMessages(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (/\p{Cc}/u.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const messages: string[] = [];
  if (domain !== undefined) {
    if (byteLength(domain) >= 256) messages.push("runAsUserName's Domain length must be under 256 characters");
    if (!netBiosName.test(domain) && !dnsName.test(domain)) {
      messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (user === '') messages.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > 104) messages.push("runAsUserName's User length must not be longer than 104 characters");
  if (user !== '' && /^[. ]+$/.test(user)) {
    messages.push("runAsUserName's User cannot contain only periods or spaces");
  }
  if ([...user].some((c) => reserved.includes(c))) {
    messages.push(`runAsUserName's User cannot contain the following characters: ${reserved}`);
  }
  return messages;
}

/** Checks the Windows options of a container. */
export function windowsOptionErrors(out: Out, path: string, options: WindowsSecurityContextOptions | undefined): void {
  if (!isSet(options)) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (isSet(gmsaCredentialSpecName)) {
    const name = gmsaCredentialSpecName;
    invalidEach(out, `${path}.gmsaCredentialSpecName`, name, isDNS1123Subdomain(name));
  }
  if (isSet(gmsaCredentialSpec)) {
    const at = `${path}.gmsaCredentialSpec`;
    const size = byteLength(gmsaCredentialSpec);
    if (size === 0) out.push(field.invalid(at, '', 'gmsaCredentialSpec cannot be an empty string'));
    else if (size > longestCredentialSpec) {
      out.push(field.invalid(at, gmsaCredentialSpec, 'gmsaCredentialSpec size must be under 64 KiB'));
    }
  }
  if (isSet(runAsUserName)) {
    invalidEach(out, `${path}.runAsUserName`, runAsUserName, userNameMessages(runAsUserName));
  }
}

const hostProcessOf = (context: SecurityContext | PodSecurityContext | undefined): boolean | undefined =>
  context?.windowsOptions?.hostProcess;

/** Checks host process containers on Windows: either all containers of a pod are, or none. */
export function hostProcessErrors(out: Out, context: PodContext): void {
  const { path, spec } = context;
  const ofPod = hostProcessOf(spec.securityContext);
  let hostProcesses = 0;
  checkContainers(out, spec, path, (found, container, at) => {
    const own = hostProcessOf(container.securityContext);
    if (isSet(ofPod) && isSet(own) && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`;
      found.push(field.invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
    if ((isSet(own) ? own : ofPod) === true) hostProcesses++;
  });
  if (hostProcesses > 0) hostProcessPodErrors(out, context, hostProcesses);
}

function hostProcessPodErrors(out: Out, { path, spec, capabilities }: PodContext, hostProcesses: number): void {
  const containers = containerLists.reduce((sum, name) => sum + (spec[name] ?? []).length, 0);
  if (hostProcesses !== containers) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    out.push(field.invalid(path, '', detail));
  }
  if (spec.hostNetwork !== true) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    out.push(field.invalid(`${path}.hostNetwork`, false, detail));
  }
  if (!capabilities.allowPrivileged) {
    out.push(field.forbidden(path, 'hostProcess containers are disallowed by cluster policy'));
  }
}
