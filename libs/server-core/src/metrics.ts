import type { PodSecurityCounter, PodSecurityCounts } from '@apichain/admission';
import type { ServiceAllocators } from '@apichain/kinds-registry';
import { installCounts } from '@apichain/observability';
import { Gauge, Histogram, type Registry } from 'prom-client';

const scopes = ['static', 'dynamic'] as const;
const prefix = 'kube_apiserver';

/**
 * The metrics `kube_apiserver_clusterip_allocator_*` and `kube_apiserver_nodeport_allocator_*`. Addresses that cannot be counted, because etcd is away,
 * keep their last numbers, and `onError` is told.
 */
export function installAllocatorMetrics(
  registry: Registry,
  { clusterIps, nodePorts }: ServiceAllocators,
  onError: (error: unknown) => void,
): void {
  installClusterIps(registry, clusterIps, onError);
  installNodePorts(registry, nodePorts);
}

function installClusterIps(
  registry: Registry,
  allocator: ServiceAllocators['clusterIps'],
  onError: (error: unknown) => void,
): void {
  const { counts } = allocator;
  const name = `${prefix}_clusterip_allocator`;
  const registers = [registry];
  // Both gauges, and scrapes at the same time, share one count of all addresses.
  let counting: ReturnType<typeof allocator.usage> | undefined;
  const count = () => (counting ??= allocator.usage().finally(() => (counting = undefined)));
  const gauge = (what: string, help: string, read: (size: number, allocated: number) => number) =>
    new Gauge({
      name: `${name}_${what}`,
      help,
      labelNames: ['cidr'],
      registers,
      async collect() {
        try {
          const usage = await count();
          this.reset();
          for (const [cidr, { size, allocated }] of usage) this.set({ cidr }, read(size, allocated));
        } catch (error) {
          onError(error);
        }
      },
    });
  gauge('allocated_ips', 'Allocated cluster IPs of each range.', (_size, allocated) => allocated);
  gauge('available_ips', 'Free cluster IPs of each range.', (size, allocated) => size - allocated);
  for (const [what, kind, help] of [
    ['allocation_total', 'made', 'Allocations of cluster IPs.'],
    ['allocation_errors_total', 'failed', 'Failed allocations of cluster IPs.'],
  ] as const)
    installCounts(registry, { name: `${name}_${what}`, help, labelNames: ['cidr', 'scope'] }, function* () {
      for (const [cidr, each] of counts.all())
        for (const scope of scopes) if (each[kind][scope] > 0) yield [{ cidr, scope }, each[kind][scope]];
    });
  const durations = new Histogram({
    name: `${name}_allocation_duration_seconds`,
    help: 'How long allocations of cluster IPs took, in seconds.',
    labelNames: ['cidr'],
    registers,
  });
  counts.onDuration = (cidr, seconds) => durations.observe({ cidr }, seconds);
}

function installNodePorts(registry: Registry, allocator: ServiceAllocators['nodePorts']): void {
  const { counts, range } = allocator;
  const name = `${prefix}_nodeport_allocator`;
  const gauge = (what: string, help: string, read: (allocated: number) => number) =>
    new Gauge({
      name: `${name}_${what}`,
      help,
      registers: [registry],
      collect() {
        this.set(allocator.allocated === undefined ? 0 : read(allocator.allocated));
      },
    });
  gauge('allocated_ports', 'Allocated node ports.', (allocated) => allocated);
  gauge('available_ports', 'Free node ports.', (allocated) => range.size - allocated);
  for (const [what, kind, help] of [
    ['allocation_total', 'made', 'Allocations of node ports.'],
    ['allocation_errors_total', 'failed', 'Failed allocations of node ports.'],
  ] as const)
    installCounts(registry, { name: `${name}_${what}`, help, labelNames: ['scope'] }, function* () {
      for (const scope of scopes) if (counts[kind][scope] > 0) yield [{ scope }, counts[kind][scope]];
    });
}

const ofRequest = ['request_operation', 'resource', 'subresource'];
const metrics: Readonly<Record<PodSecurityCounter, { readonly help: string; readonly labels: readonly string[] }>> = {
  evaluations: {
    help: 'Evaluations of pod security policies. Requests that are exempt are not counted.',
    labels: ['decision', 'policy_level', 'policy_version', 'mode'],
  },
  exemptions: { help: 'Requests that are exempt from pod security policies.', labels: [] },
  errors: {
    help: 'Evaluations of pod security policies that failed, or took the place of one that did.',
    labels: ['fatal'],
  },
};

/** The metrics `pod_security_*`: https://kubernetes.io/docs/concepts/security/pod-security-admission/#metrics */
export function installPodSecurityMetrics(registry: Registry, counts: PodSecurityCounts): void {
  for (const counter of ['evaluations', 'exemptions', 'errors'] as const) {
    const { help, labels } = metrics[counter];
    const name = `pod_security_${counter}_total`;
    installCounts(registry, { name, help, labelNames: [...labels, ...ofRequest] }, () => counts.of(counter));
  }
}
