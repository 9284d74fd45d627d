import type { AdmissionChain, DynamicAdmission } from '@apichain/admission';
import { admissionMetrics } from '@apichain/observability';
import type { GenericApiServer } from './server.ts';

/** Has a server measure its admission, and be ready only when what users configure of it is known. */
export function installAdmission(
  server: GenericApiServer,
  chains: readonly AdmissionChain[],
  dynamic: DynamicAdmission,
): void {
  const observer = admissionMetrics(server.metrics);
  for (const chain of chains) chain.observe(observer);
  dynamic.observe(observer);
  server.addPostStartHook('start-apiserver-admission-initializer', (context) => dynamic.start(context));
}
