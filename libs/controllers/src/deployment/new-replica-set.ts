import type { Deployment, ReplicaSet } from '@apichain/api/apps/v1';
import type { OwnerReference } from '@apichain/meta';
import { currentAnnotations, maxRevision, sizeAnnotations } from './revision.ts';
import { nextSize } from './scaling.ts';
import { templateHash, templateHashLabel } from './template.ts';

const maxNameLength = 253;

/** The ReplicaSet for the current template of a Deployment, in the size of the first step. The name follows from the template. */
export function newReplicaSet(deployment: Deployment, old: readonly ReplicaSet[], owner: OwnerReference): ReplicaSet {
  const { template = {}, selector, minReadySeconds = 0 } = deployment.spec ?? {};
  const { name = '', namespace } = deployment.metadata;
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  const annotations = currentAnnotations(deployment, {}, maxRevision(old) + 1n);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name.slice(0, maxNameLength - hash.length - 1)}-${hash}`,
      ...(namespace !== undefined && { namespace }),
      labels,
      annotations: { ...annotations, ...sizeAnnotations(deployment) },
      ownerReferences: [owner],
    },
    spec: {
      replicas: nextSize(deployment, old, 0),
      ...(minReadySeconds > 0 && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
