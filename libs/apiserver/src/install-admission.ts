import type { AdmissionChain, DynamicAdmission } from '@apichain/admission';
import { admissionMetrics } from '@apichain/observability';
import type { GenericApiServer } from './server.ts';

/** Adds admission metrics to a server. The server is ready only when the admission configuration of users is loaded. */
export function installAdmission(
  server: GenericApiServer,
  chains: readonly AdmissionChain[],
  dynamic: DynamicAdmission,
): void {
  const observer = admissionMetrics(server.metrics);
  for (const chain of chains) chain.observe(observer);
  dynamic.observe(observer);
  server.addFollowed(dynamic);
  server.addPostStartHook('start-apiserver-admission-initializer', (context) => dynamic.start(context));
}
