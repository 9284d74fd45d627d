import type { MetricSpec, MetricStatus } from '@apichain/api/autoscaling/v2';
import type { Pod } from '@apichain/api/core/v1';
import { RestClient, type Transport } from '@apichain/client';
import assert from 'node:assert/strict';
import { Discovery } from '../discovery.ts';
import { parseSettings } from '../settings.ts';
import { KnownKinds } from './known-kinds.ts';
import { type MetricContext, MetricError, replicasForMetric } from './metric-replicas.ts';
import { MetricsClient } from './metrics-client.ts';

type Responses = Readonly<Record<string, unknown>>;

const resource = (kind: string, plural: string) => ({
  resource: plural,
  responseKind: { group: '', version: 'v1', kind },
  scope: 'Namespaced',
  verbs: ['get', 'list'],
});
const group = (name: string, version: string, resources: unknown[]) => ({
  metadata: { name },
  versions: [{ version, resources, freshness: 'Current' }],
});
const discovery = (items: unknown[]) => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items,
});

/** A client of a server that has these responses by path, and no others. */
function clientOf(responses: Responses): RestClient {
  async function* body(text: string) {
    yield Buffer.from(text);
  }
  const transport: Transport = {
    send: async ({ path }) => {
      const response = responses[decodeURIComponent(path)];
      const text = response === undefined ? '404 page not found\n' : JSON.stringify(response);
      const headers = { 'content-type': response === undefined ? 'text/plain' : 'application/json' };
      return {
        status: response === undefined ? 404 : 200,
        headers,
        body: Object.assign(body(text), { dump: async () => {} }),
      };
    },
    close: async () => {},
  };
  return new RestClient(transport);
}

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' } },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});
const contextOf = (responses: Responses): MetricContext => {
  const client = clientOf({
    '/api': discovery([group('', 'v1', [resource('Service', 'services')])]),
    '/apis': discovery([group('custom.metrics.k8s.io', 'v1beta2', [resource('MetricValueList', 'pods')])]),
    ...responses,
  });
  const known = new Discovery(client);
  return {
    metrics: new MetricsClient(client, known, new KnownKinds(known)),
    ...{ namespace: 'shop', selector: 'app=web', statusReplicas: 2, currentReplicas: 2 },
    settings: parseSettings(),
    ...{ tolerances: { up: 0.1, down: 0.1 }, pods: [pod('a'), pod('b')], now: Date.parse('2026-01-01T12:00:00Z') },
  };
};
const value = (name: string, quantity: string) => ({ describedObject: { kind: 'Pod', name }, value: quantity });
const average = (averageValue: string) => ({ type: 'AverageValue', averageValue });

describe('replicasForMetric', () => {
  const custom = '/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop';
  const external = '/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue?labelSelector=topic=a';
  const service = { apiVersion: 'v1', kind: 'Service', name: 'web' };
  const queue = { name: 'queue', selector: { matchLabels: { topic: 'a' } } };
  const rows: readonly [
    what: string,
    responses: Responses,
    spec: MetricSpec,
    replicas: number,
    name: string,
    status: MetricStatus,
  ][] = [
    [
      'a metric of pods',
      { [`${custom}/pods/*/requests?labelSelector=app=web`]: { items: [value('a', '30'), value('b', '10500m')] } },
      { type: 'Pods', pods: { metric: { name: 'requests' }, target: average('10') } },
      5,
      'pods metric requests',
      { type: 'Pods', pods: { metric: { name: 'requests' }, current: { averageValue: '20250m' } } },
    ],
    [
      'a value of an object',
      { [`${custom}/services/web/requests`]: { items: [value('web', '90')] } },
      {
        type: 'Object',
        object: { describedObject: service, metric: { name: 'requests' }, target: { type: 'Value', value: '30' } },
      },
      6,
      'Service metric requests',
      { type: 'Object', object: { describedObject: service, metric: { name: 'requests' }, current: { value: '90' } } },
    ],
    [
      'an average of an object, the namespace',
      { [`${custom}/metrics/requests`]: { items: [value('shop', '90')] } },
      {
        type: 'Object',
        object: {
          describedObject: { apiVersion: 'v1', kind: 'Namespace', name: 'x' },
          metric: { name: 'requests' },
          target: average('30'),
        },
      },
      3,
      'external metric requests(nil)',
      {
        type: 'Object',
        object: {
          describedObject: { apiVersion: 'v1', kind: 'Namespace', name: 'x' },
          metric: { name: 'requests' },
          current: { averageValue: '45' },
        },
      },
    ],
    [
      'an external metric',
      { [external]: { kind: 'ExternalMetricValueList', metadata: {}, items: [{ value: '7' }, { value: '3' }] } },
      { type: 'External', external: { metric: queue, target: average('2') } },
      5,
      'external metric queue(&LabelSelector{MatchLabels:map[string]string{topic: a,},MatchExpressions:[]LabelSelectorRequirement{},})',
      { type: 'External', external: { metric: queue, current: { averageValue: '5' } } },
    ],
  ];
  for (const [what, responses, spec, replicas, name, status] of rows)
    it(`follows ${what}`, async () =>
      assert.deepEqual(
        (({ replicas: found, name: named, status: measured }) => ({ replicas: found, name: named, status: measured }))(
          await replicasForMetric(contextOf(responses), spec),
        ),
        { replicas, name, status },
      ));

  const failures: readonly [spec: MetricSpec, reason: string, detail: string, message: string][] = [
    [
      { type: 'Resource', resource: { name: 'memory', target: average('1Gi') } },
      'FailedGetResourceMetric',
      'failed to get memory usage: unable to get metrics for resource memory: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
      'failed to get memory resource metric value',
    ],
    [
      { type: 'External', external: { metric: { name: 'queue' }, target: average('2') } },
      'FailedGetExternalMetric',
      'unable to get external metric shop/queue/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
      'failed to get queue external metric value: failed to get queue external metric',
    ],
    [
      { type: 'Object', object: { describedObject: service, metric: { name: 'm' }, target: { type: 'Value' } } },
      'FailedGetObjectMetric',
      'invalid object metric source: neither a value target nor an average value target was set',
      'failed to get object metric value',
    ],
    [
      { type: 'Other' },
      'InvalidMetricSourceType',
      'unknown metric source type "Other"',
      'unknown metric source type "Other"',
    ],
  ];
  for (const [spec, reason, detail, beginning] of failures)
    it(`reports ${reason}`, async () => {
      const error: unknown = await replicasForMetric(contextOf({}), spec).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof MetricError);
      assert.deepEqual([error.reason, error.detail], [reason, detail]);
      assert.equal(error.message, beginning === detail ? detail : `${beginning}: ${detail}`);
    });
});
