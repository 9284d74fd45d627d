import {
  byteLength,
  field,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidGroupID,
  isValidUserID,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { integer, isSet, list, type Plain, record, records, text } from '@apichain/kinds';
import { parseIpLoosely } from '@apichain/go-text';
import { checkEach, collect, immutableDetail, invalidEach, optionalName, type Out } from '../common/rules.ts';
import { legacyIpMessages } from '../service-cluster-ips.ts';
import { podAnnotationUpdateErrors } from './annotations.ts';
import { containerStateErrors } from './container-states.ts';
import { claimStatusErrors } from './status-claims.ts';
import { firstByName } from '../common/repeats.ts';

const knownConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

function conditionErrors(out: Out, conditions: unknown): void {
  checkEach(out, records(conditions), (out, condition, i) => {
    const path = `status.conditions[${i}]`;
    if (integer(condition.observedGeneration) < 0) {
      const detail = 'must be a non-negative integer';
      out.push(field.invalid(`${path}.observedGeneration`, condition.observedGeneration, detail));
    }
    const type = text(condition.type);
    if (!knownConditions.has(type)) invalidEach(out, `${path}.Type`, type, isQualifiedName(type));
  });
}

function nominatedErrors(out: Out, status: Plain, old: KubeObject): void {
  const name = text(status.nominatedNodeName);
  if (name === text(record(old.status).nominatedNodeName)) return;
  const path = 'status.nominatedNodeName';
  optionalName(out, path, name, isDNS1123Subdomain);
  if (name !== '' && text(record(old.spec).nodeName) !== '') {
    out.push(field.forbidden(path, 'may not be set on pods that are already bound to a node'));
  }
}

const ipsOf = (status: Plain, name: 'podIPs' | 'hostIPs'): string[] =>
  records(status[name]).map((entry) => text(entry.ip));

/** Two addresses, of two families; what is no address is told of once more here. */
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

/** At most one address a family. Addresses that were there before stay. */
function ipErrors(out: Out, status: Plain, old: Plain, name: 'podIPs' | 'hostIPs'): void {
  const path = `status.${name}`;
  const ips = ipsOf(status, name);
  const stored = new Set(ipsOf(old, name));
  checkEach(out, ips, (out, ip, i) => {
    if (!stored.has(ip)) invalidEach(out, `${path}[${i}]`, ip, legacyIpMessages(ip));
  });
  if (ips.length > 1) dualStackErrors(out, path, ips);
}

function addressErrors(out: Out, status: Plain, old: Plain): void {
  ipErrors(out, status, old, 'podIPs');
  const [first] = records(status.hostIPs);
  if (first === undefined) return;
  if (first.ip !== text(status.hostIP)) {
    out.push(field.invalid('status.hostIPs[0].ip', text(first.ip), 'must be equal to `hostIP`'));
  }
  ipErrors(out, status, old, 'hostIPs');
}

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

function userErrors(out: Out, pod: KubeObject, status: Plain): void {
  const windows = record(record(pod.spec).os).name === 'windows';
  for (const name of statusLists) {
    checkEach(out, records(status[name]), (out, container, i) => {
      const linux = record(container.user).linux;
      if (!isSet(linux)) return;
      const path = `status.${name}[${i}].user.linux`;
      if (windows) out.push(field.forbidden(path, 'cannot be set for a windows pod'));
      const { uid, gid, supplementalGroups } = record(linux);
      invalidEach(out, `${path}.uid`, integer(uid), isValidUserID(integer(uid)));
      invalidEach(out, `${path}.gid`, integer(gid), isValidGroupID(integer(gid)));
      checkEach(out, list(supplementalGroups), (out, group, j) => {
        invalidEach(out, `${path}.supplementalGroups[${j}]`, group, isValidGroupID(integer(group)));
      });
    });
  }
}

const health = ['Healthy', 'Unhealthy', 'Unknown'];
const longestMessage = 1024;

function healthErrors(out: Out, path: string, resources: unknown): void {
  const seen = new Set<string>();
  checkEach(out, records(resources), (out, resource, k) => {
    const at = `${path}[${k}]`;
    const value = text(resource.health);
    if (!health.includes(value)) out.push(field.notSupported(`${at}.health`, value, health));
    if (isSet(resource.message)) {
      const message = text(resource.message);
      if (message === '') out.push(field.required(`${at}.message`, 'must be non-empty if specified'));
      if (byteLength(message) > longestMessage) out.push(field.tooLong(`${at}.message`, longestMessage));
    }
    const id = text(resource.resourceID);
    if (seen.has(id)) out.push(field.duplicate(`${at}.resourceID`, id));
    seen.add(id);
  });
}

/** The claims of a container as its status names them. */
const claimsOf = (container: Plain): ReadonlySet<string> =>
  new Set(
    records(record(container.resources).claims).map((claim) =>
      text(claim.request) === '' ? text(claim.name) : `${text(claim.name)}/${text(claim.request)}`,
    ),
  );

function unknownResource(name: string, container: Plain, claims: ReadonlySet<string>): string | undefined {
  if (!name.startsWith('claim:')) {
    const { requests } = record(container.resources);
    return isSet(record(requests)[name]) ? undefined : "must match one of the container's resource requests";
  }
  return claims.has(name.slice('claim:'.length))
    ? undefined
    : "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
}

function allocatedErrors(out: Out, pod: KubeObject, status: Plain): void {
  for (const [name, specName] of [
    ['containerStatuses', 'containers'],
    ['initContainerStatuses', 'initContainers'],
  ] as const) {
    const containers = firstByName(records(record(pod.spec)[specName]));
    const known = new Map<Plain, ReadonlySet<string>>();
    const claimsIn = (container: Plain) => {
      const claims = known.get(container) ?? claimsOf(container);
      known.set(container, claims);
      return claims;
    };
    checkEach(out, records(status[name]), (out, entry, i) => {
      const container = containers.get(entry.name);
      checkEach(out, records(entry.allocatedResourcesStatus), (out, resource, j) => {
        const path = `status.${name}[${i}].allocatedResourcesStatus[${j}]`;
        const detail =
          container === undefined ? undefined : unknownResource(text(resource.name), container, claimsIn(container));
        if (detail !== undefined) out.push(field.invalid(`${path}.name`, text(resource.name), detail));
        healthErrors(out, `${path}.resources`, resource.resources);
      });
    });
  }
  checkEach(out, records(status.ephemeralContainerStatuses), (out, entry, i) => {
    if (list(entry.allocatedResourcesStatus).length === 0) return;
    const path = `status.ephemeralContainerStatuses[${i}].allocatedResourcesStatus`;
    out.push(field.forbidden(path, 'must not be specified in container status'));
  });
}

/** What the node reports of a pod; metadata has been compared before. */
export function validatePodStatusUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const status = record(pod.status);
    const before = record(old.status);
    podAnnotationUpdateErrors(out, pod.metadata, old.metadata, record(pod.spec));
    conditionErrors(out, status.conditions);
    if (text(record(pod.spec).nodeName) !== text(record(old.spec).nodeName)) {
      out.push(field.forbidden('status.nodeName', 'may not be changed directly'));
    }
    nominatedErrors(out, status, old);
    if (integer(status.observedGeneration) < 0) {
      const detail = 'must be a non-negative integer';
      out.push(field.invalid('status.observedGeneration', status.observedGeneration, detail));
    }
    if (text(before.qosClass) !== '' && text(status.qosClass) !== text(before.qosClass)) {
      out.push(field.invalid('status.qosClass', text(status.qosClass), immutableDetail));
    }
    containerStateErrors(out, pod, before);
    claimStatusErrors(out, pod, status);
    addressErrors(out, status, before);
    userErrors(out, pod, status);
    allocatedErrors(out, pod, status);
  });
}
