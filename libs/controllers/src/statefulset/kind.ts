import type { StatefulSet } from '@apichain/api/apps/v1';
import type { Pod } from '@apichain/api/core/v1';
import type { ControllerKind } from '../workloads/controller-reference.ts';
import { pods, statefulSets } from '../workloads/resources.ts';

/** The kind of the owners of pods and revisions. */
export const statefulSetKind: ControllerKind<StatefulSet> = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  resource: statefulSets,
};

/** Pods own their claims when these are to go with them. */
export const podKind: ControllerKind<Pod> = { apiVersion: 'v1', kind: 'Pod', resource: pods };
