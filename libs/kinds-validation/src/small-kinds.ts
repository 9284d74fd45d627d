import type { ControllerRevision } from '@apichain/api/apps/v1';
import type { PriorityClass } from '@apichain/api/scheduling/v1';
import type { ServiceCIDR, IPAddress } from '@apichain/api/networking/v1';
import type { EndpointPort, Endpoints, EndpointAddress } from '@apichain/api/core/v1';
import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidPathSegmentName,
  isValidPortNum,
  type FieldError,
  type KubeObject,
  lookupTable,
} from '@apichain/meta';
import { isRecord, isSet } from '@apichain/kinds';
import { parseCidrLoosely } from '@apichain/go-text';
import { sameText } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { canonicalCidrMessages } from './cidr.ts';
import { goValue } from './common/go-value.ts';
import {
  checkEach,
  collect,
  isGivenEmpty,
  nonNegative,
  optionalName,
  requiredChoice,
  requiredName,
} from './common/rules.ts';
import { endpointIpErrors } from './endpoint-ips.ts';
import type { ValidationTable } from './kind-validation.ts';
import { legacyIpMessages } from './service-cluster-ips.ts';

const immutable = 'field is immutable';

/** One Invalid error when a field differs from the stored one. */
const unchanged = (path: string, value: unknown, old: unknown, detail = immutable): FieldError[] =>
  semanticEqual(value, old) ? [] : [field.invalid(path, value ?? null, detail)];

const messages = (path: string, value: unknown, found: readonly string[]): FieldError[] =>
  found.map((message) => field.invalid(path, value, message));

function endpointAddressErrors(path: string, address: EndpointAddress): FieldError[] {
  const ip = address.ip ?? '';
  const hostname = address.hostname ?? '';
  return [
    ...messages(`${path}.ip`, ip, legacyIpMessages(ip)),
    ...(hostname === '' ? [] : messages(`${path}.hostname`, hostname, isDNS1123Label(hostname))),
    ...(isSet(address.nodeName)
      ? messages(`${path}.nodeName`, address.nodeName, isDNS1123Subdomain(address.nodeName ?? ''))
      : []),
    ...endpointIpErrors(`${path}.ip`, ip),
  ];
}

function endpointPortErrors(path: string, port: EndpointPort, several: boolean): FieldError[] {
  const name = port.name ?? '';
  const protocol = port.protocol ?? '';
  const errors: FieldError[] = [];
  if (name !== '') errors.push(...messages(`${path}.name`, name, isDNS1123Label(name)));
  else if (several) errors.push(field.required(`${path}.name`));
  errors.push(...messages(`${path}.port`, port.port ?? 0, isValidPortNum(port.port ?? 0)));
  if (protocol === '') errors.push(field.required(`${path}.protocol`));
  else if (!['SCTP', 'TCP', 'UDP'].includes(protocol)) {
    errors.push(field.notSupported(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
  }
  if (isSet(port.appProtocol)) {
    errors.push(...messages(`${path}.appProtocol`, port.appProtocol, isQualifiedName(port.appProtocol ?? '')));
  }
  return errors;
}

function validateEndpoints(endpoints: Endpoints): FieldError[] {
  return collect((out) =>
    checkEach(out, endpoints.subsets ?? [], (ofSubset, subset, i) => {
      const path = `subsets[${i}]`;
      const ports = subset.ports ?? [];
      if ((subset.addresses ?? []).length === 0 && (subset.notReadyAddresses ?? []).length === 0) {
        ofSubset.push(field.required(path, 'must specify `addresses` or `notReadyAddresses`'));
      }
      for (const kind of ['addresses', 'notReadyAddresses'] as const) {
        checkEach(ofSubset, subset[kind] ?? [], (found, address, j) =>
          found.push(...endpointAddressErrors(`${path}.${kind}[${j}]`, address)),
        );
      }
      checkEach(ofSubset, ports, (found, port, j) =>
        found.push(...endpointPortErrors(`${path}.ports[${j}]`, port, ports.length > 1)),
      );
    }),
  );
}

const systemPriorities: Readonly<Record<string, number>> = lookupTable({
  'system-cluster-critical': 2000000000,
  'system-node-critical': 2000001000,
});
const highestUserPriority = 1000000000;

/** Why a class may not have a name of the system's; undefined when it is one of the system's own. */
function systemClassError(name: string, priorityClass: PriorityClass): string | undefined {
  const value = systemPriorities[name];
  if (value === undefined) return `${name} is not a known system priority class`;
  if ((priorityClass.value ?? 0) !== value) return `value of ${name} PriorityClass must be ${value}`;
  return priorityClass.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePriorityClass(priorityClass: PriorityClass): FieldError[] {
  const { name = '' } = priorityClass.metadata;
  return collect((out) => {
    if (name.startsWith('system-')) {
      const reason = systemClassError(name, priorityClass);
      const detail = "priority class names with 'system-' prefix are reserved for system use only. error: ";
      if (reason !== undefined) out.push(field.forbidden('metadata.name', detail + reason));
    } else if ((priorityClass.value ?? 0) > highestUserPriority) {
      const detail = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
      out.push(field.forbidden('value', detail));
    }
    if (isSet(priorityClass.preemptionPolicy)) {
      const policies = ['PreemptLowerPriority', 'Never'];
      requiredChoice(out, 'preemptionPolicy', priorityClass.preemptionPolicy, policies);
    }
  });
}

function validatePriorityClassUpdate(priorityClass: PriorityClass, old: KubeObject): FieldError[] {
  return [
    ...((priorityClass.value ?? 0) === (old.value ?? 0)
      ? []
      : [field.forbidden('value', 'may not be changed in an update.')]),
    ...unchanged('preemptionPolicy', priorityClass.preemptionPolicy, old.preemptionPolicy),
  ];
}

function validateServiceCidr(cidr: ServiceCIDR): FieldError[] {
  const cidrs = cidr.spec?.cidrs ?? [];
  const path = 'spec.cidrs';
  if (cidrs.length === 0) return [field.required(path, 'at least one CIDR required')];
  if (cidrs.length > 2) {
    const shown = goValue('networking.k8s.io.v1.ServiceCIDRSpec', cidr.spec);
    return [field.invalid(path, shown, 'may only hold up to 2 values')];
  }
  const errors = field.collectEach(cidrs, (text, i) => messages(`${path}[${i}]`, text, canonicalCidrMessages(text)));
  const families = cidrs.map((text) => parseCidrLoosely(text)?.family);
  if (cidrs.length === 2 && families[0] !== undefined && families[0] === families[1]) {
    errors.push(
      field.invalid(
        path,
        cidrs,
        'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ),
    );
  }
  return errors;
}

/** A second range of the other family may be added; nothing else changes. */
function validateServiceCidrUpdate(cidr: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const now = cidr.spec?.cidrs ?? [];
  const before = old.spec?.cidrs ?? [];
  const changed = (i: number) =>
    now[i] === before[i] ? [] : [field.invalid(`spec.cidrs[${i}]`, now[i] ?? null, immutable)];
  if (now.length === before.length) return field.collectEach(now, (_, i) => changed(i));
  return before.length === 1 && now.length === 2
    ? [...changed(0), ...validateServiceCidr(cidr)]
    : [field.invalid('spec.cidrs', now.length === 0 && !isGivenEmpty(cidr.spec, 'cidrs') ? null : now, immutable)];
}

function validateIpAddress(address: IPAddress): FieldError[] {
  const parent = address.spec?.parentRef;
  if (!isSet(parent)) return [field.required('spec.parentRef')];
  const { group, resource, namespace, name } = parent;
  const path = 'spec.parentRef';
  return collect((out) => {
    optionalName(out, `${path}.group`, group, isDNS1123Subdomain);
    requiredName(out, `${path}.resource`, resource, isValidPathSegmentName);
    requiredName(out, `${path}.name`, name, isValidPathSegmentName);
    optionalName(out, `${path}.namespace`, namespace, isValidPathSegmentName);
  });
}

function parentErrors(address: IPAddress, old: IPAddress): FieldError[] {
  const parent = address.spec?.parentRef;
  if (semanticEqual(parent, old.spec?.parentRef)) return [];
  return [field.invalid('spec.parentRef', goValue('networking.k8s.io.v1.ParentReference', parent), immutable)];
}

/** The state that a revision keeps: any JSON object. Data that is not an object counts as missing. */
function revisionErrors(revision: ControllerRevision): FieldError[] {
  return collect((out) => {
    nonNegative(out, 'revision', revision.revision);
    if (!isSet(revision.data)) out.push(field.required('data', 'data is mandatory'));
    else if (!isRecord(revision.data)) out.push(field.required('data', 'data must be a valid JSON object'));
  });
}

const revisionUpdateErrors = (revision: ControllerRevision, old: KubeObject): FieldError[] => [
  ...collect((out) => nonNegative(out, 'revision', revision.revision)),
  ...(sameText(revision.data, old.data) ? [] : [field.invalid('data', revision.data ?? null, immutable)]),
];

/** Kinds with a handful of rules; the others have files of their own. */
export const smallValidations: ValidationTable = {
  endpoints: {
    create: validateEndpoints,
    updateRepeatsCreate: true,
    updateEndsWith: (endpoints, old) =>
      semanticEqual(endpoints.subsets, old.subsets) ? [] : validateEndpoints(endpoints),
  },
  'priorityclasses.scheduling.k8s.io': { create: validatePriorityClass, update: validatePriorityClassUpdate },
  'servicecidrs.networking.k8s.io': {
    create: validateServiceCidr,
    update: validateServiceCidrUpdate,
    subresources: { status: () => [] },
  },
  'ipaddresses.networking.k8s.io': {
    create: validateIpAddress,
    updateStartsWith: () => [],
    update: (address, old) => [...validateIpAddress(address), ...parentErrors(address, old)],
  },
  'controllerrevisions.apps': {
    updateRepeatsCreate: true,
    create: revisionErrors,
    updateEndsWith: revisionUpdateErrors,
  },
};
