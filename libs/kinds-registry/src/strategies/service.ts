import type { KubeObject } from '@apichain/meta';
import { at, isSet, list, type Plain, record, records, text, texts } from '@apichain/kinds';
import { clearUnneededFields } from '../services/type-change.ts';
import type { KindBehaviour } from './behaviour.ts';
import { cidrWarnings, ipWarnings } from './ip-warnings.ts';

function headlessWarnings(out: string[], spec: Plain): void {
  if (text(spec.loadBalancerIP) !== '') out.push('spec.loadBalancerIP is ignored for headless services');
  if (list(spec.externalIPs).length > 0) out.push('spec.externalIPs is ignored for headless services');
  if (isSet(spec.sessionAffinity) && spec.sessionAffinity !== 'None') {
    out.push('spec.SessionAffinity is ignored for headless services');
  }
}

function loadBalancerWarnings(out: string[], spec: Plain): void {
  const loadBalancerIp = text(spec.loadBalancerIP);
  if (loadBalancerIp !== '') out.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIp));
  for (const [i, cidr] of texts(spec.loadBalancerSourceRanges).entries()) {
    out.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, cidr));
  }
}

/** After k8s.io/kubernetes/pkg/api/service/warnings.go, in its order. */
function warnings(service: KubeObject): string[] {
  const out: string[] = [];
  const spec = record(service.spec);
  const isExternalName = spec.type === 'ExternalName';
  const isHeadless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  const hasExternalIps = list(spec.externalIPs).length > 0;
  if (service.metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined) {
    out.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    );
  }
  for (const [i, ip] of texts(spec.clusterIPs).entries()) {
    if (ip !== 'None') out.push(...ipWarnings(`spec.clusterIPs[${i}]`, ip));
  }
  if (isHeadless) headlessWarnings(out, spec);
  for (const [i, ip] of texts(spec.externalIPs).entries()) out.push(...ipWarnings(`spec.externalIPs[${i}]`, ip));
  if (hasExternalIps && !isHeadless && !isExternalName) {
    out.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  loadBalancerWarnings(out, spec);
  if (isExternalName && hasExternalIps) out.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternalName && text(spec.externalName) !== '') {
    out.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    out.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return out;
}

/** Only load balancers have a load balancer's status. */
function dropLoadBalancerStatus(service: KubeObject): void {
  if (at(service.spec, 'type') !== 'LoadBalancer' && isSet(at(service.status, 'loadBalancer', 'ingress'))) {
    service.status = { ...record(service.status), loadBalancer: {} };
  }
}

export const ingressStatusWarnings = (object: KubeObject): string[] =>
  records(at(object.status, 'loadBalancer', 'ingress')).flatMap((entry, i) =>
    text(entry.ip) === '' ? [] : ipWarnings(`status.loadBalancer.ingress[${i}]`, text(entry.ip)),
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
      warnings: ingressStatusWarnings,
    },
  },
};
