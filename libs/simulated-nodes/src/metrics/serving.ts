/** The Service that stands for the metrics of simulated nodes. */
export const metricsService = { namespace: 'kube-system', name: 'simulated-metrics' } as const;
/** The host name that the certificate of the server of metrics must be valid for. */
export const metricsHost = `${metricsService.name}.${metricsService.namespace}.svc`;

/** How metrics are served. Certificates and keys are PEM. */
export interface MetricsServing {
  /** Valid for `metricsHost`. */
  readonly certificate: string;
  readonly key: string;
  /** The CA of that certificate, for the aggregator. */
  readonly caBundle: string;
  /** The CA of the aggregator's client certificate, the front-proxy CA. Other clients are refused. */
  readonly clientCa: string;
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Default: any free port. */
  readonly port?: number;
}
