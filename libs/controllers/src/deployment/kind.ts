import type { Deployment } from '@apichain/api/apps/v1';
import type { ControllerKind } from '../workloads/controller-reference.ts';
import { deployments } from '../workloads/resources.ts';

/** The kind of the owners of ReplicaSets. */
export const deploymentKind: ControllerKind<Deployment> = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  resource: deployments,
};
