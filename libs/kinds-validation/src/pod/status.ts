import type { Container, Pod, PodCondition, PodStatus, ResourceHealth } from '@apichain/api/core/v1';
import {
  byteLength,
  field,
  type FieldError,
  firstByName,
  integer,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidGroupID,
  isValidUserID,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { parseIpLoosely } from '@apichain/go-text';
import { checkEach, collect, immutableDetail, invalidEach, optionalName, type Out } from '../common/rules.ts';
import { legacyIpMessages } from '../service-cluster-ips.ts';
import { podAnnotationUpdateErrors } from './annotations.ts';
import { containerStateErrors } from './container-states.ts';
import { claimStatusErrors } from './status-claims.ts';

const knownConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

function conditionErrors(out: Out, conditions: readonly PodCondition[] | undefined): void {
  checkEach(out, conditions ?? [], (out, condition, i) => {
    const path = `status.conditions[${i}]`;
    if (integer(condition.observedGeneration) < 0) {
      const detail = 'must be a non-negative integer';
      out.push(field.invalid(`${path}.observedGeneration`, condition.observedGeneration, detail));
    }
    const type = condition.type ?? '';
    if (!knownConditions.has(type)) invalidEach(out, `${path}.Type`, type, isQualifiedName(type));
  });
}

function nominatedErrors(out: Out, status: PodStatus, old: Pod): void {
  const name = status.nominatedNodeName ?? '';
  if (name === (old.status?.nominatedNodeName ?? '')) return;
  const path = 'status.nominatedNodeName';
  optionalName(out, path, name, isDNS1123Subdomain);
  if (name !== '' && (old.spec?.nodeName ?? '') !== '') {
    out.push(field.forbidden(path, 'may not be set on pods that are already bound to a node'));
  }
}

const ipsOf = (status: PodStatus, name: 'podIPs' | 'hostIPs'): string[] =>
  (status[name] ?? []).map((entry) => entry.ip ?? '');

/** Two addresses must be of two families; an invalid address is reported once more here. */
function dualStackErrors(out: Out, path: string, ips: readonly string[]): void {
  const families = ips.map((ip) => parseIpLoosely(ip)?.family);
  const unreadable = families.indexOf(undefined);
  if (unreadable >= 0) {
    const detail = `failed to check for dual stack with error:invalid IP[${unreadable}]: ${ips[unreadable] ?? ''}`;
    out.push(field.internal(path, detail));
  } else if (ips.length === 2 && families[0] !== families[1]) return;
  const shown = ips.map((ip) => ({ IP: ip }));
  out.push(field.invalid(path, shown, 'may specify no more than one IP for each IP family'));
}

/** At most one address per family. Stored addresses are accepted. */
function ipErrors(out: Out, status: PodStatus, old: PodStatus, name: 'podIPs' | 'hostIPs'): void {
  const path = `status.${name}`;
  const ips = ipsOf(status, name);
  const stored = new Set(ipsOf(old, name));
  checkEach(out, ips, (out, ip, i) => {
    if (!stored.has(ip)) invalidEach(out, `${path}[${i}]`, ip, legacyIpMessages(ip));
  });
  if (ips.length > 1) dualStackErrors(out, path, ips);
}

function addressErrors(out: Out, status: PodStatus, old: PodStatus): void {
  ipErrors(out, status, old, 'podIPs');
  const [first] = status.hostIPs ?? [];
  if (first === undefined) return;
  if (first.ip !== (status.hostIP ?? '')) {
    out.push(field.invalid('status.hostIPs[0].ip', first.ip ?? '', 'must be equal to `hostIP`'));
  }
  ipErrors(out, status, old, 'hostIPs');
}

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

function userErrors(out: Out, pod: Pod, status: PodStatus): void {
  const windows = pod.spec?.os?.name === 'windows';
  for (const name of statusLists) {
    checkEach(out, status[name] ?? [], (out, container, i) => {
      const linux = container.user?.linux;
      if (!isSet(linux)) return;
      const path = `status.${name}[${i}].user.linux`;
      if (windows) out.push(field.forbidden(path, 'cannot be set for a windows pod'));
      const uid = integer(linux.uid);
      const gid = integer(linux.gid);
      invalidEach(out, `${path}.uid`, uid, isValidUserID(uid));
      invalidEach(out, `${path}.gid`, gid, isValidGroupID(gid));
      checkEach(out, linux.supplementalGroups ?? [], (out, group, j) => {
        invalidEach(out, `${path}.supplementalGroups[${j}]`, group, isValidGroupID(integer(group)));
      });
    });
  }
}

const health = ['Healthy', 'Unhealthy', 'Unknown'];
const longestMessage = 1024;

function healthErrors(out: Out, path: string, resources: readonly ResourceHealth[] | undefined): void {
  const seen = new Set<string>();
  checkEach(out, resources ?? [], (out, resource, k) => {
    const at = `${path}[${k}]`;
    const value = resource.health ?? '';
    if (!health.includes(value)) out.push(field.notSupported(`${at}.health`, value, health));
    const { message } = resource;
    if (isSet(message)) {
      if (message === '') out.push(field.required(`${at}.message`, 'must be non-empty if specified'));
      if (byteLength(message) > longestMessage) out.push(field.tooLong(`${at}.message`, longestMessage));
    }
    const id = resource.resourceID ?? '';
    if (seen.has(id)) out.push(field.duplicate(`${at}.resourceID`, id));
    seen.add(id);
  });
}

/** The claims of a container in the form in which its status names them. */
const claimsOf = (container: Container): ReadonlySet<string> =>
  new Set(
    container.resources?.claims?.map(({ name = '', request = '' }) => (request === '' ? name : `${name}/${request}`)),
  );

function unknownResource(name: string, container: Container, claims: ReadonlySet<string>): string | undefined {
  if (!name.startsWith('claim:')) {
    const requested = Object.hasOwn(container.resources?.requests ?? {}, name);
    return requested ? undefined : "must match one of the container's resource requests";
  }
  return claims.has(name.slice('claim:'.length))
    ? undefined
    : "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
}

function allocatedErrors(out: Out, pod: Pod, status: PodStatus): void {
  for (const [name, specName] of [
    ['containerStatuses', 'containers'],
    ['initContainerStatuses', 'initContainers'],
  ] as const) {
    const containers = firstByName(pod.spec?.[specName] ?? []);
    const known = new Map<Container, ReadonlySet<string>>();
    const claimsIn = (container: Container) => {
      const claims = known.get(container) ?? claimsOf(container);
      known.set(container, claims);
      return claims;
    };
    checkEach(out, status[name] ?? [], (out, entry, i) => {
      const container = containers.get(entry.name);
      checkEach(out, entry.allocatedResourcesStatus ?? [], (out, resource, j) => {
        const path = `status.${name}[${i}].allocatedResourcesStatus[${j}]`;
        const resourceName = resource.name ?? '';
        const detail =
          container === undefined ? undefined : unknownResource(resourceName, container, claimsIn(container));
        if (detail !== undefined) out.push(field.invalid(`${path}.name`, resourceName, detail));
        healthErrors(out, `${path}.resources`, resource.resources);
      });
    });
  }
  checkEach(out, status.ephemeralContainerStatuses ?? [], (out, entry, i) => {
    if ((entry.allocatedResourcesStatus ?? []).length === 0) return;
    const path = `status.ephemeralContainerStatuses[${i}].allocatedResourcesStatus`;
    out.push(field.forbidden(path, 'must not be specified in container status'));
  });
}

/** Checks the status that the node reports; metadata has already been checked. */
export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  return collect((out) => {
    const status = pod.status ?? {};
    const before = old.status ?? {};
    podAnnotationUpdateErrors(out, pod.metadata, old.metadata, pod.spec ?? {});
    conditionErrors(out, status.conditions);
    if ((pod.spec?.nodeName ?? '') !== (old.spec?.nodeName ?? '')) {
      out.push(field.forbidden('status.nodeName', 'may not be changed directly'));
    }
    nominatedErrors(out, status, old);
    if (integer(status.observedGeneration) < 0) {
      const detail = 'must be a non-negative integer';
      out.push(field.invalid('status.observedGeneration', status.observedGeneration, detail));
    }
    const qosClass = status.qosClass ?? '';
    if ((before.qosClass ?? '') !== '' && qosClass !== before.qosClass) {
      out.push(field.invalid('status.qosClass', qosClass, immutableDetail));
    }
    containerStateErrors(out, pod, before);
    claimStatusErrors(out, pod, status);
    addressErrors(out, status, before);
    userErrors(out, pod, status);
    allocatedErrors(out, pod, status);
  });
}
