import type {
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@apichain/api/autoscaling/v2';
import { Quantity, errorMessage, labelSelectorFromObject, parseQuantity, printLabelSelector } from '@apichain/meta';
import type { MetricsClient } from './metrics-client.ts';
import {
  type Calculation,
  type Proposal,
  type Tolerances,
  replicasForAverage,
  replicasForUsage,
  replicasForUtilization,
  replicasForValue,
} from './replica-count.ts';
import { milli, requestsOf } from './requests.ts';

/** What a metric is measured for. */
export interface MetricContext extends Calculation {
  readonly metrics: MetricsClient;
  readonly namespace: string;
  /** The selector of the pods, as text. */
  readonly selector: string;
  /** The pods that there are, by the status of the target. */
  readonly statusReplicas: number;
}

/** The replicas that a metric asks for, its name for events, and its status. */
export interface MetricProposal {
  readonly replicas: number;
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric that cannot be used: `reason` is that of the event and the condition, whose message ends with that of `cause`. */
export class MetricError extends Error {
  readonly reason: string;
  readonly detail: string;

  constructor(reason: string, detail: string, message: string) {
    super(message);
    this.reason = reason;
    this.detail = detail;
  }
}

/** How much the use may differ from the targets of an autoscaler, which may say nothing about it. */
export function tolerancesOf({ spec }: HorizontalPodAutoscaler, otherwise: number): Tolerances {
  const share = (quantity: string | undefined) =>
    quantity === undefined ? otherwise : parseQuantity(quantity).asApproximateFloat();
  return { up: share(spec?.behavior?.scaleUp?.tolerance), down: share(spec?.behavior?.scaleDown?.tolerance) };
}

/** The replicas that a metric of an autoscaler asks for. Throws MetricError. */
export async function replicasForMetric(context: MetricContext, spec: MetricSpec): Promise<MetricProposal> {
  const { type = '', resource, containerResource, pods, object, external } = spec;
  switch (type) {
    case 'Resource': {
      const { name = '', target = {} } = resource ?? {};
      const failed = because('FailedGetResourceMetric', `failed to get ${name} resource metric value`);
      const { proposal, current } = await failed(forResource(context, name, '', target));
      const utilization = `${name} resource utilization (percentage of request)`;
      const text = target.averageValue === undefined ? utilization : `${name} resource`;
      return { ...proposal, name: text, status: { type, resource: { name, current } } };
    }
    case 'ContainerResource': {
      const { name = '', container = '', target = {} } = containerResource ?? {};
      const failed = because('FailedGetContainerResourceMetric', `failed to get ${container} container metric value`);
      const { proposal, current } = await failed(forResource(context, name, container, target));
      const utilization = `${name} container resource utilization (percentage of request)`;
      const text = target.averageValue === undefined ? utilization : `${name} resource`;
      return { ...proposal, name: text, status: { type, containerResource: { name, container, current } } };
    }
    case 'Pods': {
      const { metric = {}, target = {} } = pods ?? {};
      const failed = because('FailedGetPodsMetric', 'failed to get pods metric value');
      const proposal = await failed(forPods(context, metric, target));
      const current = { averageValue: quantity(proposal.usage) };
      return { ...proposal, name: `pods metric ${metric.name}`, status: { type, pods: { metric, current } } };
    }
    case 'Object': {
      const { describedObject = {}, metric = {}, target = {} } = object ?? {};
      const failed = because('FailedGetObjectMetric', 'failed to get object metric value');
      const { proposal, current } = await failed(forObject(context, spec));
      const text = target.type === 'Value' ? `${describedObject.kind} metric ${metric.name}` : externalName(metric);
      return { ...proposal, name: text, status: { type, object: { metric, current, describedObject } } };
    }
    case 'External': {
      const { metric = {}, target = {} } = external ?? {};
      const isAverage = target.averageValue !== undefined;
      const what = `failed to get ${metric.name} external metric value`;
      const failed = because('FailedGetExternalMetric', what);
      const { proposal, current } = await failed(forExternal(context, metric, target, isAverage));
      return { ...proposal, name: externalName(metric), status: { type, external: { metric, current } } };
    }
    default: {
      const message = `unknown metric source type ${JSON.stringify(type)}`;
      throw new MetricError('InvalidMetricSourceType', message, message);
    }
  }
}

/** Turns failures of a metric into a MetricError. */
const because =
  (reason: string, what: string) =>
  async <T>(attempt: Promise<T>): Promise<T> => {
    try {
      return await attempt;
    } catch (error) {
      const detail = error instanceof UnreportedPrefixError ? error.detail : errorMessage(error);
      throw new MetricError(reason, detail, `${what}: ${errorMessage(error)}`);
    }
  };

/** An error whose events and conditions show `detail`, without the beginning of the message. */
class UnreportedPrefixError extends Error {
  readonly detail: string;

  constructor(prefix: string, detail: string) {
    super(`${prefix}: ${detail}`);
    this.detail = detail;
  }
}

async function prefixedForLog<T>(prefix: string, attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    throw new UnreportedPrefixError(prefix, errorMessage(error));
  }
}

async function prefixed<T>(text: string, attempt: Promise<T> | (() => T)): Promise<T> {
  try {
    return await (typeof attempt === 'function' ? attempt() : attempt);
  } catch (error) {
    throw new Error(`${text}: ${errorMessage(error)}`, { cause: error });
  }
}

interface Measured {
  readonly proposal: Proposal;
  readonly current: MetricValueStatus;
}

async function forResource(
  context: MetricContext,
  name: string,
  container: string,
  target: MetricTarget,
): Promise<Measured> {
  const { metrics, namespace, selector, pods } = context;
  const format = name === 'memory' ? 'BinarySI' : 'DecimalSI';
  const measure = () =>
    prefixed(`unable to get metrics for resource ${name}`, metrics.resource(namespace, selector, name, container));
  const { averageValue, averageUtilization } = target;
  if (averageValue !== undefined) {
    const calculate = async () => replicasForUsage(context, await measure(), milli(averageValue), name);
    const proposal = await prefixed(`failed to get ${name} usage`, calculate());
    return { proposal, current: { averageValue: quantity(proposal.usage, format) } };
  }
  if (averageUtilization === undefined)
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  const requests = () => requestsOf(pods, name, container);
  const calculate = async () => replicasForUtilization(context, await measure(), requests, averageUtilization, name);
  const proposal = await prefixed(`failed to get ${name} utilization`, calculate());
  const { utilization = 0, usage } = proposal;
  return { proposal, current: { averageUtilization: utilization, averageValue: quantity(usage, format) } };
}

async function forPods(context: MetricContext, metric: MetricIdentifier, target: MetricTarget): Promise<Proposal> {
  const { metrics, namespace, selector } = context;
  const { name = '' } = metric;
  const values = await prefixed(
    `unable to get metric ${name}`,
    metrics.pods(namespace, selector, name, selectorText(metric)),
  );
  return replicasForUsage(context, values, milli(target.averageValue ?? '0'), '');
}

async function forObject(context: MetricContext, { object }: MetricSpec): Promise<Measured> {
  const { metrics, namespace, statusReplicas, tolerances } = context;
  const { describedObject = {}, metric = {}, target = {} } = object ?? {};
  const { name = '' } = metric;
  const measure = async () => {
    try {
      return await metrics.object(namespace, describedObject, name, selectorText(metric));
    } catch (error) {
      const where = `${describedObject.kind} on ${namespace} ${describedObject.name}`;
      throw new Error(`unable to get metric ${name}: ${where}/${errorMessage(error)}`, { cause: error });
    }
  };
  if (target.type === 'Value' && target.value !== undefined) {
    const proposal = replicasForValue(context, await measure(), milli(target.value));
    return { proposal, current: { value: quantity(proposal.usage) } };
  }
  if (target.type === 'AverageValue' && target.averageValue !== undefined) {
    const usage = await prefixedForLog(`failed to get ${name} object metric`, measure());
    const proposal = replicasForAverage(statusReplicas, tolerances, usage, milli(target.averageValue));
    return { proposal, current: { averageValue: quantity(proposal.usage) } };
  }
  throw new Error('invalid object metric source: neither a value target nor an average value target was set');
}

async function forExternal(
  context: MetricContext,
  metric: MetricIdentifier,
  target: MetricTarget,
  isAverage: boolean,
): Promise<Measured> {
  const { metrics, namespace, statusReplicas, tolerances } = context;
  const { name = '' } = metric;
  const measure = async () => {
    const what = `unable to get external metric ${namespace}/${name}/${printedSelector(metric)}`;
    const values = await prefixed(what, metrics.external(namespace, name, selectorText(metric)));
    return values.reduce((sum, value) => sum + value, 0);
  };
  if (isAverage) {
    const usage = await prefixedForLog(`failed to get ${name} external metric`, measure());
    const proposal = replicasForAverage(statusReplicas, tolerances, usage, milli(target.averageValue ?? '0'));
    return { proposal, current: { averageValue: quantity(proposal.usage) } };
  }
  const { value } = target;
  if (value === undefined)
    throw new Error('invalid external metric source: neither a value target nor an average value target was set');
  const calculate = async () => replicasForValue(context, await measure(), milli(value));
  const proposal = await prefixedForLog(`failed to get external metric ${name}`, calculate());
  return { proposal, current: { value: quantity(proposal.usage) } };
}

const quantity = (milliValue: number, format: 'DecimalSI' | 'BinarySI' = 'DecimalSI'): string =>
  new Quantity(BigInt(milliValue), -3, format).toString();

/** Without a selector, all. */
const selectorText = ({ selector }: MetricIdentifier): string =>
  selector === undefined ? '' : labelSelectorFromObject(selector).toString();

const printedSelector = ({ selector }: MetricIdentifier): string =>
  selector === undefined ? 'nil' : printLabelSelector(selector);

const externalName = (metric: MetricIdentifier): string => `external metric ${metric.name}(${printedSelector(metric)})`;
