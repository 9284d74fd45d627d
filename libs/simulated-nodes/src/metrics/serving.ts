import type { TlsServing } from '../tls-server.ts';

/** The Service that stands for the metrics of simulated nodes. */
export const metricsService = { namespace: 'kube-system', name: 'simulated-metrics' } as const;
/** The host name that the certificate of the server of metrics must be valid for. */
export const metricsHost = `${metricsService.name}.${metricsService.namespace}.svc`;

/** How metrics are served: with a certificate that is valid for `metricsHost`, to the aggregator, whose certificate the front-proxy CA has issued. */
export interface MetricsServing extends TlsServing {
  /** The CA of the certificate, for the aggregator; PEM. */
  readonly caBundle: string;
}
