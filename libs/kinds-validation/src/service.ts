import type { Service, ServiceSpec, LoadBalancerIngress } from '@apichain/api/core/v1';
import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  isValidPortName,
  isValidPortNum,
  type FieldError,
} from '@apichain/meta';
import { isSet, sortedEntriesOf } from '@apichain/kinds';
import { parseIpLoosely } from '@apichain/go-text';
import { semanticEqual } from '@apichain/meta';
import { legacyCidrMessages } from './cidr.ts';
import { endpointIpErrors } from './endpoint-ips.ts';
import { sourceRangeAnnotationErrors, topologyAnnotationErrors } from './service-annotations.ts';
import { clusterIpErrors, legacyIpMessages } from './service-cluster-ips.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const sortedEntries = (map: Readonly<Record<string, string>> | undefined): [string, string][] =>
  sortedEntriesOf(map ?? {});

const isHeadlessList = (spec: ServiceSpec): boolean => {
  const ips = spec.clusterIPs ?? [];
  return ips.length === 1 && ips[0] === 'None';
};

/** Required when empty, NotSupported when not one of the choices. */
function choice(path: string, value: string | undefined, choices: readonly string[]): FieldError[] {
  if ((value ?? '') === '') return [field.required(path)];
  return choices.includes(value ?? '') ? [] : [field.notSupported(path, value, choices)];
}

const messages = (path: string, value: unknown, found: readonly string[]): FieldError[] =>
  found.map((message) => field.invalid(path, value, message));

function typeErrors(spec: ServiceSpec): FieldError[] {
  const headless = isHeadlessList(spec);
  const errors: FieldError[] = [];
  if ((spec.ports ?? []).length === 0 && !headless && spec.type !== 'ExternalName')
    errors.push(field.required('spec.ports'));
  if (headless && (spec.type === 'LoadBalancer' || spec.type === 'NodePort')) {
    errors.push(field.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`));
  }
  if (spec.type === 'ExternalName') errors.push(...externalNameErrors(spec));
  return errors;
}

function externalNameErrors(spec: ServiceSpec): FieldError[] {
  const forbidden = (name: string, present: boolean) =>
    present ? [field.forbidden(`spec.${name}`, 'may not be set for ExternalName services')] : [];
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  return [
    ...forbidden('clusterIPs', (spec.clusterIPs ?? []).length > 0),
    ...forbidden('ipFamilies', (spec.ipFamilies ?? []).length > 0),
    ...forbidden('ipFamilyPolicy', isSet(spec.ipFamilyPolicy)),
    ...(name === ''
      ? [field.required('spec.externalName')]
      : messages('spec.externalName', name, isDNS1123Subdomain(name))),
  ];
}

function portErrors(spec: ServiceSpec): FieldError[] {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  return field.collectEach(ports, (port, i) => {
    const path = `spec.ports[${i}]`;
    const name = port.name ?? '';
    const errors: FieldError[] = [];
    if (name === '') {
      if (ports.length > 1) errors.push(field.required(`${path}.name`));
    } else {
      errors.push(...messages(`${path}.name`, name, isDNS1123Label(name)));
      if (names.has(name)) errors.push(field.duplicate(`${path}.name`, name));
      names.add(name);
    }
    errors.push(...messages(`${path}.port`, port.port ?? 0, isValidPortNum(port.port ?? 0)));
    errors.push(...choice(`${path}.protocol`, port.protocol, protocols));
    const target = port.targetPort;
    const targetMessages = typeof target === 'string' ? isValidPortName(target) : isValidPortNum(target ?? 0);
    errors.push(...messages(`${path}.targetPort`, target ?? 0, targetMessages));
    if (isSet(port.appProtocol)) {
      errors.push(...messages(`${path}.appProtocol`, port.appProtocol, isQualifiedName(port.appProtocol ?? '')));
    }
    return errors;
  });
}

function affinityErrors(spec: ServiceSpec): FieldError[] {
  const errors = [
    ...field.collectEach(sortedEntries(spec.selector), ([name, value]) => [
      ...messages('spec.selector', name, isQualifiedName(name)),
      ...messages('spec.selector', value, isValidLabelValue(value)),
    ]),
    ...choice('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']),
  ];
  const path = 'spec.sessionAffinityConfig';
  if (spec.sessionAffinity === 'None' && isSet(spec.sessionAffinityConfig)) {
    errors.push(field.forbidden(path, 'must not be set when session affinity is None'));
  }
  if (spec.sessionAffinity !== 'ClientIP') return errors;
  const missing = 'when session affinity type is ClientIP';
  const config = spec.sessionAffinityConfig ?? {};
  const seconds = config.clientIP?.timeoutSeconds;
  if (!isSet(spec.sessionAffinityConfig)) errors.push(field.required(path, missing));
  else if (!isSet(config.clientIP)) errors.push(field.required(`${path}.clientIP`, missing));
  else if (!isSet(seconds)) errors.push(field.required(`${path}.clientIP.timeoutSeconds`, missing));
  else if ((seconds ?? 0) <= 0 || (seconds ?? 0) > 86400) {
    const detail = 'must be greater than 0 and less than 86400';
    errors.push(field.invalid(`${path}.clientIP.timeoutSeconds`, seconds ?? 0, detail));
  }
  return errors;
}

function externalIpErrors(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const stored = new Set(old?.externalIPs);
  return field.collectEach(spec.externalIPs ?? [], (ip, i) => {
    const path = `spec.externalIPs[${i}]`;
    const found = stored.has(ip) ? [] : messages(path, ip, legacyIpMessages(ip));
    return found.length > 0 ? found : endpointIpErrors(path, ip);
  });
}

const blankPort = (protocol: unknown, port: unknown) => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});

function nodePortErrors(spec: ServiceSpec): FieldError[] {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const ports = spec.ports ?? [];
  const clusterOnly =
    spec.type === 'ClusterIP'
      ? field.collectEach(ports, (port, i) =>
          (port.nodePort ?? 0) === 0
            ? []
            : [field.forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
        )
      : [];
  const repeatedNodePorts = field.collectEach(ports, (port, i) => {
    if ((port.nodePort ?? 0) === 0) return [];
    const identity = `${port.protocol ?? ''}/${port.nodePort ?? 0}`;
    const repeated = nodePorts.has(identity);
    nodePorts.add(identity);
    return repeated ? [field.duplicate(`spec.ports[${i}].nodePort`, port.nodePort ?? 0)] : [];
  });
  const repeatedPorts = field.collectEach(ports, (port, i) => {
    const identity = `${port.protocol ?? ''}/${port.port ?? 0}`;
    const repeated = numbers.has(identity);
    numbers.add(identity);
    return repeated ? [field.duplicate(`spec.ports[${i}]`, blankPort(port.protocol, port.port))] : [];
  });
  return [...clusterOnly, ...repeatedNodePorts, ...repeatedPorts];
}

const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

function loadBalancerSourceErrors(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const stored = new Set(old?.loadBalancerSourceRanges);
  const misplaced = ranges.length > 0 && spec.type !== 'LoadBalancer';
  return [
    ...(misplaced ? [field.forbidden('spec.LoadBalancerSourceRanges', onlyLoadBalancer)] : []),
    ...field.collectEach(ranges, (range, i) => {
      // Former annotation values may have surrounding whitespace.
      const cidr = range.trim();
      return stored.has(cidr) ? [] : messages(`spec.LoadBalancerSourceRanges[${i}]`, cidr, legacyCidrMessages(cidr));
    }),
  ];
}

function loadBalancerErrors(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.type === 'LoadBalancer') {
    if (!isSet(spec.allocateLoadBalancerNodePorts)) errors.push(field.required('allocateLoadBalancerNodePorts'));
  } else if (isSet(spec.allocateLoadBalancerNodePorts)) {
    errors.push(field.forbidden('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer));
  }
  return [...errors, ...loadBalancerClassErrors(spec)];
}

function loadBalancerClassErrors(spec: ServiceSpec): FieldError[] {
  const path = 'spec.loadBalancerClass';
  if (!isSet(spec.loadBalancerClass)) return [];
  if (spec.type !== 'LoadBalancer') return [field.forbidden(path, onlyLoadBalancer)];
  return messages(path, spec.loadBalancerClass, isQualifiedName(spec.loadBalancerClass ?? ''));
}

function trafficErrors(spec: ServiceSpec): FieldError[] {
  const external =
    spec.type === 'LoadBalancer' ||
    spec.type === 'NodePort' ||
    (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
  const errors: FieldError[] = [];
  const policies = ['Cluster', 'Local'];
  if (external) errors.push(...choice('spec.externalTrafficPolicy', spec.externalTrafficPolicy, policies));
  else if ((spec.externalTrafficPolicy ?? '') !== '') {
    const detail = 'may only be set for externally-accessible services';
    errors.push(field.invalid('spec.externalTrafficPolicy', spec.externalTrafficPolicy, detail));
  }
  const healthPort = spec.healthCheckNodePort ?? 0;
  if (spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local') {
    if (healthPort === 0) errors.push(field.required('spec.healthCheckNodePort'));
    else errors.push(...messages('spec.healthCheckNodePort', healthPort, isValidPortNum(healthPort)));
  } else if (healthPort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(field.invalid('spec.healthCheckNodePort', healthPort, detail));
  }
  const internal = spec.internalTrafficPolicy;
  if (isSet(internal)) {
    if (!policies.includes(internal ?? ''))
      errors.push(field.notSupported('spec.internalTrafficPolicy', internal, policies));
  } else if (spec.type !== 'ExternalName' && types.includes(spec.type ?? '')) {
    errors.push(field.required('spec.internalTrafficPolicy'));
  }
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  if (isSet(spec.trafficDistribution) && !distributions.includes(spec.trafficDistribution ?? '')) {
    errors.push(field.notSupported('spec.trafficDistribution', spec.trafficDistribution, distributions));
  }
  return errors;
}

function bodyErrors(service: Service, stored: Service | undefined): FieldError[] {
  const spec = service.spec ?? {};
  const old = stored === undefined ? undefined : (stored.spec ?? {});
  return [
    ...topologyAnnotationErrors(service),
    ...typeErrors(spec),
    ...portErrors(spec),
    ...affinityErrors(spec),
    ...clusterIpErrors(spec, old),
    ...externalIpErrors(spec, old),
    ...choice('spec.type', spec.type, types),
    ...nodePortErrors(spec),
    ...loadBalancerSourceErrors(spec, old),
    ...sourceRangeAnnotationErrors(service, stored),
    ...loadBalancerErrors(spec),
    ...trafficErrors(spec),
  ];
}

/** https://kubernetes.io/docs/concepts/services-networking/service/ */
export const validateService = (service: Service): FieldError[] => bodyErrors(service, undefined);

const onceSet = 'may not change once set';

function addressChangeErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const now = spec.clusterIPs ?? [];
  const before = old.clusterIPs ?? [];
  if (isHeadlessList(spec) && isHeadlessList(old)) return [];
  if (now.length === before.length) {
    return field.collectEach(now, (ip, i) =>
      ip === before[i] ? [] : [field.invalid(`spec.clusterIPs[${i}]`, now, onceSet)],
    );
  }
  if (now.length === 0) return [field.invalid('spec.clusterIPs[0]', now, 'primary clusterIP can not be unset')];
  if (before.length > 0 && now[0] !== before[0]) return [field.invalid('spec.clusterIPs[0]', now, onceSet)];
  return now.length < before.length && spec.ipFamilyPolicy !== 'SingleStack'
    ? [
        field.invalid(
          'spec.ipFamilyPolicy',
          spec.ipFamilyPolicy ?? null,
          "must be set to 'SingleStack' when releasing the secondary clusterIP",
        ),
      ]
    : [];
}

function familyChangeErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (isHeadlessList(spec) !== isHeadlessList(old) || isHeadlessList(spec)) return [];
  const now = spec.ipFamilies ?? [];
  const before = old.ipFamilies ?? [];
  if (now.length === before.length) {
    return semanticEqual(now, before) ? [] : [field.invalid('spec.ipFamilies[0]', now, onceSet)];
  }
  return before.length > 0 && now[0] !== before[0]
    ? [field.invalid('spec.ipFamilies[0]', spec.clusterIPs ?? null, onceSet)]
    : [];
}

export function validateServiceUpdate(service: Service, stored: Service): FieldError[] {
  const spec = service.spec ?? {};
  const old = stored.spec ?? {};
  const errors: FieldError[] = [];
  if (spec.type !== 'ExternalName' && old.type !== 'ExternalName') {
    errors.push(...addressChangeErrors(spec, old), ...familyChangeErrors(spec, old));
  }
  const bothLoadBalancers = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer';
  if (bothLoadBalancers && !semanticEqual(spec.loadBalancerClass, old.loadBalancerClass)) {
    errors.push(field.invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, onceSet));
  }
  // The errors of a class are reported twice: the checks of a new service include them too.
  errors.push(...loadBalancerClassErrors(spec));
  const bothLocal =
    bothLoadBalancers && spec.externalTrafficPolicy === 'Local' && old.externalTrafficPolicy === 'Local';
  if (bothLocal && (spec.healthCheckNodePort ?? 0) !== (old.healthCheckNodePort ?? 0)) {
    errors.push(field.forbidden('spec.healthCheckNodePort', 'field is immutable'));
  }
  return [...errors, ...bodyErrors(service, stored)];
}

const ingressOf = (service: Service): readonly LoadBalancerIngress[] => service.status?.loadBalancer?.ingress ?? [];

/** Checks the addresses of a load balancer; addresses that are already stored are accepted. */
export function validateServiceStatus(service: Service, old: Service): FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const ingress = ingressOf(service);
  const stored = new Set(ingressOf(old).map((entry) => entry.ip ?? ''));
  if (ingress.length > 0 && service.spec?.type !== 'LoadBalancer') {
    return [field.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return field.collectEach(ingress, (entry, i) => ingressEntryErrors(`${path}[${i}]`, entry, stored));
}

function ingressEntryErrors(path: string, entry: LoadBalancerIngress, stored: ReadonlySet<string>): FieldError[] {
  const ip = entry.ip ?? '';
  const hostname = entry.hostname ?? '';
  const errors = ip === '' || stored.has(ip) ? [] : messages(`${path}.ip`, ip, legacyIpMessages(ip));
  if (ip !== '' && !isSet(entry.ipMode))
    errors.push(field.required(`${path}.ipMode`, 'must be specified when `ip` is set'));
  if (ip === '' && isSet(entry.ipMode)) {
    errors.push(field.forbidden(`${path}.ipMode`, 'may not be specified when `ip` is not set'));
  }
  if (isSet(entry.ipMode) && entry.ipMode !== 'VIP' && entry.ipMode !== 'Proxy') {
    errors.push(field.notSupported(`${path}.ipMode`, entry.ipMode, ['Proxy', 'VIP']));
  }
  if (hostname === '') return errors;
  errors.push(...messages(`${path}.hostname`, hostname, isDNS1123Subdomain(hostname)));
  if (parseIpLoosely(hostname) !== undefined) {
    errors.push(field.invalid(`${path}.hostname`, hostname, 'must be a DNS name, not an IP address'));
  }
  return errors;
}
