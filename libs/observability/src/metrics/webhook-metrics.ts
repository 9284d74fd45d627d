import type { WebhookObserver } from '@apichain/admission';
import { Counter, Histogram, type Registry } from 'prom-client';

const buckets = [0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10, 25];

/** Durations and rejections of admission webhooks: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export function webhookMetrics(registry: Registry): WebhookObserver {
  const registers = [registry];
  const prefix = 'apiserver_admission_webhook';
  const durations = new Histogram({
    name: `${prefix}_admission_duration_seconds`,
    help: 'How long admission webhooks took to respond, in seconds.',
    labelNames: ['name', 'type', 'operation', 'rejected'],
    buckets,
    registers,
  });
  const requests = new Counter({
    name: `${prefix}_request_total`,
    help: 'Requests to admission webhooks, by what came of them.',
    labelNames: ['name', 'type', 'operation', 'code', 'rejected'],
    registers,
  });
  const rejections = new Counter({
    name: `${prefix}_rejection_count`,
    help: 'Requests that admission webhooks refused, or that were refused because there was no response.',
    labelNames: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    registers,
  });
  const failOpen = new Counter({
    name: `${prefix}_fail_open_count`,
    help: 'Requests that were let through although a webhook gave no response.',
    labelNames: ['name', 'type'],
    registers,
  });
  return ({ name, mutating, operation, seconds, outcome, code, failOpen: ignored }) => {
    const type = mutating ? 'admit' : 'validating';
    const passes = outcome === 'allowed' || (outcome === 'error' && ignored);
    const rejected = String(!passes);
    durations.observe({ name, type, operation, rejected }, seconds);
    requests.inc({ name, type, operation, code: String(code), rejected });
    if (outcome === 'error' && ignored) failOpen.inc({ name, type });
    if (passes) return;
    const errorType = outcome === 'error' ? 'calling_webhook_error' : 'no_error';
    rejections.inc({ name, type, operation, error_type: errorType, rejection_code: String(code) });
  };
}
