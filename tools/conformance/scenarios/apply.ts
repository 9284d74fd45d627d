import type { Scenario } from '../scenario.ts';
import { apply, configMap, configMaps, get, patch, post, put } from './steps.ts';

const a = `${configMaps}/a`;
const deployments = '/apis/apps/v1/namespaces/{{ns}}/deployments';
const deployment = (spec: object, podSpec: object = { containers: [{ name: 'c', image: 'i' }] }) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: podSpec },
    ...spec,
  },
});
const d = `${deployments}/d`;
const services = '/api/v1/namespaces/{{ns}}/services';
const service = (...ports: object[]) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { ports },
});
const apiApply = (name: string, manager: string, podSpec: object, query: Record<string, string> = {}) =>
  apply(name, d, manager, deployment({}, podSpec), query);

export const applyScenarios: readonly Scenario[] = [
  {
    area: 'apply',
    name: 'owners of fields',
    steps: [
      apply('create', a, 'one', configMap('a', { x: '1', y: '1' })),
      apply('the same', a, 'one', configMap('a', { x: '1', y: '1' })),
      apply('share a field', a, 'two', configMap('a', { x: '1' })),
      apply('conflict', a, 'two', configMap('a', { x: '2', y: '2' })),
      apply('by force', a, 'two', configMap('a', { x: '2' }), { force: 'true' }),
      apply('give up a field', a, 'one', configMap('a', { z: '1' })),
      apply('give up all', a, 'two', configMap('a')),
      apply('conflict with an update', a, 'three', configMap('a', { z: '3' })),
      patch('patch by someone', a, { data: { p: '1' } }, { query: { fieldManager: 'someone' } }),
      apply('conflict with a patch', a, 'three', configMap('a', { p: '3' })),
      apply('agree with a patch', a, 'three', configMap('a', { p: '1' })),
      put('update by someone', a, configMap('a', { p: '2' }), { query: { fieldManager: 'someone' } }),
      apply('dry run', a, 'four', configMap('a', { dry: 'run' }), { dryRun: 'All' }),
      patch('forget the managers', a, { metadata: { managedFields: [{}] } }),
      apply('after forgetting', a, 'one', configMap('a', { p: '5' })),
      get('in the end', a),
    ],
  },
  {
    area: 'apply',
    name: 'what cannot be applied',
    steps: [
      apply('without a manager', a, '', configMap('a')),
      apply('with another name', a, 'one', configMap('b')),
      apply('without a kind', a, 'one', { metadata: { name: 'a' } }),
      apply('of another kind', a, 'one', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
      apply(
        'with managed fields',
        a,
        'one',
        configMap(
          'a',
          {},
          {
            managedFields: [
              { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
            ],
          },
        ),
      ),
      apply('an unknown field', a, 'one', { ...configMap('a'), colour: 'red' }),
      apply('a value of another type', a, 'one', { ...configMap('a'), data: { a: 1 } }),
      apply('with a version of what is not there', a, 'one', configMap('a', {}, { resourceVersion: '5' })),
      apply('with a uid of what is not there', a, 'one', configMap('a', {}, { uid: 'u' })),
      apply('as text that is no YAML', a, 'one', 'a: ['),
      apply('as YAML', a, 'one', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v # why\n'),
      apply('with an old version', a, 'one', configMap('a', { k: 'w' }, { resourceVersion: '1' })),
      apply('with bad force', a, 'one', configMap('a'), { force: 'perhaps' }),
      apply('something invalid', a, 'one', configMap('a', { 'a b': 'c' })),
      apply('in no namespace', '/api/v1/namespaces/none-{{run}}/configmaps/a', 'one', configMap('a')),
    ],
  },
  {
    area: 'apply',
    name: 'lists with keys',
    steps: [
      apply('create', d, 'one', deployment({ replicas: 1 })),
      apiApply('a container of another', 'two', { containers: [{ name: 'side', image: 's' }] }),
      apiApply('its environment', 'two', {
        containers: [
          {
            name: 'side',
            image: 's',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
        ],
      }),
      apiApply('another order', 'two', {
        containers: [
          {
            name: 'side',
            image: 's',
            env: [
              { name: 'B', value: '2' },
              { name: 'A', value: '1' },
            ],
          },
        ],
      }),
      apiApply('a repeated key', 'two', {
        containers: [
          { name: 'side', image: 's' },
          { name: 'side', image: 't' },
        ],
      }),
      apiApply('a missing key', 'two', { containers: [{ image: 's' }] }),
      apiApply('an image in conflict', 'three', { containers: [{ name: 'c', image: 'other' }] }),
      apiApply('ports', 'three', {
        containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] }],
      }),
      apiApply('volumes', 'three', { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', emptyDir: {} }] }),
      apiApply('without its container', 'two', { containers: [] }),
      apply(
        'the scale of another',
        `${d}/scale`,
        'scaler',
        { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 3 } },
        { force: 'true' },
      ),
      apply('replicas in conflict with the scale', d, 'one', deployment({ replicas: 1 })),
      apply('without replicas', d, 'one', deployment({})),
      apply('a null', d, 'one', deployment({ paused: null })),
      get('in the end', d),
    ],
  },
  {
    area: 'apply',
    name: 'sets, atomics and defaults',
    steps: [
      apply('create', `${services}/s`, 'one', service({ port: 80, name: 'a' })),
      apply('another port', `${services}/s`, 'two', service({ port: 81, name: 'b' })),
      apply('the same port', `${services}/s`, 'two', service({ port: 80, name: 'other' })),
      apply('with its protocol', `${services}/s`, 'two', service({ port: 80, protocol: 'TCP', name: 'a' })),
      apply('finalizers', a, 'one', configMap('a', {}, { finalizers: ['example.com/a'] })),
      apply('finalizers of another', a, 'two', configMap('a', {}, { finalizers: ['example.com/b'] })),
      apply('no finalizers', a, 'one', configMap('a')),
      apply(
        'owners',
        a,
        'three',
        configMap('a', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u-1' }] }),
      ),
      apply(
        'an owner more',
        a,
        'four',
        configMap('a', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'q', uid: 'u-2' }] }),
      ),
      apply('no finalizers of two', a, 'two', configMap('a')),
      apply('an ingress', '/apis/networking.k8s.io/v1/namespaces/{{ns}}/ingresses/i', 'one', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'i' },
        spec: { rules: [{ host: 'a.example.com' }] },
      }),
      apply('its rules in conflict', '/apis/networking.k8s.io/v1/namespaces/{{ns}}/ingresses/i', 'two', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'i' },
        spec: { rules: [{ host: 'b.example.com' }] },
      }),
      get('in the end', a),
    ],
  },
  {
    area: 'apply',
    name: 'from client-side to server-side',
    steps: [
      post(
        'create by kubectl',
        configMaps,
        configMap(
          'a',
          { k: 'v' },
          {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration':
                '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}',
            },
          },
        ),
        { query: { fieldManager: 'kubectl-client-side-apply' } },
      ),
      apply('apply by kubectl', a, 'kubectl', configMap('a', { k: 'w' })),
      apply('apply by another', a, 'other', configMap('a', { k: 'x' })),
      get('in the end', a),
    ],
  },
  {
    area: 'apply',
    name: 'versions of a kind',
    steps: [
      apply('create in v2', '/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers/h', 'one', {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        },
      }),
      apply('apply in v1', '/apis/autoscaling/v1/namespaces/{{ns}}/horizontalpodautoscalers/h', 'one', {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        spec: {
          maxReplicas: 4,
          targetCPUUtilizationPercentage: 60,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        },
      }),
      get('in v1', '/apis/autoscaling/v1/namespaces/{{ns}}/horizontalpodautoscalers/h'),
      get('in v2', '/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers/h'),
    ],
  },
];
