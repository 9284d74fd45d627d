import { Counter, Histogram, type Registry } from 'prom-client';

/** The kind of a conversion failure, as named in metrics; '' = success. */
export type ConversionFailure =
  | ''
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

/** Called for every conversion by a webhook. */
export type ConversionObserver = (conversion: {
  readonly crd: string;
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly failure: ConversionFailure;
}) => void;

const requestBuckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
const crdBuckets = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

/** The metrics of conversion webhooks, named as k8s.io/apiextensions-apiserver names them. */
export function conversionMetrics(registry: Registry): ConversionObserver {
  const registers = [registry];
  const results = ['result', 'failure_type'] as const;
  const requests = new Counter({
    name: 'apiserver_conversion_webhook_request_total',
    help: 'Requests to conversion webhooks, by how they ended.',
    labelNames: results,
    registers,
  });
  const latencies = new Histogram({
    name: 'apiserver_conversion_webhook_duration_seconds',
    help: 'How long requests to conversion webhooks took, in seconds.',
    labelNames: results,
    buckets: requestBuckets,
    registers,
  });
  const byDefinition = new Histogram({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: 'How long conversions by webhooks took, in seconds.',
    labelNames: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    buckets: crdBuckets,
    registers,
  });
  return ({ crd, from, to, seconds, failure }) => {
    const labels = { result: failure === '' ? 'success' : 'failure', failure_type: failure };
    requests.inc(labels);
    latencies.observe(labels, seconds);
    const succeeded = String(failure === '');
    byDefinition.observe({ crd_name: crd, from_version: from, to_version: to, succeeded }, seconds);
  };
}
