import { definitionOf, versionOf } from '../servers/definition.ts';
import type { Random } from './random.ts';

/** A resource to send requests to, with a valid object. */
export interface FuzzResource {
  /** The path of the group-version, e.g. `/api/v1` or `/apis/apps/v1`. */
  readonly root: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
  readonly object: (name: string) => Record<string, unknown>;
}

/** Only a few names, so that requests meet objects that other requests created. */
const names = ['a', 'b', 'c', 'd'] as const;
export const objectName = (random: Random): string => random.pick(names);

const pod = {
  containers: [
    {
      name: 'c',
      image: 'img:1',
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      env: [{ name: 'A', value: 'b' }],
      resources: { requests: { cpu: '100m', memory: '64Mi' } },
    },
  ],
  volumes: [{ name: 'v', emptyDir: {} }],
};
const template = { metadata: { labels: { app: 'x' } }, spec: pod };
const selector = { matchLabels: { app: 'x' } };
const objectOf =
  (apiVersion: string, kind: string, rest: Record<string, unknown>) =>
  (name: string): Record<string, unknown> => ({
    apiVersion,
    kind,
    metadata: {
      name,
      labels: { app: 'x' },
      annotations: { note: 'y' },
      finalizers: [],
      ownerReferences: [],
    },
    ...rest,
  });

/** The group and name of the custom resource that a run defines. */
const customGroup = 'fuzz.example.com';

const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const customResourceDefinition = definitionOf(customGroup, 'Thing', [
  versionOf(
    'v1',
    {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer', default: 1, minimum: 0 },
          list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          free: any,
        },
      },
      status: any,
    },
    { subresources: { status: {} } },
  ),
]);

const grouped = (
  groupVersion: string,
  resource: string,
  kind: string,
  rest: Record<string, unknown>,
  ...subresources: string[]
): FuzzResource => ({
  root: groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`,
  ...{ resource, namespaced: true, subresources },
  object: objectOf(groupVersion, kind, rest),
});
const core = (resource: string, kind: string, rest: Record<string, unknown>, ...subresources: string[]) =>
  grouped('v1', resource, kind, rest, ...subresources);

/**
 * The resources of a run. Subresources that connect to nodes (exec, log, proxy, ...) are left out, because their failures are not failures
 * of the server.
 */
export const resources: readonly FuzzResource[] = [
  core('configmaps', 'ConfigMap', { data: { a: 'b' }, binaryData: { c: 'AAEC' } }),
  core('secrets', 'Secret', { type: 'Opaque', data: { a: 'Yg==' }, stringData: { c: 'd' } }),
  core('pods', 'Pod', { spec: pod }, 'status', 'ephemeralcontainers', 'binding', 'eviction', 'resize'),
  core(
    'services',
    'Service',
    { spec: { selector: { app: 'x' }, ports: [{ port: 80, targetPort: 'http' }] } },
    'status',
  ),
  core('serviceaccounts', 'ServiceAccount', { secrets: [{ name: 's' }] }, 'token'),
  core('events', 'Event', { involvedObject: { kind: 'Pod', name: 'a' }, reason: 'R', message: 'm' }),
  core('limitranges', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } }),
  core('replicationcontrollers', 'ReplicationController', { spec: { template } }, 'status', 'scale'),
  grouped('apps/v1', 'deployments', 'Deployment', { spec: { replicas: 1, selector, template } }, 'status', 'scale'),
  grouped(
    'apps/v1',
    'statefulsets',
    'StatefulSet',
    { spec: { serviceName: 's', selector, template } },
    'status',
    'scale',
  ),
  grouped('batch/v1', 'jobs', 'Job', { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } }, 'status'),
  grouped('batch/v1', 'cronjobs', 'CronJob', { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } }),
  grouped('coordination.k8s.io/v1', 'leases', 'Lease', { spec: { holderIdentity: 'h', leaseDurationSeconds: 5 } }),
  grouped('rbac.authorization.k8s.io/v1', 'roles', 'Role', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  }),
  grouped('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', { spec: { podSelector: selector } }),
  grouped(`${customGroup}/v1`, 'things', 'Thing', { spec: { size: 2, list: ['a'], free: { x: 1 } } }, 'status'),
  {
    ...grouped('apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', {}, 'status'),
    namespaced: false,
    object: (name) => ({
      ...customResourceDefinition,
      metadata: { name: `${name}s.${customGroup}` },
      spec: { ...customResourceDefinition.spec, names: { plural: `${name}s`, kind: name.toUpperCase() } },
    }),
  },
];
