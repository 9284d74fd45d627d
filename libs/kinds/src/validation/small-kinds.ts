import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidPathSegmentName,
  isValidPortNum,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { at, integer, isSet, list, type Plain, record, records, text, texts } from '../fields.ts';
import { parseCidr } from '../services/ip.ts';
import { semanticEqual } from '../strategies/equality.ts';
import { canonicalCidrMessages } from './cidr.ts';
import { collect, optionalName, requiredName } from './common/rules.ts';
import { endpointIpErrors } from './endpoint-ips.ts';
import { legacyIpMessages } from './service-cluster-ips.ts';

const immutable = 'field is immutable';

/** One Invalid error when a field differs from the stored one. */
const unchanged = (path: string, value: unknown, old: unknown, detail = immutable): FieldError[] =>
  semanticEqual(value, old) ? [] : [field.invalid(path, value ?? null, detail)];

const messages = (path: string, value: unknown, found: readonly string[]): FieldError[] =>
  found.map((message) => field.invalid(path, value, message));

function endpointAddressErrors(path: string, address: Plain): FieldError[] {
  const ip = text(address.ip);
  const hostname = text(address.hostname);
  return [
    ...messages(`${path}.ip`, ip, legacyIpMessages(ip)),
    ...(hostname === '' ? [] : messages(`${path}.hostname`, hostname, isDNS1123Label(hostname))),
    ...(isSet(address.nodeName)
      ? messages(`${path}.nodeName`, address.nodeName, isDNS1123Subdomain(text(address.nodeName)))
      : []),
    ...endpointIpErrors(`${path}.ip`, ip),
  ];
}

function endpointPortErrors(path: string, port: Plain, several: boolean): FieldError[] {
  const name = text(port.name);
  const protocol = text(port.protocol);
  const errors: FieldError[] = [];
  if (name !== '') errors.push(...messages(`${path}.name`, name, isDNS1123Label(name)));
  else if (several) errors.push(field.required(`${path}.name`));
  errors.push(...messages(`${path}.port`, integer(port.port), isValidPortNum(integer(port.port))));
  if (protocol === '') errors.push(field.required(`${path}.protocol`));
  else if (!['SCTP', 'TCP', 'UDP'].includes(protocol)) {
    errors.push(field.notSupported(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
  }
  if (isSet(port.appProtocol)) {
    errors.push(...messages(`${path}.appProtocol`, port.appProtocol, isQualifiedName(text(port.appProtocol))));
  }
  return errors;
}

function validateEndpoints(endpoints: KubeObject): FieldError[] {
  return records(endpoints.subsets).flatMap((subset, i) => {
    const path = `subsets[${i}]`;
    const ports = records(subset.ports);
    const empty = list(subset.addresses).length === 0 && list(subset.notReadyAddresses).length === 0;
    return [
      ...(empty ? [field.required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...['addresses', 'notReadyAddresses'].flatMap((kind) =>
        records(subset[kind]).flatMap((address, j) => endpointAddressErrors(`${path}.${kind}[${j}]`, address)),
      ),
      ...ports.flatMap((port, j) => endpointPortErrors(`${path}.ports[${j}]`, port, ports.length > 1)),
    ];
  });
}

const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2000000000,
  'system-node-critical': 2000001000,
};
const highestUserPriority = 1000000000;

function validatePriorityClass(priorityClass: KubeObject): FieldError[] {
  const { name = '' } = priorityClass.metadata;
  const value = integer(priorityClass.value);
  if (name.startsWith('system-')) {
    return systemPriorities[name] === value
      ? []
      : [
          field.forbidden(
            'metadata.name',
            "priority class names with 'system-' prefix are reserved for system use only. error: " +
              (systemPriorities[name] === undefined
                ? `${name} is not a known system priority class`
                : `value of ${name} PriorityClass must be ${systemPriorities[name]}`),
          ),
        ];
  }
  return value > highestUserPriority
    ? [field.forbidden('value', `maximum allowed value of a user defined priority is ${highestUserPriority}`)]
    : [];
}

function validatePriorityClassUpdate(priorityClass: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...(integer(priorityClass.value) === integer(old.value)
      ? []
      : [field.forbidden('value', 'may not be changed in an update.')]),
    ...unchanged('preemptionPolicy', priorityClass.preemptionPolicy, old.preemptionPolicy),
  ];
}

function validateServiceCidr(cidr: KubeObject): FieldError[] {
  const cidrs = texts(at(cidr.spec, 'cidrs'));
  const path = 'spec.cidrs';
  if (cidrs.length === 0) return [field.required(path, 'at least one CIDR required')];
  if (cidrs.length > 2) return [field.invalid(path, cidrs, 'may only hold up to 2 values')];
  const errors: FieldError[] = [];
  const families = cidrs.map((text) => parseCidr(text)?.family);
  if (cidrs.length === 2 && families[0] === families[1]) {
    errors.push(
      field.invalid(
        path,
        cidrs,
        'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ),
    );
  }
  errors.push(...cidrs.flatMap((text, i) => messages(`${path}[${i}]`, text, canonicalCidrMessages(text))));
  return errors;
}

/** A second range of the other family may be added; nothing else changes. */
function validateServiceCidrUpdate(cidr: KubeObject, old: KubeObject): FieldError[] {
  const now = texts(at(cidr.spec, 'cidrs'));
  const before = texts(at(old.spec, 'cidrs'));
  if (semanticEqual(now, before)) return [];
  const upgrade = before.length === 1 && now.length === 2 && now[0] === before[0];
  if (!upgrade) return [field.invalid('spec.cidrs', now, immutable)];
  return validateServiceCidr(cidr);
}

function validateIpAddress(address: KubeObject): FieldError[] {
  const parent = at(address.spec, 'parentRef');
  if (!isSet(parent)) return [field.required('spec.parentRef')];
  const { group, resource, namespace, name } = record(parent);
  const path = 'spec.parentRef';
  return collect((out) => {
    optionalName(out, `${path}.group`, group, isDNS1123Subdomain);
    requiredName(out, `${path}.resource`, resource, isValidPathSegmentName);
    requiredName(out, `${path}.name`, name, isValidPathSegmentName);
    optionalName(out, `${path}.namespace`, namespace, isValidPathSegmentName);
  });
}

const changedData = (revision: KubeObject, old: KubeObject): FieldError[] => unchanged('data', revision.data, old.data);

const mutableStatefulSetFields = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);
const statefulSetDetail =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function validateStatefulSetUpdate(statefulSet: KubeObject, old: KubeObject): FieldError[] {
  const spec = record(statefulSet.spec);
  const before = record(old.spec);
  const names = [...new Set([...Object.keys(spec), ...Object.keys(before)])];
  const changed = names.some((name) => !mutableStatefulSetFields.has(name) && !semanticEqual(spec[name], before[name]));
  return changed ? [field.forbidden('spec', statefulSetDetail)] : [];
}

/** Addresses and identity of a node are given once. */
function validateNodeUpdate(node: KubeObject, old: KubeObject): FieldError[] {
  const spec = record(node.spec);
  const before = record(old.spec);
  const onceGiven = (name: string, text: string): FieldError[] =>
    isSet(before[name]) && before[name] !== '' && !semanticEqual(spec[name], before[name])
      ? [field.forbidden(`spec.${name}`, `node updates may not change ${text} except from "" to valid`)]
      : [];
  return [
    ...onceGiven('podCIDRs', 'podCIDR'),
    ...onceGiven('providerID', 'providerID'),
    ...(semanticEqual(spec.externalID, before.externalID)
      ? []
      : [field.forbidden('spec.externalID', 'may not be updated')]),
  ];
}

/** Kinds with a handful of rules; the others have files of their own. */
export const smallValidations: Readonly<
  Record<
    string,
    {
      readonly create?: (object: KubeObject) => FieldError[];
      readonly update?: (object: KubeObject, old: KubeObject) => FieldError[];
    }
  >
> = {
  endpoints: {
    create: validateEndpoints,
    update: (endpoints, old) => (semanticEqual(endpoints.subsets, old.subsets) ? [] : validateEndpoints(endpoints)),
  },
  'priorityclasses.scheduling.k8s.io': { create: validatePriorityClass, update: validatePriorityClassUpdate },
  'servicecidrs.networking.k8s.io': { create: validateServiceCidr, update: validateServiceCidrUpdate },
  'ipaddresses.networking.k8s.io': {
    create: validateIpAddress,
    update: (address, old) => [
      ...validateIpAddress(address),
      ...unchanged('spec.parentRef', at(address.spec, 'parentRef'), at(old.spec, 'parentRef')),
    ],
  },
  'controllerrevisions.apps': { update: changedData },
  'statefulsets.apps': { update: validateStatefulSetUpdate },
  nodes: { update: validateNodeUpdate },
};
