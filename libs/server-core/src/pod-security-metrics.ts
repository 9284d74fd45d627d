import type { PodSecurityCounter, PodSecurityCounts } from '@apichain/admission';
import { installCounts } from '@apichain/observability';
import type { Registry } from 'prom-client';

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
