import type { Recording } from '../../comparison/recording.ts';
import { type Anything, type Cluster, conditionOf, nameOf } from './cluster.ts';
import { factsOf, factsOfAll } from './facts.ts';
import { job, jobSpec, podSpec, service, type TypedObject, workload } from './objects.ts';

const namespace = 'work';
const inNamespace = (group: string, resource: string) => `${group}/namespaces/${namespace}/${resource}`;
const apps = (resource: string) => inNamespace('/apis/apps/v1', resource);
const batch = (resource: string) => inNamespace('/apis/batch/v1', resource);
const core = (resource: string) => inNamespace('/api/v1', resource);

const number = (object: Anything, field: string): number => Number(object.status?.[field] ?? 0);
const isReady = (pod: Anything): boolean => conditionOf(pod, 'Ready') === 'True';

/** In how many steps a rollout goes depends on how fast pods start. */
const withoutGeneration = (object: Anything): Anything => ({
  ...object,
  metadata: { ...object.metadata, generation: 0 },
  status: { ...object.status, observedGeneration: 0 },
});

/** Objects of kube-controller-manager and kube-scheduler: workloads, volumes, Services and autoscalers. */
export class Workloads {
  readonly #cluster: Cluster;
  readonly #record: Recording;

  constructor(cluster: Cluster, record: Recording) {
    this.#cluster = cluster;
    this.#record = record;
  }

  async run(): Promise<void> {
    await this.#cluster.createNamespace(namespace);
    await this.#cluster.until(core('configmaps/kube-root-ca.crt'), () => true);
    // It starts a Job at the next full minute, while the others run.
    await this.#create({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'tick' },
      spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec('tick', {}) } },
    } as TypedObject);
    await this.#deployment();
    await this.#services();
    await this.#statefulSet();
    await this.#daemonSet();
    await this.#jobs();
    await this.#autoscaler();
    await this.#scheduling();
  }

  /** A Deployment after a restart of the API server. */
  async again(): Promise<void> {
    await this.#create(workload('Deployment', 'again', { replicas: 2 }));
    await this.#rolledOut('deployments/again', 2);
    await this.#create(job('again-once', {}));
    await this.#cluster.until(batch('jobs/again-once'), (object) => conditionOf(object, 'Complete') === 'True');
  }

  #create(...objects: readonly TypedObject[]): Promise<void> {
    return this.#cluster.apply(objects, namespace);
  }

  async #kubectl(...args: readonly string[]): Promise<void> {
    await this.#cluster.admin.output([`--namespace=${namespace}`, ...args]);
  }

  async #rolledOut(name: string, replicas: number): Promise<Anything> {
    return this.#cluster.until(
      apps(name),
      (object) =>
        number(object, 'observedGeneration') === object.metadata.generation &&
        ['replicas', 'updatedReplicas', 'availableReplicas'].every((field) => number(object, field) === replicas),
    );
  }

  async #noted(step: string, path: string): Promise<void> {
    this.#record.text(`workloads: ${step}`, factsOf(await this.#cluster.get(path)));
  }

  async #notedAll(step: string, path: string): Promise<void> {
    this.#record.text(`workloads: ${step}`, factsOfAll(await this.#cluster.list(path)));
  }

  async #deployment(): Promise<void> {
    await this.#create(workload('Deployment', 'web', { replicas: 3 }));
    await this.#rolledOut('deployments/web', 3);
    await this.#noted('Deployment rolled out', apps('deployments/web'));
    await this.#kubectl('scale', 'deployment/web', '--replicas=5');
    await this.#rolledOut('deployments/web', 5);
    await this.#kubectl('set', 'image', 'deployment/web', 'main=registry.example/main:2');
    await this.#kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    await this.#rolledOut('deployments/web', 5);
    await this.#noted('Deployment with another image', apps('deployments/web'));
    await this.#kubectl('rollout', 'undo', 'deployment/web');
    await this.#rolledOut('deployments/web', 5);
    await this.#cluster.untilCount(core('pods?labelSelector=app=web'), 5, isReady);
    const sets = await this.#cluster.list(apps('replicasets'));
    this.#record.text('workloads: ReplicaSets of two revisions', factsOfAll(sets.map(withoutGeneration)));
    await this.#notedAll('pods of a Deployment', core('pods?labelSelector=app=web'));
  }

  async #services(): Promise<void> {
    await this.#create(service('web', { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] }));
    const slices = await this.#cluster.untilCount(
      inNamespace('/apis/discovery.k8s.io/v1', 'endpointslices?labelSelector=kubernetes.io/service-name=web'),
      1,
      (slice) => ((slice as { endpoints?: readonly unknown[] }).endpoints ?? []).length === 5,
    );
    const [{ metadata = {} } = {}] = slices;
    this.#record.text('workloads: labels of an EndpointSlice', JSON.stringify(metadata.labels));
    await this.#cluster.until(
      core('endpoints/web'),
      (object) => (object as { subsets?: readonly { addresses: unknown[] }[] }).subsets?.[0]?.addresses.length === 5,
    );
  }

  async #statefulSet(): Promise<void> {
    const volumes = ['a', 'b'].map((name) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `disk-${name}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'static',
        hostPath: { path: `/nowhere/${name}` },
      },
    }));
    await this.#cluster.apply(volumes);
    const claim = {
      metadata: { name: 'data' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'static',
        resources: { requests: { storage: '1Gi' } },
      },
    };
    const spec = { replicas: 2, serviceName: 'db', volumeClaimTemplates: [claim] };
    await this.#create(service('db', { clusterIP: 'None', selector: { app: 'db' }, ports: [{ port: 5432 }] }));
    await this.#create(workload('StatefulSet', 'db', spec));
    await this.#rolledOut('statefulsets/db', 2);
    await this.#noted('StatefulSet', apps('statefulsets/db'));
    const claims = await this.#cluster.untilCount(
      core('persistentvolumeclaims'),
      2,
      ({ status }) => status?.['phase'] === 'Bound',
    );
    this.#record.text('workloads: claims', claims.map(nameOf).join(' '));
    await this.#kubectl('scale', 'statefulset/db', '--replicas=1');
    await this.#rolledOut('statefulsets/db', 1);
    await this.#notedAll('pods of a StatefulSet', core('pods?labelSelector=app=db'));
    // The claim stays until its volume is not used by a pod: its finalizer is kube-controller-manager's.
    await this.#cluster.client.request('DELETE', core('persistentvolumeclaims/data-db-1'));
    await this.#cluster.untilGone(core('persistentvolumeclaims/data-db-1'));
    await this.#cluster.client.request('DELETE', core('persistentvolumeclaims/data-db-0'));
    await this.#cluster.until(core('persistentvolumeclaims/data-db-0'), ({ metadata }) =>
      (metadata.finalizers ?? []).includes('kubernetes.io/pvc-protection'),
    );
    // A pod that is evicted while its claim is being deleted stays pending, so what follows would depend on its node.
    await this.#cluster.client.request('DELETE', apps('statefulsets/db'));
    await this.#cluster.untilGone(core('persistentvolumeclaims/data-db-0'));
  }

  async #daemonSet(): Promise<void> {
    const selective = podSpec({ nodeSelector: { role: 'edge' } });
    await this.#create(workload('DaemonSet', 'agent', {}), workload('DaemonSet', 'edge', {}, selective));
    const scheduled = (name: string, count: number) =>
      this.#cluster.until(
        apps(`daemonsets/${name}`),
        (object) => number(object, 'numberAvailable') === count && number(object, 'desiredNumberScheduled') === count,
      );
    await scheduled('agent', 3);
    await this.#cluster.admin.output(['label', 'node', 'node-2', 'role=edge']);
    await scheduled('edge', 1);
    await this.#cluster.admin.output(['label', 'node', 'node-2', 'role-']);
    await this.#cluster.untilCount(core('pods?labelSelector=app=edge'), 0, () => true);
    await scheduled('agent', 3);
    await this.#noted('DaemonSet', apps('daemonsets/agent'));
  }

  async #jobs(): Promise<void> {
    await this.#create(
      job('many', { completions: 4, parallelism: 2 }),
      job('indexed', { completions: 3, parallelism: 3, completionMode: 'Indexed' }),
      job('short', { ttlSecondsAfterFinished: 1 }),
      job('suspended', { suspend: true }),
    );
    for (const name of ['many', 'indexed']) {
      await this.#cluster.until(batch(`jobs/${name}`), (object) => conditionOf(object, 'Complete') === 'True');
      await this.#noted(`Job ${name}`, batch(`jobs/${name}`));
    }
    await this.#cluster.untilGone(batch('jobs/short'));
    await this.#cluster.until(batch('jobs/suspended'), (object) => conditionOf(object, 'Suspended') === 'True');
    await this.#noted('Job suspended', batch('jobs/suspended'));
    await this.#kubectl('patch', 'job', 'suspended', '--type=merge', '-p', '{"spec":{"suspend":false}}');
    await this.#cluster.until(batch('jobs/suspended'), (object) => conditionOf(object, 'Complete') === 'True');
  }

  /** There are no metrics, so it says why it does nothing. */
  async #autoscaler(): Promise<void> {
    await this.#create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 6,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    } as TypedObject);
    const path = inNamespace('/apis/autoscaling/v2', 'horizontalpodautoscalers/web');
    await this.#cluster.until(path, (object) => conditionOf(object, 'ScalingActive') === 'False');
    await this.#noted('HorizontalPodAutoscaler', path);
    await this.#cluster.client.request('DELETE', path);
  }

  /** A pod that fits nowhere, and one that takes the place of another. */
  async #scheduling(): Promise<void> {
    await this.#cluster.apply([
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'urgent' }, value: 1_000 },
    ]);
    const pod = (name: string, spec: object) =>
      ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec }) as TypedObject;
    const large = { cpu: '5' };
    await this.#create(
      pod('nowhere', podSpec({ nodeSelector: { role: 'nothing' } })),
      ...['a', 'b', 'c'].map((name) => pod(`large-${name}`, podSpec({}, large))),
    );
    await this.#cluster.until(core('pods/nowhere'), (object) => conditionOf(object, 'PodScheduled') === 'False');
    await this.#noted('pod that fits nowhere', core('pods/nowhere'));
    for (const name of ['a', 'b', 'c']) await this.#cluster.until(core(`pods/large-${name}`), isReady);
    await this.#create(pod('urgent', podSpec({ priorityClassName: 'urgent' }, large)));
    await this.#cluster.until(core('pods/urgent'), isReady);
    const left = await this.#cluster.list(core('pods'));
    this.#record.text(
      'workloads: pods after a preemption',
      String(left.filter((object) => nameOf(object).startsWith('large-')).length),
    );
    for (const object of left.filter((one) => /^(large-|urgent|nowhere)/.test(nameOf(one))))
      await this.#cluster.client.request('DELETE', core(`pods/${nameOf(object)}`));
  }

  /** Waits for the Job of the CronJob, and records the events of all. */
  async cronJob(): Promise<void> {
    await this.#cluster.until(batch('cronjobs/tick'), (object) => object.status?.['lastSuccessfulTime'] !== undefined);
    await this.#kubectl('patch', 'cronjob', 'tick', '--type=merge', '-p', '{"spec":{"suspend":true}}');
    const jobs = await this.#cluster.list(batch('jobs'));
    const first = jobs.find((object) => nameOf(object).startsWith('tick-'));
    this.#record.text('workloads: Job of a CronJob', first === undefined ? 'none' : factsOf(first));
    await this.#events();
  }

  /** What the controllers reported in events: which reasons, about which kinds, from whom. */
  async #events(): Promise<void> {
    const events = (await this.#cluster.list(inNamespace('/apis/events.k8s.io/v1', 'events'))) as readonly (Anything & {
      readonly reason?: string;
      readonly regarding?: { readonly kind?: string };
      readonly reportingController?: string;
    })[];
    const kinds = events.map(
      ({ reason, regarding, reportingController }) => `${reportingController} ${regarding?.kind} ${reason}`,
    );
    this.#record.text('workloads: events', [...new Set(kinds)].toSorted().join('\n'));
  }
}
