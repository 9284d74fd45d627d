import type { CrossVersionObjectReference } from '@apichain/api/autoscaling/v2';
import type { MetricValue, MetricValueList } from '@apichain/api/custom_metrics/v1beta2';
import type { ExternalMetricValueList } from '@apichain/api/external_metrics/v1beta1';
import type { PodMetrics as PodMetricsObject } from '@apichain/api/metrics/v1beta1';
import type { ResourceReference, RestClient } from '@apichain/client';
import { parseDuration } from '@apichain/go-text';
import { errorMessage, integer, parseGroupVersion } from '@apichain/meta';
import type { Discovery } from '../discovery.ts';
import { milliseconds } from '../timestamps.ts';
import type { KnownKinds } from './known-kinds.ts';
import type { PodMetric, PodMetrics } from './pod-metrics.ts';
import { milli } from './requests.ts';

const podMetricsOf: ResourceReference<PodMetricsObject> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'pods',
};
const customVersions = ['v1beta2', 'v1beta1'];
const defaultWindowMs = 60_000;

/** Reads the metrics APIs. Methods throw Error with the message that the events of an autoscaler show. Values are in thousandths. */
export class MetricsClient {
  readonly #client: RestClient;
  readonly #discovery: Discovery;
  readonly #kinds: KnownKinds;
  #customVersion: string | undefined;

  constructor(client: RestClient, discovery: Discovery, kinds: KnownKinds) {
    this.#client = client;
    this.#discovery = discovery;
    this.#kinds = kinds;
  }

  /** The use of a resource by the pods that a selector selects, or by one container of each. */
  async resource(namespace: string, labelSelector: string, resource: string, container: string): Promise<PodMetrics> {
    const { items } = await from('resource', this.#client.list({ ...podMetricsOf, namespace }, { labelSelector }));
    if (items.length === 0) throw new Error('no metrics returned from resource metrics API');
    return new Map(items.flatMap((item) => usageOf(item, resource, container)));
  }

  /** A metric of the pods that a selector selects. */
  async pods(
    namespace: string,
    labelSelector: string,
    metric: string,
    metricLabelSelector: string,
  ): Promise<PodMetrics> {
    const items = await this.#custom(`namespaces/${namespace}/pods/*/${metric}`, {
      labelSelector,
      metricLabelSelector,
    });
    if (items.length === 0) throw new Error('no metrics returned from custom metrics API');
    return new Map(items.map((item) => [item.describedObject?.name ?? '', customMetric(item)]));
  }

  /** A metric of another object in the namespace, or of the namespace itself. */
  async object(
    namespace: string,
    { apiVersion = '', kind = '', name = '' }: CrossVersionObjectReference,
    metric: string,
    metricLabelSelector: string,
  ): Promise<number> {
    const { group } = parseGroupVersion(apiVersion);
    const isNamespace = kind === 'Namespace' && group === '';
    const resource = isNamespace ? '' : await from('custom', this.#resourceOf(group, kind));
    const path = isNamespace
      ? `namespaces/${namespace}/metrics/${metric}`
      : `namespaces/${namespace}/${resource}/${name}/${metric}`;
    const [item] = await this.#custom(path, { metricLabelSelector });
    if (item === undefined) throw new Error('unable to fetch metrics from custom metrics API: no results');
    return milli(item.value ?? '0');
  }

  /** All values of an external metric. */
  async external(namespace: string, metric: string, labelSelector: string): Promise<number[]> {
    // The names of metrics are in the place of resources.
    const resource = { group: 'external.metrics.k8s.io', version: 'v1beta1', resource: metric, namespace };
    const list: unknown = await from('external', this.#client.list(resource, { labelSelector }));
    const items = (list as ExternalMetricValueList).items ?? [];
    if (items.length === 0) throw new Error('no metrics returned from external metrics API');
    return items.map(({ value = '0' }) => milli(value));
  }

  async #custom(path: string, query: Readonly<Record<string, string>>): Promise<MetricValue[]> {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
    const list = await from('custom', this.#readCustom(path, given));
    return list.items ?? [];
  }

  async #readCustom(path: string, query: Readonly<Record<string, string>>): Promise<MetricValueList> {
    this.#customVersion ??= await this.#readCustomVersion();
    const root = `/apis/custom.metrics.k8s.io/${this.#customVersion}`;
    try {
      return (await this.#client.request('GET', `${root}/${path}`, query)) as MetricValueList;
    } catch (error) {
      this.#customVersion = undefined;
      throw error;
    }
  }

  async #readCustomVersion(): Promise<string> {
    const { resources } = await this.#discovery.fresh();
    const isServed = (version: string) =>
      resources.some((resource) => resource.group === 'custom.metrics.k8s.io' && resource.version === version);
    const served = customVersions.find(isServed);
    if (served === undefined) throw new Error('no custom metrics API (custom.metrics.k8s.io) registered');
    return served;
  }

  async #resourceOf(group: string, kind: string): Promise<string> {
    const found = await this.#kinds.find(group, kind);
    if (found === undefined)
      throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
    return group === '' ? found.resource : `${found.resource}.${group}`;
  }
}

async function from<T>(api: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${errorMessage(error)}`, { cause: error });
  }
}

function usageOf(
  { metadata, timestamp, window, containers }: PodMetricsObject,
  resource: string,
  container: string,
): [[string, PodMetric]] | [] {
  const measured = (containers ?? []).filter(({ name }) => container === '' || name === container);
  const values = measured.map(({ usage }) => usage?.[resource]);
  // A sum without one of the containers says nothing.
  if (values.length === 0 || values.includes(undefined)) return [];
  const value = values.reduce((sum, quantity) => sum + milli(quantity ?? '0'), 0);
  const windowMs = window === undefined ? 0 : Number(parseDuration(window) / 1_000_000n);
  return [[metadata.name ?? '', { value, timestamp: milliseconds(timestamp) ?? 0, windowMs }]];
}

function customMetric({ value = '0', timestamp, windowSeconds }: MetricValue): PodMetric {
  const windowMs = windowSeconds === undefined ? defaultWindowMs : integer(windowSeconds) * 1_000;
  return { value: milli(value), timestamp: milliseconds(timestamp) ?? 0, windowMs };
}
