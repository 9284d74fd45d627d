import type { Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type { Node, Pod, PodSpec } from '@apichain/api/core/v1';

/** Objects as tests of decisions need them. */

/** A pod; with `ready` it has been ready since that time. */
export function podWith(
  name: string,
  more: {
    readonly phase?: string;
    readonly ready?: string;
    readonly node?: string;
    readonly created?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly restarts?: number;
    readonly isDeleted?: boolean;
    readonly spec?: PodSpec;
  } = {},
): Pod {
  const { phase = 'Running', ready, node, created, labels, annotations, restarts = 0, isDeleted } = more;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid of ${name}`,
      ...(created !== undefined && { creationTimestamp: created }),
      ...(isDeleted === true && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: { ...more.spec, ...(node !== undefined && { nodeName: node }) },
    status: {
      phase,
      containerStatuses: [{ name: 'a', restartCount: restarts }],
      ...(ready !== undefined && { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ready }] }),
    },
  };
}

export const nodeWith = (name: string, more: { labels?: Record<string, string>; spec?: Node['spec'] } = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...(more.labels && { labels: more.labels }) },
  ...(more.spec && { spec: more.spec }),
});

export const templateWith = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'a', image }] },
});

export const deploymentWith = (spec: NonNullable<Deployment['spec']>, more: Partial<Deployment> = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', uid: 'd', generation: 1 },
  spec: { template: templateWith('a:1'), strategy: { type: 'RollingUpdate' }, ...spec },
  ...more,
});

/** A ReplicaSet in the revision that is its name. */
export const replicaSetWith = (
  name: string,
  replicas: number,
  more: { status?: ReplicaSet['status']; annotations?: Record<string, string>; image?: string } = {},
): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    creationTimestamp: `2026-01-01T00:00:0${name.slice(-1)}Z`,
    annotations: { 'deployment.kubernetes.io/revision': name.slice(-1), ...more.annotations },
  },
  spec: { replicas, template: templateWith(more.image ?? name) },
  ...(more.status && { status: more.status }),
});

export const statefulSetWith = (
  spec: NonNullable<StatefulSet['spec']>,
  status?: StatefulSet['status'],
): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default', uid: 's', generation: 1 },
  spec: {
    replicas: 3,
    template: templateWith('a:1'),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
  ...(status && { status }),
});
