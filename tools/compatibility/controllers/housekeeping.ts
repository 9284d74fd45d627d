import { errorMessage } from '@apichain/meta';
import type { Recording } from '../../comparison/recording.ts';
import { type Anything, type Cluster, conditionOf, nameOf } from './cluster.ts';
import { createCrowded, crowdedObjects, leftIn } from './crowded.ts';
import { factsOf, factsOfAll, normalise } from './facts.ts';
import { configMap, podSpec, type TypedObject, workload } from './objects.ts';

const at = (namespace: string, resource: string, group = '/api/v1') => `${group}/namespaces/${namespace}/${resource}`;
const deploymentsOf = (namespace: string) => at(namespace, 'deployments', '/apis/apps/v1');

const available = (count: number) => (object: Anything) => object.status?.['availableReplicas'] === count;

const secret = (name: string): TypedObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });

/** What keeps a cluster in order: disruption budgets and drains, quotas, garbage collection, deletion of namespaces, aggregated roles. */
export class Housekeeping {
  readonly #cluster: Cluster;
  readonly #record: Recording;

  constructor(cluster: Cluster, record: Recording) {
    this.#cluster = cluster;
    this.#record = record;
  }

  async run(): Promise<void> {
    for (const name of ['drained', 'bounded', 'owned']) await this.#cluster.createNamespace(name);
    await this.#drain();
    await this.#quota();
    await this.#garbage();
    await this.#roles();
    await this.#namespaceDeletion();
  }

  #create(namespace: string, ...objects: readonly TypedObject[]): Promise<void> {
    return this.#cluster.apply(objects, namespace);
  }

  async #drain(): Promise<void> {
    const namespace = 'drained';
    const spread = podSpec({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    });
    const budget = (minAvailable: number) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
    });
    const budgetPath = at(namespace, 'poddisruptionbudgets/web', '/apis/policy/v1');
    const allowed = (count: number) => (object: Anything) =>
      object.status?.['disruptionsAllowed'] === count && object.status['currentHealthy'] === 6;
    await this.#create(namespace, workload('Deployment', 'web', { replicas: 6 }, spread), budget(6));
    await this.#cluster.until(budgetPath, allowed(0));
    const [pod] = await this.#cluster.list(at(namespace, 'pods'));
    const name = pod === undefined ? '' : nameOf(pod);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
    const refused = await this.#cluster.client
      .request('POST', at(namespace, `pods/${name}/eviction`), undefined, eviction)
      .then(
        () => 'evicted',
        (error: unknown) => errorMessage(error),
      );
    this.#record.text('housekeeping: eviction against a budget', normalise(refused));
    await this.#create(namespace, budget(4));
    await this.#cluster.until(budgetPath, allowed(2));
    this.#record.text('housekeeping: PodDisruptionBudget', factsOf(await this.#cluster.get(budgetPath)));
    const drained = await this.#cluster.admin.run([
      'drain',
      'node-1',
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--timeout=90s',
    ]);
    const evicted = drained.split('\n').filter((line) => line.startsWith('evicting pod drained/')).length;
    this.#record.text('housekeeping: drain', `${drained.startsWith('exit') ? drained : 'done'}, ${evicted > 0}`);
    const left = await this.#cluster.list(at(namespace, 'pods?fieldSelector=spec.nodeName=node-1'));
    this.#record.text('housekeeping: pods left on a drained node', String(left.length));
    await this.#cluster.until(`${deploymentsOf(namespace)}/web`, available(6));
    await this.#cluster.admin.output(['uncordon', 'node-1']);
  }

  async #quota(): Promise<void> {
    const namespace = 'bounded';
    const hard = { pods: '2', secrets: '2', 'requests.cpu': '1' };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small' }, spec: { hard } };
    const path = at(namespace, 'resourcequotas/small');
    const used = (resource: string, amount: string) => (object: Anything) =>
      (object.status?.['used'] as { readonly [name: string]: string } | undefined)?.[resource] === amount;
    await this.#create(namespace, quota);
    await this.#cluster.until(path, used('pods', '0'));
    await this.#create(namespace, workload('Deployment', 'many', { replicas: 4 }));
    await this.#cluster.until(path, used('pods', '2'));
    const limited = await this.#cluster.until(
      `${deploymentsOf(namespace)}/many`,
      (object) => conditionOf(object, 'ReplicaFailure') === 'True' && available(2)(object),
    );
    this.#record.text('housekeeping: Deployment over its quota', normalise(JSON.stringify(limited.status)));
    await this.#create(namespace, secret('a'), secret('b'));
    const refused = await this.#cluster.admin.run(
      ['apply', '--server-side', '-f', '-', `--namespace=${namespace}`],
      JSON.stringify(secret('c')),
    );
    this.#record.text('housekeeping: Secret over the quota', refused);
    await this.#cluster.client.request('DELETE', at(namespace, 'secrets/a'));
    // The controller counts again, and then there is a place.
    await this.#cluster.until(path, used('secrets', '1'));
    await this.#create(namespace, secret('c'));
    await this.#cluster.until(path, used('secrets', '2'));
    this.#record.text('housekeeping: ResourceQuota', factsOf(await this.#cluster.get(path)));
  }

  async #garbage(): Promise<void> {
    const namespace = 'owned';
    for (const policy of ['Background', 'Foreground', 'Orphan']) {
      const owner = `owner-${policy.toLowerCase()}`;
      await this.#create(namespace, configMap(owner));
      const { metadata } = await this.#cluster.get(at(namespace, `configmaps/${owner}`));
      const ownerReferences = [
        { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: metadata.uid, blockOwnerDeletion: true },
      ];
      const dependents = [1, 2, 3].map((index) => configMap(`${owner}-${index}`, { ownerReferences }));
      await this.#create(namespace, ...dependents);
      await this.#cluster.client.request('DELETE', at(namespace, `configmaps/${owner}`), undefined, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: policy,
      });
      await this.#cluster.untilGone(at(namespace, `configmaps/${owner}`));
      const first = at(namespace, `configmaps/${owner}-1`);
      if (policy === 'Orphan') this.#record.text('housekeeping: orphan', factsOf(await this.#cluster.get(first)));
      else await this.#cluster.untilGone(first);
    }
    await this.#create(namespace, workload('Deployment', 'web', { replicas: 3 }));
    await this.#cluster.until(`${deploymentsOf(namespace)}/web`, available(3));
    await this.#cluster.admin.output([
      `--namespace=${namespace}`,
      'delete',
      'deployment',
      'web',
      '--cascade=foreground',
    ]);
    const left = await this.#cluster.list(at(namespace, 'replicasets', '/apis/apps/v1'));
    this.#record.text('housekeeping: ReplicaSets after a foreground deletion', factsOfAll(left));
    await this.#cluster.untilCount(at(namespace, 'pods'), 0, () => true);
  }

  async #roles(): Promise<void> {
    const role = (name: string, more: object) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name, labels: { 'rbac.example.com/aggregate': 'true' } },
      ...more,
    });
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { 'rbac.example.com/aggregate': 'true' } }] };
    await this.#cluster.apply([
      role('part', { rules }),
      { ...role('whole', { aggregationRule }), metadata: { name: 'whole' } },
    ]);
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/whole';
    const rulesOf = (object: Anything) => (object as { rules?: readonly unknown[] | null }).rules ?? [];
    await this.#cluster.until(path, (object) => rulesOf(object).length === 1);
    this.#record.text('housekeeping: aggregated ClusterRole', factsOf(await this.#cluster.get(path)));
  }

  async #namespaceDeletion(): Promise<void> {
    const namespace = 'crowded';
    await createCrowded(this.#cluster, namespace);
    const path = `/api/v1/namespaces/${namespace}`;
    await this.#cluster.client.request('DELETE', path);
    const ms = await this.#cluster.untilGone(path, 120_000);
    this.#record.figure(`namespace of ${crowdedObjects} objects: ms until it was gone`, ms);
    const left = await leftIn(this.#cluster, namespace);
    this.#record.text('housekeeping: objects left in the namespace', left.join(' '));
  }
}
