import { lookupTable } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
import { at, integer, isSet, type Plain, record, records, text } from '../fields.ts';
import { limited } from './cells.ts';

const unknown = '<unknown>';
const members: Readonly<Record<string, string>> = lookupTable({
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
});

const unset = '<nil>';

/** A quantity of the status; without a status of this metric nothing is known, in one that lacks it Go prints a nil pointer. */
const shown = (current: Plain | undefined, member: string): string =>
  current === undefined ? unknown : text(current[member]) || unset;

/** Averages of external and object metrics: nothing is known of what the status lacks. */
const shownAverage = (current: Plain | undefined): string => text(current?.averageValue) || unknown;

function resourceTarget(spec: Plain, current: Plain | undefined): string {
  const name = text(spec.name);
  const averageTarget = text(at(spec, 'target', 'averageValue'));
  if (averageTarget !== '') return `${name}: ${shown(current, 'averageValue')}/${averageTarget}`;
  const utilization = at(spec, 'target', 'averageUtilization');
  const used = current?.averageUtilization;
  const now = isSet(used) ? `${integer(used)}%` : unknown;
  return `${name}: ${now}/${isSet(utilization) ? `${integer(utilization)}%` : '<auto>'}`;
}

function valueTarget(spec: Plain, current: Plain | undefined): string {
  const average = text(at(spec, 'target', 'averageValue'));
  if (average !== '') return `${shownAverage(current)}/${average} (avg)`;
  return `${shown(current, 'value')}/${text(at(spec, 'target', 'value'))}`;
}

function metricText(metric: Plain, status: Plain): string {
  const member = members[text(metric.type)];
  if (member === undefined) return '<unknown type>';
  const spec = record(metric[member]);
  const current = isSet(status[member]) ? record(at(status, member, 'current')) : undefined;
  if (member === 'pods') return `${shown(current, 'averageValue')}/${text(at(spec, 'target', 'averageValue'))}`;
  return member === 'external' || member === 'object' ? valueTarget(spec, current) : resourceTarget(spec, current);
}

/** Current and wanted value of each metric (autoscaling/v2 form), at most two of them. */
export function hpaTargets(hpa: KubeObject): string {
  const metrics = records(at(hpa.spec, 'metrics'));
  if (metrics.length === 0) return '<none>';
  const statuses = records(at(hpa.status, 'currentMetrics'));
  return limited(
    metrics.map((metric, i) => metricText(metric, statuses[i] ?? {})),
    2,
    ', ',
  );
}
