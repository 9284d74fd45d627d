import type { Scenario } from '../scenario.ts';
import { rejected } from './admission-steps.ts';
import { get, patch, post } from './steps.ts';

/** The admission plugins of the server: limits, quotas, Pod Security, priority, runtime classes. */
export const admissionPluginScenarios: readonly Scenario[] = [
  {
    area: 'admission',
    name: 'limits and quotas',
    steps: [
      post('limits', '/api/v1/namespaces/{{ns}}/limitranges', {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'l' },
        spec: {
          limits: [
            {
              type: 'Container',
              max: { cpu: '2' },
              min: { memory: '16Mi' },
              default: { cpu: '1', memory: '64Mi' },
              defaultRequest: { cpu: '100m' },
            },
          ],
        },
      }),
      {
        ...post(
          'defaults',
          '/api/v1/namespaces/{{ns}}/pods',
          { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          { query: { dryRun: 'All' } },
        ),
        until: { path: 'spec.containers.0.resources.limits.cpu', equals: '1' },
      },
      post('too much', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'b' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '3', memory: '1Mi' } } }] },
      }),
      post('a quota', '/api/v1/namespaces/{{ns}}/resourcequotas', {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard: { secrets: '1', 'requests.cpu': '1' } },
      }),
      patch('its status', '/api/v1/namespaces/{{ns}}/resourcequotas/q/status', {
        status: { hard: { secrets: '1', 'requests.cpu': '1' }, used: { secrets: '0', 'requests.cpu': '0' } },
      }),
      {
        ...post('within the quota', '/api/v1/namespaces/{{ns}}/secrets', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'a' },
        }),
        until: { status: 201 },
      },
      {
        ...post('over the quota', '/api/v1/namespaces/{{ns}}/secrets', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'b' },
        }),
        until: rejected,
      },
      post('a pod within the quota', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'c' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }),
      post('a pod over the quota', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'd' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '950m' } } }] },
      }),
      get('what is used', '/api/v1/namespaces/{{ns}}/resourcequotas/q', {
        select: (body) => (body as { status?: unknown }).status,
      }),
    ],
  },
  {
    area: 'admission',
    name: 'pod security and priority',
    steps: [
      patch('enforce', '/api/v1/namespaces/{{ns}}', {
        metadata: {
          labels: { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/warn': 'restricted' },
        },
      }),
      {
        ...post(
          'privileged',
          '/api/v1/namespaces/{{ns}}/pods',
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'p' },
            spec: {
              hostNetwork: true,
              containers: [
                {
                  name: 'c',
                  image: 'i',
                  securityContext: { privileged: true },
                  ports: [{ containerPort: 80, hostPort: 80 }],
                },
              ],
            },
          },
          { query: { dryRun: 'All' } },
        ),
        until: rejected,
      },
      post('baseline', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'b' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }),
      post('a deployment of such', '/apis/apps/v1/namespaces/{{ns}}/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      }),
      patch('an unknown level', '/api/v1/namespaces/{{ns}}', {
        metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'none' } },
      }),
      post('an unknown priority', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'q' },
        spec: { priorityClassName: 'none', containers: [{ name: 'c', image: 'i' }] },
      }),
      post('a priority by number', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'q' },
        spec: { priority: 5, containers: [{ name: 'c', image: 'i' }] },
      }),
      post('an unknown runtime class', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'q' },
        spec: { runtimeClassName: 'none', containers: [{ name: 'c', image: 'i' }] },
      }),
    ],
  },
];
