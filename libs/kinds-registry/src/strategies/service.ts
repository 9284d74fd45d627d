import { isSet } from '@apichain/meta';
import type { Service, ServiceSpec } from '@apichain/api/core/v1';
import type { Ingress } from '@apichain/api/networking/v1';
import { connections } from '../connect/storages.ts';
import { clearUnneededFields } from '../services/type-change.ts';
import type { KindBehaviour } from './behaviour.ts';
import { cidrWarnings, ipWarnings } from './ip-warnings.ts';
import type { StrategyHook } from './server-hooks.ts';
import { serviceAllocationHooks } from '../services/service-allocation.ts';

/** Allocates cluster IPs and node ports when services are written, from the stores of the server. */
const withServiceAllocation: StrategyHook = (strategy, { services }) => ({
  ...strategy,
  ...serviceAllocationHooks(services().allocators),
});

function headlessWarnings(out: string[], spec: ServiceSpec): void {
  if ((spec.loadBalancerIP ?? '') !== '') out.push('spec.loadBalancerIP is ignored for headless services');
  if ((spec.externalIPs ?? []).length > 0) out.push('spec.externalIPs is ignored for headless services');
  if (isSet(spec.sessionAffinity) && spec.sessionAffinity !== 'None') {
    out.push('spec.SessionAffinity is ignored for headless services');
  }
}

function loadBalancerWarnings(out: string[], spec: ServiceSpec): void {
  const loadBalancerIp = spec.loadBalancerIP ?? '';
  if (loadBalancerIp !== '') out.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIp));
  for (const [i, cidr] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    out.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, cidr));
  }
}

/** After k8s.io/kubernetes/pkg/api/service/warnings.go, in its order. */
function warnings(service: Service): string[] {
  const out: string[] = [];
  const spec = service.spec ?? {};
  const isExternalName = spec.type === 'ExternalName';
  const isHeadless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  const hasExternalIps = (spec.externalIPs ?? []).length > 0;
  if (service.metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined) {
    out.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    );
  }
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip !== 'None') out.push(...ipWarnings(`spec.clusterIPs[${i}]`, ip));
  }
  if (isHeadless) headlessWarnings(out, spec);
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) out.push(...ipWarnings(`spec.externalIPs[${i}]`, ip));
  if (hasExternalIps && !isHeadless && !isExternalName) {
    out.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  loadBalancerWarnings(out, spec);
  if (isExternalName && hasExternalIps) out.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternalName && (spec.externalName ?? '') !== '') {
    out.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    out.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return out;
}

/** Only services of type LoadBalancer keep a load balancer status. */
function dropLoadBalancerStatus(service: Service): void {
  if (service.spec?.type !== 'LoadBalancer' && isSet(service.status?.loadBalancer?.ingress)) {
    service.status = { ...(service.status ?? {}), loadBalancer: {} };
  }
}

export const ingressStatusWarnings = (object: Service | Ingress): string[] =>
  (object.status?.loadBalancer?.ingress ?? []).flatMap((entry, i) =>
    (entry.ip ?? '') === '' ? [] : ipWarnings(`status.loadBalancer.ingress[${i}]`, entry.ip ?? ''),
  );

export const serviceBehaviour: KindBehaviour<Service> = {
  name: 'label',
  status: 'reset',
  initialStatus: () => ({ loadBalancer: {} }),
  returnDeletedObject: true,
  prepareForUpdate: (service, old) => {
    clearUnneededFields(service.spec ?? {}, old.spec ?? {});
    dropLoadBalancerStatus(service);
  },
  warnings,
  server: { strategy: withServiceAllocation, storages: connections },
  subresources: {
    status: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec'],
      warnings: ingressStatusWarnings,
    },
  },
};
