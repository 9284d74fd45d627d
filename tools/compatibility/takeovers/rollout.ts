import { setTimeout as sleep } from 'node:timers/promises';
import type { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type { Job } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import type { ResourceReference } from '@apichain/client';
import { findCondition } from '@apichain/meta';
import { countsOf } from '../../comparison/compare.ts';
import { repeat } from '../../servers/parallel.ts';
import { waitFor } from '../../servers/process.ts';
import type { Cluster } from '../controllers/cluster.ts';
import { runMsAnnotation } from '../controllers/kubelet.ts';
import { job, podSpec, type TypedObject, workload } from '../controllers/objects.ts';
import { PodHistory } from './pod-history.ts';

const namespace = 'moving';
const sizes = { web: 12, surge: 2, unavailable: 1, count: 40, index: 20, db: 12, queue: 200 } as const;
/** So many pods of the queue have a node when the scheduler is killed. */
const boundBeforeKill = 20;
const timeoutMs = 180_000;
const createdAtOnce = 8;

const inNamespace = { namespace, version: 'v1' };
const pods: ResourceReference<Pod> = { ...inNamespace, group: '', resource: 'pods' };
const deployments: ResourceReference<Deployment> = { ...inNamespace, group: 'apps', resource: 'deployments' };
const replicaSets: ResourceReference<ReplicaSet> = { ...inNamespace, group: 'apps', resource: 'replicasets' };
const statefulSets: ResourceReference<StatefulSet> = { ...inNamespace, group: 'apps', resource: 'statefulsets' };
const revisions: ResourceReference<ControllerRevision> = {
  ...{ ...inNamespace, group: 'apps', resource: 'controllerrevisions' },
};
const jobs: ResourceReference<Job> = { ...inNamespace, group: 'batch', resource: 'jobs' };

const small = { cpu: '1m' };
/** The containers of Jobs run for a second, with either kind of nodes. */
const secondLong = {
  [runMsAnnotation]: '1000',
  'simulate.apichain.dev/after': '1s',
  'simulate.apichain.dev/exit-code': '0',
};

/** Workloads that are all on their way when the controllers and the scheduler are killed, and what became of them. */
export class Rollout {
  readonly history: PodHistory;
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.history = new PodHistory(cluster.client, pods);
  }

  /** A Deployment that is rolled out, from which the rollout begins. */
  async prepare(): Promise<void> {
    await this.#cluster.createNamespace(namespace);
    await this.history.start();
    const rollingUpdate = { maxSurge: sizes.surge, maxUnavailable: sizes.unavailable };
    const strategy = { type: 'RollingUpdate', rollingUpdate };
    await this.#create(workload('Deployment', 'web', { replicas: sizes.web, minReadySeconds: 1, strategy }));
    await this.#isRolledOut('web');
    this.history.expectReady('web');
  }

  /** Begins everything. Resolves in the middle of it: nothing is complete. Throws Error if something is. */
  async begin(): Promise<void> {
    await this.#create(
      timed(job('count', { completions: sizes.count, parallelism: 5 })),
      timed(job('index', { completions: sizes.index, parallelism: 4, completionMode: 'Indexed' })),
      workload('StatefulSet', 'db', { replicas: sizes.db, serviceName: 'db', minReadySeconds: 2 }),
    );
    const image = {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'registry.example/main:2' }] } } },
    };
    await this.#cluster.client.patch(deployments, 'web', 'strategic', image);
    await this.#until('all are on their way', async () => {
      const { web, db, count, index } = await this.#objects();
      return (
        (web.status?.updatedReplicas ?? 0) >= 3 &&
        (db.status?.readyReplicas ?? 0) >= 2 &&
        (count.status?.succeeded ?? 0) >= 3 &&
        (index.status?.succeeded ?? 0) >= 2
      );
    });
    const { web, db, count, index } = await this.#objects();
    const complete = [
      ...(web.status?.updatedReplicas === sizes.web ? ['web'] : []),
      ...(db.status?.readyReplicas === sizes.db ? ['db'] : []),
      ...[count, index].filter((each) => each.status?.completionTime !== undefined).map((each) => each.metadata.name),
    ];
    if (complete.length > 0) throw new Error(`complete too early: ${complete.join(', ')}`);
  }

  /** Creates the pods of the queue. Resolves when some of them have a node; the others are created meanwhile and after. */
  async fillQueue(): Promise<{ readonly filled: Promise<void> }> {
    const spec = podSpec({}, small) as NonNullable<Pod['spec']>;
    const create = async (index: number): Promise<void> => {
      const metadata = { name: `queue-${index}`, labels: { app: 'queue' } };
      await this.#cluster.client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    };
    const filled = repeat(sizes.queue, create, createdAtOnce).then(() => undefined);
    await this.#until('some pods have a node', () => Promise.resolve(this.history.bound('queue') >= boundBeforeKill));
    return { filled };
  }

  /** Waits until everything is complete. */
  async finish(): Promise<void> {
    await this.#isRolledOut('web');
    await this.#until('the others are complete', async () => {
      const { db, count, index } = await this.#objects();
      return (
        db.status?.availableReplicas === sizes.db &&
        [count, index].every(({ status }) => findCondition(status?.conditions, 'Complete')?.status === 'True') &&
        this.history.bound('queue') === sizes.queue
      );
    });
    // Nothing must follow.
    await sleep(3_000);
  }

  /** What is wrong, a line each, and the end state as a text in which nothing depends on when the controllers were killed. */
  async judge(): Promise<{ readonly problems: readonly string[]; readonly text: string }> {
    const { web, db, count, index } = await this.#objects();
    const sets = (await this.#cluster.client.list(replicaSets)).items;
    const history = (await this.#cluster.client.list(revisions)).items;
    const left = (await this.#cluster.client.list(pods)).items;
    await this.history.stop();
    const { history: seen } = this;
    const created = {
      web: [seen.created('web'), 2 * sizes.web],
      count: [seen.created('count'), sizes.count],
      index: [seen.created('index'), sizes.index],
      db: [seen.created('db'), sizes.db],
      queue: [seen.created('queue'), sizes.queue],
    } as const;
    const withFinalizers = left.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
    const limits = { most: sizes.web + sizes.surge, least: sizes.web - sizes.unavailable };
    const problems = [
      ...Object.entries(created).flatMap(([app, [actual, expected]]) =>
        actual === expected ? [] : [`${app}: ${actual} pods were created, not ${expected}`],
      ),
      ...(seen.most('web') > limits.most ? [`web: ${seen.most('web')} pods at a time, more than ${limits.most}`] : []),
      ...(seen.leastReady('web') < limits.least
        ? [`web: ${seen.leastReady('web')} pods ready, fewer than ${limits.least}`]
        : []),
      ...(seen.most('count') > 5 ? [`count: ${seen.most('count')} pods at a time`] : []),
      ...seen.disordered('db'),
      ...withFinalizers.map(({ metadata }) => `${metadata.name}: ${metadata.finalizers?.join(', ')}`),
    ];
    const text = {
      web: { revision: web.metadata.annotations?.['deployment.kubernetes.io/revision'], status: settled(web.status) },
      sets: sets.map(({ metadata, spec, status }) => ({
        revision: metadata.annotations?.['deployment.kubernetes.io/revision'],
        replicas: [spec?.replicas, status?.replicas, status?.availableReplicas],
      })),
      db: settled(db.status),
      revisions: history.length,
      jobs: [count, index].map(({ status }) => settled(status)),
      pods: Object.fromEntries(countsOf(left.map(podState).toSorted())),
    };
    text.sets.sort((a, b) => String(a.revision).localeCompare(String(b.revision)));
    return { problems, text: JSON.stringify(text, undefined, 1) };
  }

  async #objects() {
    const { client } = this.#cluster;
    const [web, db, count, index] = await Promise.all([
      client.get(deployments, 'web'),
      client.get(statefulSets, 'db'),
      client.get(jobs, 'count'),
      client.get(jobs, 'index'),
    ]);
    return { web, db, count, index };
  }

  #create(...objects: readonly TypedObject[]): Promise<void> {
    return this.#cluster.apply(objects, namespace);
  }

  async #isRolledOut(name: string): Promise<void> {
    await this.#until(`${name} is rolled out`, async () => {
      const { metadata, status } = await this.#cluster.client.get(deployments, name);
      const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
      return status?.observedGeneration === metadata.generation && counts.every((each) => each === sizes.web);
    });
  }

  async #until(what: string, condition: () => Promise<boolean>): Promise<void> {
    await waitFor(condition, timeoutMs, () => what);
  }
}

/** A Job whose pods run for a second. */
function timed(object: TypedObject): TypedObject {
  const { spec } = object as TypedObject & { spec: { template: { metadata: object } } };
  const metadata = { ...spec.template.metadata, annotations: secondLong };
  return { ...object, spec: { ...spec, template: { ...spec.template, metadata } } } as TypedObject;
}

/** A status without times, generations, generated names, and the order of conditions. */
function settled(status: object | undefined): unknown {
  const text = JSON.stringify(status, (key, value: unknown) => {
    if (/Time$|^observedGeneration$/.test(key)) return undefined;
    if (key === 'conditions' && Array.isArray(value))
      return (value as readonly { readonly type: string }[]).toSorted((a, b) => a.type.localeCompare(b.type));
    return value;
  });
  return JSON.parse(text.replace(/\b(web|db)-[bcdfghjklmnpqrstvwxz2456789]{6,10}\b/g, '$1-HASH')) as unknown;
}

const podState = ({ metadata, status }: Pod): string => `${metadata.labels?.['app']} ${status?.phase}`;
