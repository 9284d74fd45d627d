import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@apichain/api/autoscaling/v2';
import { limited } from './cells.ts';

const unknown = '<unknown>';
const unset = '<nil>';

/** A quantity of the status: `<unknown>` without a status of this metric, `<nil>` (as Go prints a nil pointer) when the status lacks the quantity. */
const shown = (current: MetricValueStatus | undefined, member: 'averageValue' | 'value'): string =>
  current === undefined ? unknown : current[member] || unset;

/** Averages of external and object metrics: `<unknown>` when the status lacks them. */
const shownAverage = (current: MetricValueStatus | undefined): string => current?.averageValue || unknown;

function resourceTarget(name: string, target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue) return `${name}: ${shown(current, 'averageValue')}/${target.averageValue}`;
  const percent = (value: number | undefined, otherwise: string): string =>
    value === undefined ? otherwise : `${value}%`;
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`;
}

function valueTarget(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue) return `${shownAverage(current)}/${target.averageValue} (avg)`;
  return `${shown(current, 'value')}/${target.value ?? ''}`;
}

/** The current value of a metric; undefined when its status has no source of that type. */
const valueOf = (status: { current?: MetricValueStatus } | undefined): MetricValueStatus | undefined =>
  status === undefined ? undefined : (status.current ?? {});

function metricText(metric: MetricSpec, status: MetricStatus): string {
  const target = (source: { target?: MetricTarget } | undefined): MetricTarget => source?.target ?? {};
  switch (metric.type) {
    case 'External':
      return valueTarget(target(metric.external), valueOf(status.external));
    case 'Object':
      return valueTarget(target(metric.object), valueOf(status.object));
    case 'Pods':
      return `${shown(valueOf(status.pods), 'averageValue')}/${target(metric.pods).averageValue ?? ''}`;
    case 'Resource': {
      const { resource } = metric;
      return resourceTarget(resource?.name ?? '', target(resource), valueOf(status.resource));
    }
    case 'ContainerResource': {
      const { containerResource } = metric;
      return resourceTarget(
        containerResource?.name ?? '',
        target(containerResource),
        valueOf(status.containerResource),
      );
    }
    default:
      return '<unknown type>';
  }
}

/** Current and target value of each metric (autoscaling/v2), at most two of them. */
export function hpaTargets(hpa: HorizontalPodAutoscaler): string {
  const metrics = hpa.spec?.metrics ?? [];
  if (metrics.length === 0) return '<none>';
  const statuses = hpa.status?.currentMetrics ?? [];
  return limited(
    metrics.map((metric, i) => metricText(metric, statuses[i] ?? {})),
    2,
    ', ',
  );
}
