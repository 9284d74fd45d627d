import type { KubeObject } from '@apichain/meta';
import { at, isSet, list, type Plain, record, records, text, texts } from '../fields.ts';
import { clearUnneededFields } from '../services/type-change.ts';
import { validateServiceStatus } from '../validation/service.ts';
import type { KindBehaviour } from './behaviour.ts';
import { cidrWarnings, ipWarnings } from './ip-warnings.ts';

function headlessWarnings(spec: Plain): string[] {
  return [
    ...(text(spec.loadBalancerIP) === '' ? [] : ['spec.loadBalancerIP is ignored for headless services']),
    ...(list(spec.externalIPs).length === 0 ? [] : ['spec.externalIPs is ignored for headless services']),
    ...(spec.sessionAffinity === undefined || spec.sessionAffinity === 'None'
      ? []
      : ['spec.SessionAffinity is ignored for headless services']),
  ];
}

function typeWarnings(spec: Plain): string[] {
  const hasExternalIps = list(spec.externalIPs).length > 0;
  if (spec.type === 'ExternalName') {
    return hasExternalIps ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
  }
  const externalName =
    text(spec.externalName) === '' ? [] : ['spec.externalName is ignored when spec.type is not "ExternalName"'];
  if (spec.clusterIP === 'None') return [...headlessWarnings(spec), ...externalName];
  return [
    ...(hasExternalIps ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'] : []),
    ...externalName,
  ];
}

function addressWarnings(spec: Plain): string[] {
  const loadBalancerIp = text(spec.loadBalancerIP);
  return [
    ...texts(spec.clusterIPs).flatMap((ip, i) => (ip === 'None' ? [] : ipWarnings(`spec.clusterIPs[${i}]`, ip))),
    ...texts(spec.externalIPs).flatMap((ip, i) => ipWarnings(`spec.externalIPs[${i}]`, ip)),
    ...(loadBalancerIp === '' ? [] : ipWarnings('spec.loadBalancerIP', loadBalancerIp)),
    ...texts(spec.loadBalancerSourceRanges).flatMap((cidr, i) =>
      cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, cidr),
    ),
  ];
}

function warnings(service: KubeObject): string[] {
  const spec = record(service.spec);
  const topologyHints = service.metadata.annotations?.['service.kubernetes.io/topology-aware-hints'];
  return [
    ...(topologyHints === undefined
      ? []
      : [
          'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
        ]),
    ...typeWarnings(spec),
    ...(spec.trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
    ...addressWarnings(spec),
  ];
}

/** Only load balancers have a load balancer's status. */
function dropLoadBalancerStatus(service: KubeObject): void {
  if (at(service.spec, 'type') !== 'LoadBalancer' && isSet(at(service.status, 'loadBalancer', 'ingress'))) {
    service.status = { ...record(service.status), loadBalancer: {} };
  }
}

export const ingressStatusWarnings = (object: KubeObject): string[] =>
  records(at(object.status, 'loadBalancer', 'ingress')).flatMap((entry, i) =>
    text(entry.ip) === '' ? [] : ipWarnings(`status.loadBalancer.ingress[${i}].ip`, text(entry.ip)),
  );

export const serviceBehaviour: KindBehaviour = {
  name: 'label',
  status: 'reset',
  initialStatus: () => ({ loadBalancer: {} }),
  returnDeletedObject: true,
  prepareForUpdate: (service, old) => {
    clearUnneededFields(record(service.spec), record(old.spec));
    dropLoadBalancerStatus(service);
  },
  warnings,
  subresources: {
    status: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec'],
      validateUpdate: (service) => validateServiceStatus(service),
    },
  },
};
