import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type { Event, Node, PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import type { ResourceReference, RestClient } from '@apichain/client';
import { findCondition } from '@apichain/meta';
import { eventually as tryEventually, waitFor as waitForCondition } from '@apichain/testing';

/* What tests of the workload controllers share. */

export const namespace = 'default';
const core = { group: '', version: 'v1', namespace };
const apps = { group: 'apps', version: 'v1', namespace };
export const nodes: ResourceReference<Node> = { group: '', version: 'v1', resource: 'nodes' };
export const pods: ResourceReference<Pod> = { ...core, resource: 'pods' };
export const events: ResourceReference<Event> = { ...core, resource: 'events' };
export const claims: ResourceReference<PersistentVolumeClaim> = { ...core, resource: 'persistentvolumeclaims' };
export const replicaSets: ResourceReference<ReplicaSet> = { ...apps, resource: 'replicasets' };
export const deployments: ResourceReference<Deployment> = { ...apps, resource: 'deployments' };
export const statefulSets: ResourceReference<StatefulSet> = { ...apps, resource: 'statefulsets' };
export const daemonSets: ResourceReference<DaemonSet> = { ...apps, resource: 'daemonsets' };
export const revisions: ResourceReference<ControllerRevision> = { ...apps, resource: 'controllerrevisions' };

export const template = (image: string, app = 'web') => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'a', image }] },
});

/** The Deployment `web`. */
export const deployment = (spec: object = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('a:1'), ...spec },
});

export const imageOf = ({ spec }: Pod): string | undefined => spec?.containers?.[0]?.image;

/** The Deployment `web` once it fulfils a condition. */
export const deploymentThat = (client: RestClient, what: string, condition: (deployment: Deployment) => boolean) =>
  waitFor(
    async () => {
      const found = await client.get(deployments, 'web');
      return condition(found) && found;
    },
    { what },
  );

/** Whether all replicas have the current template and are available, and the Deployment says so. */
export const isRolledOut = ({ metadata, spec, status }: Deployment): boolean =>
  status?.observedGeneration === metadata.generation &&
  status?.updatedReplicas === spec?.replicas &&
  status?.replicas === spec?.replicas &&
  status?.availableReplicas === spec?.replicas &&
  findCondition(status?.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable';

/** A node without taints. */
export async function addNode(client: RestClient, name: string): Promise<void> {
  await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  // A new node is tainted until it is known to be ready.
  await client.patch(nodes, name, 'merge', { spec: { taints: null } });
}

/** How long a condition may take on the slowest machine, in milliseconds. */
const longestMs = 120_000;

/** `eventually` of the test library, which gives up after five seconds unless told otherwise. */
export const eventually: typeof tryEventually = (attempt, options) =>
  tryEventually(attempt, { timeoutMs: longestMs, ...options });

/** `waitFor` of the test library, which gives up after five seconds unless told otherwise. */
export const waitFor: typeof waitForCondition = (condition, options) =>
  waitForCondition(condition, { timeoutMs: longestMs, ...options });
