import type { AdmissionObserver, AdmissionTiming, PolicyCheck } from '@apichain/admission';
import { Counter, Histogram, type LabelValues, type Registry } from 'prom-client';
import { PreparedHistogram, type HistogramSeries } from './prepared.ts';
import { webhookMetrics } from './webhook-metrics.ts';

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
