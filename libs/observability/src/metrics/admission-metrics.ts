import type { AdmissionObserver, AdmissionTiming, PolicyCheck, WebhookObserver } from '@apichain/admission';
import { Counter, Histogram, type LabelValues, type Registry } from 'prom-client';
import { PreparedHistogram, type HistogramSeries } from './prepared.ts';

const seconds = [0.005, 0.025, 0.1, 0.5, 1.0, 2.5];
const policySeconds = [0.0000005, 0.001, 0.01, 0.1, 1.0];

/** Durations and decisions of admission, policies and webhooks: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export function admissionMetrics(registry: Registry): AdmissionObserver {
  const timings = (name: string, help: string, labels: readonly string[]) =>
    prepareTimings(
      new PreparedHistogram({ name, help, labelNames: [...labels, 'rejected'], buckets: seconds, registry }),
    );
  const plugins = timings(
    'apiserver_admission_controller_admission_duration_seconds',
    'How long an admission plugin took, in seconds.',
    ['name', 'type', 'operation'],
  );
  const steps = timings(
    'apiserver_admission_step_admission_duration_seconds',
    'How long the admission plugins took together, in seconds.',
    ['type', 'operation'],
  );
  return {
    plugin: (name, type, operation) => plugins({ name, type, operation }),
    step: (type, operation) => steps({ type, operation }),
    policyCheck: policyChecks(registry),
    webhook: webhookMetrics(registry),
  };
}

/** Shares one timing per set of labels. Its series are prepared when the first value is recorded. */
function prepareTimings(histogram: PreparedHistogram<string>) {
  const known = new Map<string, AdmissionTiming>();
  return (labels: LabelValues<string>): AdmissionTiming => {
    const key = JSON.stringify(labels);
    let timing = known.get(key);
    if (timing === undefined) known.set(key, (timing = timingOf(histogram, labels)));
    return timing;
  };
}

function timingOf(histogram: PreparedHistogram<string>, labels: LabelValues<string>): AdmissionTiming {
  const prepare = (rejected: boolean) => histogram.prepare({ ...labels, rejected: String(rejected) });
  let passed: HistogramSeries | undefined;
  let refused: HistogramSeries | undefined;
  return (elapsed, rejected) => {
    if (rejected) (refused ??= prepare(true)).observe(elapsed);
    else (passed ??= prepare(false)).observe(elapsed);
  };
}

function policyChecks(registry: Registry): (check: PolicyCheck) => void {
  const registers = [registry];
  const labelNames = ['policy', 'policy_binding', 'error_type'] as const;
  const family = <Label extends string>(kind: string, names: readonly Label[]) => {
    const name = `apiserver_${kind}_admission_policy_check`;
    return {
      total: new Counter({
        name: `${name}_total`,
        help: `Decisions of ${kind} policies.`,
        labelNames: names,
        registers,
      }),
      duration: new Histogram({
        name: `${name}_duration_seconds`,
        help: `How long decisions of ${kind} policies took, in seconds.`,
        labelNames: names,
        buckets: policySeconds,
        registers,
      }),
    };
  };
  const validating = family('validating', [...labelNames, 'enforcement_action']);
  const mutating = family('mutating', labelNames);
  return (check) => {
    const labels = { policy: check.policy, policy_binding: check.binding, error_type: check.errorType };
    if (check.mutating) {
      mutating.total.inc(labels);
      mutating.duration.observe(labels, check.seconds);
      return;
    }
    const withAction = { ...labels, enforcement_action: check.action };
    validating.total.inc(withAction);
    validating.duration.observe(withAction, check.seconds);
  };
}

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
