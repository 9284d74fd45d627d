import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  isValidPortName,
  isValidPortNum,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import {
  integer,
  isSet,
  list,
  type Plain,
  record,
  records,
  sortedEntriesOf,
  text,
  textMap,
  texts,
} from '@apichain/kinds';
import { parseIpLoosely } from '@apichain/go-text';
import { semanticEqual } from '@apichain/meta';
import { legacyCidrMessages } from './cidr.ts';
import { endpointIpErrors } from './endpoint-ips.ts';
import { sourceRangeAnnotationErrors, topologyAnnotationErrors } from './service-annotations.ts';
import { clusterIpErrors, legacyIpMessages } from './service-cluster-ips.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const sortedEntries = (map: unknown): [string, string][] => sortedEntriesOf(textMap(map));

const isHeadlessList = (spec: Plain): boolean => {
  const ips = list(spec.clusterIPs);
  return ips.length === 1 && ips[0] === 'None';
};

/** Required when empty, NotSupported when not one of the choices. */
function choice(path: string, value: unknown, choices: readonly string[]): FieldError[] {
  if (text(value) === '') return [field.required(path)];
  return choices.includes(text(value)) ? [] : [field.notSupported(path, value, choices)];
}

const messages = (path: string, value: unknown, found: readonly string[]): FieldError[] =>
  found.map((message) => field.invalid(path, value, message));

function typeErrors(spec: Plain): FieldError[] {
  const headless = isHeadlessList(spec);
  const errors: FieldError[] = [];
  if (list(spec.ports).length === 0 && !headless && spec.type !== 'ExternalName')
    errors.push(field.required('spec.ports'));
  if (headless && (spec.type === 'LoadBalancer' || spec.type === 'NodePort')) {
    errors.push(field.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`));
  }
  if (spec.type === 'ExternalName') errors.push(...externalNameErrors(spec));
  return errors;
}

function externalNameErrors(spec: Plain): FieldError[] {
  const forbidden = (name: string, present: boolean) =>
    present ? [field.forbidden(`spec.${name}`, 'may not be set for ExternalName services')] : [];
  const name = text(spec.externalName).replace(/\.$/, '');
  return [
    ...forbidden('clusterIPs', list(spec.clusterIPs).length > 0),
    ...forbidden('ipFamilies', list(spec.ipFamilies).length > 0),
    ...forbidden('ipFamilyPolicy', isSet(spec.ipFamilyPolicy)),
    ...(name === ''
      ? [field.required('spec.externalName')]
      : messages('spec.externalName', name, isDNS1123Subdomain(name))),
  ];
}

function portErrors(spec: Plain): FieldError[] {
  const ports = records(spec.ports);
  const names = new Set<string>();
  return field.collectEach(ports, (port, i) => {
    const path = `spec.ports[${i}]`;
    const name = text(port.name);
    const errors: FieldError[] = [];
    if (name === '') {
      if (ports.length > 1) errors.push(field.required(`${path}.name`));
    } else {
      errors.push(...messages(`${path}.name`, name, isDNS1123Label(name)));
      if (names.has(name)) errors.push(field.duplicate(`${path}.name`, name));
      names.add(name);
    }
    errors.push(...messages(`${path}.port`, integer(port.port), isValidPortNum(integer(port.port))));
    errors.push(...choice(`${path}.protocol`, port.protocol, protocols));
    const target = port.targetPort;
    const targetMessages = typeof target === 'string' ? isValidPortName(target) : isValidPortNum(integer(target));
    errors.push(...messages(`${path}.targetPort`, target ?? 0, targetMessages));
    if (isSet(port.appProtocol)) {
      errors.push(...messages(`${path}.appProtocol`, port.appProtocol, isQualifiedName(text(port.appProtocol))));
    }
    return errors;
  });
}

function affinityErrors(spec: Plain): FieldError[] {
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
  const config = record(spec.sessionAffinityConfig);
  const seconds = record(config.clientIP).timeoutSeconds;
  if (!isSet(spec.sessionAffinityConfig)) errors.push(field.required(path, missing));
  else if (!isSet(config.clientIP)) errors.push(field.required(`${path}.clientIP`, missing));
  else if (!isSet(seconds)) errors.push(field.required(`${path}.clientIP.timeoutSeconds`, missing));
  else if (integer(seconds) <= 0 || integer(seconds) > 86400) {
    const detail = 'must be greater than 0 and less than 86400';
    errors.push(field.invalid(`${path}.clientIP.timeoutSeconds`, integer(seconds), detail));
  }
  return errors;
}

function externalIpErrors(spec: Plain, old: Plain | undefined): FieldError[] {
  const stored = new Set(texts(old?.externalIPs));
  return field.collectEach(texts(spec.externalIPs), (ip, i) => {
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

function nodePortErrors(spec: Plain): FieldError[] {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const ports = records(spec.ports);
  const clusterOnly =
    spec.type === 'ClusterIP'
      ? field.collectEach(ports, (port, i) =>
          integer(port.nodePort) === 0
            ? []
            : [field.forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
        )
      : [];
  const repeatedNodePorts = field.collectEach(ports, (port, i) => {
    if (integer(port.nodePort) === 0) return [];
    const identity = `${text(port.protocol)}/${integer(port.nodePort)}`;
    const repeated = nodePorts.has(identity);
    nodePorts.add(identity);
    return repeated ? [field.duplicate(`spec.ports[${i}].nodePort`, integer(port.nodePort))] : [];
  });
  const repeatedPorts = field.collectEach(ports, (port, i) => {
    const identity = `${text(port.protocol)}/${integer(port.port)}`;
    const repeated = numbers.has(identity);
    numbers.add(identity);
    return repeated ? [field.duplicate(`spec.ports[${i}]`, blankPort(port.protocol, port.port))] : [];
  });
  return [...clusterOnly, ...repeatedNodePorts, ...repeatedPorts];
}

const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

function loadBalancerSourceErrors(spec: Plain, old: Plain | undefined): FieldError[] {
  const ranges = texts(spec.loadBalancerSourceRanges);
  const stored = new Set(texts(old?.loadBalancerSourceRanges));
  const misplaced = ranges.length > 0 && spec.type !== 'LoadBalancer';
  return [
    ...(misplaced ? [field.forbidden('spec.LoadBalancerSourceRanges', onlyLoadBalancer)] : []),
    ...field.collectEach(ranges, (range, i) => {
      // What used to be an annotation may have blanks around it.
      const cidr = range.trim();
      return stored.has(cidr) ? [] : messages(`spec.LoadBalancerSourceRanges[${i}]`, cidr, legacyCidrMessages(cidr));
    }),
  ];
}

function loadBalancerErrors(spec: Plain): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.type === 'LoadBalancer') {
    if (!isSet(spec.allocateLoadBalancerNodePorts)) errors.push(field.required('allocateLoadBalancerNodePorts'));
  } else if (isSet(spec.allocateLoadBalancerNodePorts)) {
    errors.push(field.forbidden('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer));
  }
  return [...errors, ...loadBalancerClassErrors(spec)];
}

function loadBalancerClassErrors(spec: Plain): FieldError[] {
  const path = 'spec.loadBalancerClass';
  if (!isSet(spec.loadBalancerClass)) return [];
  if (spec.type !== 'LoadBalancer') return [field.forbidden(path, onlyLoadBalancer)];
  return messages(path, spec.loadBalancerClass, isQualifiedName(text(spec.loadBalancerClass)));
}

function trafficErrors(spec: Plain): FieldError[] {
  const external =
    spec.type === 'LoadBalancer' ||
    spec.type === 'NodePort' ||
    (spec.type === 'ClusterIP' && list(spec.externalIPs).length > 0);
  const errors: FieldError[] = [];
  const policies = ['Cluster', 'Local'];
  if (external) errors.push(...choice('spec.externalTrafficPolicy', spec.externalTrafficPolicy, policies));
  else if (text(spec.externalTrafficPolicy) !== '') {
    const detail = 'may only be set for externally-accessible services';
    errors.push(field.invalid('spec.externalTrafficPolicy', spec.externalTrafficPolicy, detail));
  }
  const healthPort = integer(spec.healthCheckNodePort);
  if (spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local') {
    if (healthPort === 0) errors.push(field.required('spec.healthCheckNodePort'));
    else errors.push(...messages('spec.healthCheckNodePort', healthPort, isValidPortNum(healthPort)));
  } else if (healthPort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(field.invalid('spec.healthCheckNodePort', healthPort, detail));
  }
  const internal = spec.internalTrafficPolicy;
  if (isSet(internal)) {
    if (!policies.includes(text(internal)))
      errors.push(field.notSupported('spec.internalTrafficPolicy', internal, policies));
  } else if (spec.type !== 'ExternalName' && types.includes(text(spec.type))) {
    errors.push(field.required('spec.internalTrafficPolicy'));
  }
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  if (isSet(spec.trafficDistribution) && !distributions.includes(text(spec.trafficDistribution))) {
    errors.push(field.notSupported('spec.trafficDistribution', spec.trafficDistribution, distributions));
  }
  return errors;
}

function bodyErrors(service: KubeObject, stored: KubeObject | undefined): FieldError[] {
  const spec = record(service.spec);
  const old = stored === undefined ? undefined : record(stored.spec);
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
export const validateService = (service: KubeObject): FieldError[] => bodyErrors(service, undefined);

const onceSet = 'may not change once set';

function addressChangeErrors(spec: Plain, old: Plain): FieldError[] {
  const now = texts(spec.clusterIPs);
  const before = texts(old.clusterIPs);
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

function familyChangeErrors(spec: Plain, old: Plain): FieldError[] {
  if (isHeadlessList(spec) !== isHeadlessList(old) || isHeadlessList(spec)) return [];
  const now = texts(spec.ipFamilies);
  const before = texts(old.ipFamilies);
  if (now.length === before.length) {
    return semanticEqual(now, before) ? [] : [field.invalid('spec.ipFamilies[0]', now, onceSet)];
  }
  return before.length > 0 && now[0] !== before[0]
    ? [field.invalid('spec.ipFamilies[0]', spec.clusterIPs ?? null, onceSet)]
    : [];
}

export function validateServiceUpdate(service: KubeObject, stored: KubeObject): FieldError[] {
  const spec = record(service.spec);
  const old = record(stored.spec);
  const errors: FieldError[] = [];
  if (spec.type !== 'ExternalName' && old.type !== 'ExternalName') {
    errors.push(...addressChangeErrors(spec, old), ...familyChangeErrors(spec, old));
  }
  const bothLoadBalancers = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer';
  if (bothLoadBalancers && !semanticEqual(spec.loadBalancerClass, old.loadBalancerClass)) {
    errors.push(field.invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, onceSet));
  }
  // Clients see what is wrong with a class twice: it is also among the checks of a new service.
  errors.push(...loadBalancerClassErrors(spec));
  const bothLocal =
    bothLoadBalancers && spec.externalTrafficPolicy === 'Local' && old.externalTrafficPolicy === 'Local';
  if (bothLocal && integer(spec.healthCheckNodePort) !== integer(old.healthCheckNodePort)) {
    errors.push(field.forbidden('spec.healthCheckNodePort', 'field is immutable'));
  }
  return [...errors, ...bodyErrors(service, stored)];
}

const ingressOf = (service: KubeObject): readonly Plain[] =>
  records(record(record(service.status).loadBalancer).ingress);

/** The addresses a load balancer reports; those it has reported before are accepted. */
export function validateServiceStatus(service: KubeObject, old: KubeObject): FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const ingress = ingressOf(service);
  const stored = new Set(ingressOf(old).map((entry) => text(entry.ip)));
  if (ingress.length > 0 && record(service.spec).type !== 'LoadBalancer') {
    return [field.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return field.collectEach(ingress, (entry, i) => ingressEntryErrors(`${path}[${i}]`, entry, stored));
}

function ingressEntryErrors(path: string, entry: Plain, stored: ReadonlySet<string>): FieldError[] {
  const ip = text(entry.ip);
  const hostname = text(entry.hostname);
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
