import type { HostAlias, PodSpec, Volume } from '@apichain/api/core/v1';
import {
  byteLength,
  field,
  firstByName,
  inclusiveRangeError,
  integer,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { containerResourceName, resourceListErrors } from '../common/resources.ts';
import {
  checkEach,
  invalidEach,
  labelMap,
  optionalName,
  type Out,
  pointerName,
  requiredChoice,
} from '../common/rules.ts';
import { legacyIpMessages } from '../service-cluster-ips.ts';
import { affinityErrors } from './affinity.ts';
import { containerErrors, ephemeralContainerErrors, initContainerErrors } from './containers.ts';
import { checkContainers, type PodContext } from './context.ts';
import { dnsConfigErrors } from './dns.ts';
import { envFileVolumeErrors } from './env.ts';
import { osErrors } from './os.ts';
import { podResourceErrors } from './pod-resources.ts';
import { hostNetworkPorts } from './ports.ts';
import { resourceClaimErrors } from './resource-claims.ts';
import { tolerationListErrors, topologySpreadErrors } from './scheduling.ts';
import { podSecurityErrors } from './security.ts';
import { volumeErrors } from './volumes.ts';
import { hostProcessErrors } from './windows.ts';

const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const longestHostname = 64;
const maxInt32 = 2147483647;

function gateErrors(out: Out, path: string, spec: PodSpec): void {
  checkEach(out, spec.readinessGates ?? [], (out, { conditionType = '' }, i) => {
    const at = `${path}.readinessGates[${i}].conditionType`;
    invalidEach(out, at, conditionType, isQualifiedName(conditionType));
  });
  const seen = new Set<string>();
  checkEach(out, spec.schedulingGates ?? [], (out, gate, i) => {
    const at = `${path}.schedulingGates[${i}]`;
    const name = gate.name ?? '';
    invalidEach(out, at, name, isQualifiedName(name));
    if (seen.has(name)) out.push(field.duplicate(at, name));
    seen.add(name);
  });
}

/** A pod with its own user namespace cannot share the namespaces of the host. */
function hostUserErrors(out: Out, path: string, spec: PodSpec): void {
  if (spec.hostUsers !== false) return;
  const detail = 'when `hostUsers` is false';
  if (spec.hostNetwork === true) out.push(field.forbidden(`${path}.hostNetwork`, detail));
  if (spec.hostPID === true) out.push(field.forbidden(`${path}.HostPID`, detail));
  if (spec.hostIPC === true) out.push(field.forbidden(`${path}.HostIPC`, detail));
  checkContainers(out, spec, path, (out, container, at) => {
    if ((container.volumeDevices ?? []).length > 0) out.push(field.forbidden(`${at}.volumeDevices`, detail));
  });
}

function hostnameOverrideErrors(out: Out, path: string, spec: PodSpec): void {
  if (!isSet(spec.hostnameOverride)) return;
  const at = `${path}.hostnameOverride`;
  const name = spec.hostnameOverride;
  if (spec.setHostnameAsFQDN === true) {
    out.push(field.forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  }
  if (spec.hostNetwork === true) out.push(field.forbidden(at, 'may not be specified when hostNetwork is true'));
  if (byteLength(name) > longestHostname) out.push(field.tooLong(at, longestHostname));
  invalidEach(out, at, name, isDNS1123Subdomain(name));
}

function hostAliasErrors(out: Out, path: string, aliases: readonly HostAlias[] | undefined): void {
  checkEach(out, aliases ?? [], (out, { ip = '', hostnames }, i) => {
    const at = `${path}[${i}]`;
    invalidEach(out, `${at}.ip`, ip, legacyIpMessages(ip));
    checkEach(out, hostnames ?? [], (out, hostname, j) => {
      invalidEach(out, `${at}.hostnames[${j}]`, hostname, isDNS1123Subdomain(hostname));
    });
  });
}

function nameErrors(out: Out, path: string, spec: PodSpec): void {
  optionalName(out, `${path}.serviceAccountName`, spec.serviceAccountName, isDNS1123Subdomain);
  optionalName(out, `${path}.nodeName`, spec.nodeName, isDNS1123Subdomain);
  if (isSet(spec.activeDeadlineSeconds)) {
    const seconds = integer(spec.activeDeadlineSeconds);
    if (seconds < 1 || seconds > maxInt32) {
      out.push(field.invalid(`${path}.activeDeadlineSeconds`, seconds, inclusiveRangeError(1, maxInt32)));
    }
  }
  optionalName(out, `${path}.hostname`, spec.hostname, isDNS1123Label);
  optionalName(out, `${path}.subdomain`, spec.subdomain, isDNS1123Label);
}

function classErrors(out: Out, path: string, spec: PodSpec): void {
  optionalName(out, `${path}.priorityClassName`, spec.priorityClassName, isDNS1123Subdomain);
  pointerName(out, `${path}.runtimeClassName`, spec.runtimeClassName, isDNS1123Subdomain);
  if (isSet(spec.preemptionPolicy)) {
    requiredChoice(out, `${path}.preemptionPolicy`, spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
  }
  if (isSet(spec.overhead)) {
    resourceListErrors(out, `${path}.overhead`, { limits: spec.overhead }, containerResourceName);
  }
}

/**
 * Checks the spec of a pod or template, in the order of kube-apiserver:
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodSpec
 */
export function podSpecErrors(out: Out, context: PodContext): void {
  const { spec, path, old } = context;
  if (!isSet(spec.terminationGracePeriodSeconds)) out.push(field.required(`${path}.terminationGracePeriodSeconds`));
  volumeErrors(out, context);
  resourceClaimErrors(out, context);
  const names = new Set<string>();
  containerErrors(out, context, names);
  initContainerErrors(out, context, names);
  ephemeralContainerErrors(out, context);
  podResourceErrors(out, `${path}.resources`, spec, context.resourceClaims);
  hostNetworkPorts(out, `${path}.containers`, spec, context.isPod);
  requiredChoice(out, `${path}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
  requiredChoice(out, `${path}.dnsPolicy`, spec.dnsPolicy, dnsPolicies);
  labelMap(out, `${path}.nodeSelector`, spec.nodeSelector);
  podSecurityErrors(out, `${path}.securityContext`, spec, old);
  affinityErrors(out, `${path}.affinity`, spec.affinity, old);
  dnsConfigErrors(out, `${path}.dnsConfig`, spec.dnsConfig, spec.dnsPolicy);
  gateErrors(out, path, spec);
  topologySpreadErrors(out, `${path}.topologySpreadConstraints`, spec.topologySpreadConstraints, old);
  hostProcessErrors(out, context);
  hostUserErrors(out, path, spec);
  hostnameOverrideErrors(out, path, spec);
  nameErrors(out, path, spec);
  tolerationListErrors(out, `${path}.tolerations`, spec.tolerations);
  hostAliasErrors(out, `${path}.hostAliases`, spec.hostAliases);
  classErrors(out, path, spec);
  osErrors(out, path, spec);
  let volumes: ReadonlyMap<unknown, Volume> | undefined;
  const volumesByName = () => (volumes ??= firstByName(spec.volumes ?? []));
  checkContainers(out, spec, path, (out, container, at) => {
    envFileVolumeErrors(out, `${at}.env`, container.env, volumesByName);
  });
}
