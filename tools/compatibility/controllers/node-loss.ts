import type { Event } from '@apichain/api/core/v1';
import type { ResourceReference } from '@apichain/client';
import type { Recording } from '../../comparison/recording.ts';
import { type Anything, conditionOf, nameOf } from './cluster.ts';
import { factsOf, normalise } from './facts.ts';
import { podSpec, service, type TypedObject, workload } from './objects.ts';
import { ControllerSession, type Step } from './session.ts';

const nodePath = (name: string) => `/api/v1/nodes/${name}`;
const downAnnotation = 'simulate.apichain.dev/down';
const outOfService = 'node.kubernetes.io/out-of-service';

/** Simulated kubelets have the version of the API server. */
const kubeletVersion = /("kubeletVersion": "v[\d.]+)[^"]*/;

/** Long enough to look at a node that is lost before its pods are evicted. */
const evictionSeconds = 20;
const tolerations = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: evictionSeconds,
}));
/** One pod on each node; those that cannot be there are on the others. */
const spread = (app: string) => ({
  tolerations,
  terminationGracePeriodSeconds: 1,
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      nodeTaintsPolicy: 'Honor',
      labelSelector: { matchLabels: { app } },
    },
  ],
});

/** Otherwise two controllers delete the same pods, and which of them does is random. */
const toleratesOutOfService = { key: outOfService, operator: 'Exists' };

interface Taint {
  readonly key: string;
  readonly effect: string;
}

const taintsOf = ({ spec }: Anything): readonly Taint[] => (spec?.['taints'] ?? []) as readonly Taint[];
const hasTaint = (node: Anything, key: string, wanted: string): boolean =>
  taintsOf(node).some((taint) => taint.key === `node.kubernetes.io/${key}` && taint.effect === wanted);
const isReady = (pod: Anything): boolean => conditionOf(pod, 'Ready') === 'True';
const isGoing = ({ metadata }: Anything): boolean => metadata.deletionTimestamp !== undefined;
const isOn =
  (node: string) =>
  ({ spec }: Anything): boolean =>
    spec?.['nodeName'] === node;

/** What becomes of nodes and their pods when a kubelet stops, comes back, is given up, and when its Node is deleted. Needs simulated nodes. */
export class NodeLoss extends ControllerSession {
  static readonly title = 'node loss';
  readonly name = NodeLoss.title;
  /** Each part has workloads of its own, so that the nodes have the same number of pods. */
  #namespace = '';

  async start(): Promise<void> {
    // Everything that is needed runs already.
  }

  get steps(): readonly Step[] {
    return [
      { name: 'workloads', run: (record) => this.#begin('lost', record) },
      { name: 'a node is lost', run: (record) => this.#lose(record) },
      { name: 'its pods are evicted', run: (record) => this.#evict(record) },
      { name: 'it comes back', run: (record) => this.#comeBack(record) },
      { name: 'a node is out of service', run: (record) => this.#giveUp(record) },
      { name: 'a Node is deleted', run: (record) => this.#deleteNode(record) },
    ];
  }

  async goOn(): Promise<void> {
    // What a restart of the server changes is seen by the other sessions.
  }

  #at(resource: string, group = '/api/v1'): string {
    return `${group}/namespaces/${this.#namespace}/${resource}`;
  }

  #apps(resource: string): string {
    return this.#at(resource, '/apis/apps/v1');
  }

  #create(...objects: readonly TypedObject[]): Promise<void> {
    return this.cluster.apply(objects, this.#namespace);
  }

  /** Workloads in a new namespace, when those of the last one are gone. */
  async #begin(namespace: string, record?: Recording): Promise<void> {
    if (this.#namespace !== '') {
      const path = `/api/v1/namespaces/${this.#namespace}`;
      await this.cluster.client.request('DELETE', path);
      await this.cluster.untilGone(path, 180_000);
    }
    this.#namespace = namespace;
    await this.cluster.createNamespace(namespace);
    await this.cluster.until(this.#at('configmaps/kube-root-ca.crt'), () => true);
    const pod = (name: string, spec: object): TypedObject =>
      ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels: { app: name } },
        spec: podSpec({
          terminationGracePeriodSeconds: 1,
          nodeSelector: { 'kubernetes.io/hostname': 'node-2' },
          ...spec,
        }),
      }) as TypedObject;
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work' },
      spec: {
        completions: 3,
        parallelism: 3,
        template: {
          metadata: { labels: { app: 'work' }, annotations: { 'simulate.apichain.dev/after': '2h' } },
          spec: podSpec({ restartPolicy: 'Never', ...spread('work') }),
        },
      },
    } as TypedObject;
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    } as TypedObject;
    await this.#create(
      service('web', { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] }),
      budget,
      workload('Deployment', 'web', { replicas: 3 }, podSpec(spread('web'))),
      workload(
        'StatefulSet',
        'db',
        { replicas: 3, serviceName: 'db', podManagementPolicy: 'Parallel' },
        podSpec(spread('db')),
      ),
      workload(
        'DaemonSet',
        'agent',
        {},
        podSpec({ terminationGracePeriodSeconds: 1, tolerations: [toleratesOutOfService] }),
      ),
      job,
      pod('leaves', { tolerations }),
      pod('stays', { tolerations: [{ operator: 'Exists' }] }),
      pod('late', {}),
    );
    await this.#untilReady(3 * 4 + 3);
    await this.#untilEndpoints(3);
    await this.#untilStatus();
    if (record !== undefined) await this.#record(record, 'workloads');
  }

  async #lose(record: Recording): Promise<void> {
    await this.#annotate('node-2', 'true');
    await this.#untilUnreachable('node-2');
    await this.#untilPods((pods) => pods.filter(isOn('node-2')).every((pod) => !isReady(pod)));
    await this.#untilEndpoints(2);
    await this.#untilStatus();
    await this.#record(record, 'a node is lost');
  }

  /** The Deployment and the Job have pods elsewhere; the StatefulSet waits, and so do pods without an owner. */
  async #evict(record: Recording): Promise<void> {
    await this.#untilPods((pods) => {
      const left = pods.filter(isOn('node-2'));
      return left.filter(isGoing).length === 4 && pods.filter(isReady).length === 2 * 4 + 2;
    });
    await this.#untilEndpoints(3);
    await this.#untilStatus();
    await this.#record(record, 'its pods are evicted');
  }

  async #comeBack(record: Recording): Promise<void> {
    await this.#annotate('node-2', undefined);
    await this.#untilUsable('node-2');
    await this.#untilReady(3 * 4 + 2);
    await this.#untilEndpoints(3);
    await this.#untilStatus();
    await this.#record(record, 'it comes back');
  }

  /** With the taint for nodes that are gone for good, the pods are removed without their kubelet, and the StatefulSet goes on. */
  async #giveUp(record: Recording): Promise<void> {
    await this.#begin('given-up');
    await this.#annotate('node-3', 'true');
    await this.#untilUnreachable('node-3');
    await this.cluster.admin.output(['taint', 'node', 'node-3', `${outOfService}=nodeshutdown:NoExecute`]);
    await this.#untilPods(
      (pods) => pods.filter(isOn('node-3')).length === 1 && pods.filter(isReady).length === 2 * 1 + 3 * 3 + 3,
    );
    await this.#untilEndpoints(3);
    await this.#untilStatus();
    await this.#record(record, 'a node is out of service');
    await this.cluster.admin.output(['taint', 'node', 'node-3', `${outOfService}-`]);
    await this.#annotate('node-3', undefined);
    await this.#untilUsable('node-3');
  }

  async #deleteNode(record: Recording): Promise<void> {
    await this.#begin('deleted');
    await this.#annotate('node-1', 'true');
    await this.#untilUnreachable('node-1');
    await this.cluster.admin.output(['delete', 'node', 'node-1']);
    await this.#untilPods(
      (pods) => pods.filter(isOn('node-1')).length === 0 && pods.filter(isReady).length === 2 * 1 + 3 * 3 + 3,
    );
    await this.#untilEndpoints(3);
    await this.#untilStatus();
    await this.#record(record, 'a Node is deleted');
  }

  async #annotate(node: string, down: string | undefined): Promise<void> {
    const annotation = down === undefined ? `${downAnnotation}-` : `${downAnnotation}=${down}`;
    await this.cluster.admin.output(['annotate', '--overwrite', 'node', node, annotation]);
  }

  async #untilUnreachable(name: string): Promise<void> {
    await this.cluster.until(
      nodePath(name),
      (node) =>
        conditionOf(node, 'Ready') === 'Unknown' &&
        ['NoSchedule', 'NoExecute'].every((effect) => hasTaint(node, 'unreachable', effect)),
    );
  }

  async #untilUsable(name: string): Promise<void> {
    await this.cluster.until(
      nodePath(name),
      (node) => conditionOf(node, 'Ready') === 'True' && taintsOf(node).length === 0,
    );
  }

  async #untilReady(count: number): Promise<void> {
    await this.#untilPods((pods) => pods.length === count && pods.every((pod) => isReady(pod) && !isGoing(pod)));
  }

  async #untilPods(condition: (pods: readonly Anything[]) => boolean): Promise<void> {
    await this.cluster.untilAll(this.#at('pods'), condition, 180_000);
  }

  /** Waits until so many endpoints are ready. */
  async #untilEndpoints(ready: number): Promise<void> {
    const path = this.#at('endpointslices?labelSelector=kubernetes.io/service-name=web', '/apis/discovery.k8s.io/v1');
    await this.cluster.untilAll(path, ([slice]) => endpointsOf(slice).filter(isServing).length === ready);
  }

  /** Waits until the statuses of the workloads say what the pods are. */
  async #untilStatus(): Promise<void> {
    for (const [app, path, field] of [
      ['web', this.#apps('deployments/web'), 'readyReplicas'],
      ['db', this.#apps('statefulsets/db'), 'readyReplicas'],
      ['agent', this.#apps('daemonsets/agent'), 'numberReady'],
      ['work', this.#at('jobs/work', '/apis/batch/v1'), 'ready'],
      ['web', this.#at('poddisruptionbudgets/web', '/apis/policy/v1'), 'currentHealthy'],
    ] as const) {
      const pods = await this.cluster.list(this.#at(`pods?labelSelector=app=${app}`));
      const ready = pods.filter((pod) => isReady(pod) && !isGoing(pod)).length;
      await this.cluster.until(path, ({ status }) => Number(status?.[field] ?? 0) === ready);
    }
  }

  async #record(record: Recording, step: string): Promise<void> {
    // The last events are written after what they tell.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const note = (what: string, text: string) => record.text(`node loss: ${step}: ${what}`, text);
    for (const node of await this.cluster.list('/api/v1/nodes'))
      note(nameOf(node), factsOf(withoutReporter(node)).replaceAll('NODE', nameOf(node)).replace(kubeletVersion, '$1'));
    for (const app of ['web', 'db', 'agent', 'work', 'leaves', 'stays', 'late']) {
      const pods = await this.cluster.list(this.#at(`pods?labelSelector=app=${app}`));
      note(
        `pods of ${app}`,
        pods
          .map((pod) => withoutOrdinal(factsOf(pod)))
          .toSorted()
          .join('\n'),
      );
    }
    for (const path of [
      this.#apps('deployments/web'),
      this.#apps('statefulsets/db'),
      this.#apps('daemonsets/agent'),
      this.#at('jobs/work', '/apis/batch/v1'),
      this.#at('poddisruptionbudgets/web', '/apis/policy/v1'),
    ])
      note(path.split('/').slice(-2).join('/'), factsOf(await this.cluster.get(path)));
    note('endpoints', await this.#endpoints());
    note('events', await this.#events());
  }

  async #endpoints(): Promise<string> {
    const slices = await this.cluster.list(
      this.#at('endpointslices?labelSelector=kubernetes.io/service-name=web', '/apis/discovery.k8s.io/v1'),
    );
    const { subsets = [] } = (await this.cluster.get(this.#at('endpoints/web'))) as Anything & {
      readonly subsets?: readonly { readonly addresses?: unknown[]; readonly notReadyAddresses?: unknown[] }[];
    };
    const counts = subsets.map(
      ({ addresses = [], notReadyAddresses = [] }) => `${addresses.length} ready, ${notReadyAddresses.length} not`,
    );
    const endpoints = slices.flatMap(endpointsOf).map((endpoint) => normalise(JSON.stringify(endpoint.conditions)));
    return [...endpoints.toSorted(), ...counts].join('\n');
  }

  /** All events of the namespace and of the nodes: what they say, from whom, and how often. */
  async #events(): Promise<string> {
    const [nodes, mine] = await Promise.all(
      ['default', this.#namespace].map(async (each) => (await this.cluster.client.list(eventsIn(each))).items),
    );
    const lines = [
      ...(nodes ?? []).filter(({ involvedObject }) => involvedObject?.kind === 'Node'),
      ...(mine ?? []),
    ].map(lineOf);
    return lines
      .filter((line) => !dependsOnPeriod(line))
      .toSorted()
      .join('\n');
  }
}

/** Which pod of the StatefulSet was on which node is random. */
const withoutOrdinal = (text: string): string =>
  text.replaceAll(/\bdb-\d\b/g, 'db-N').replaceAll(/("apps.kubernetes.io\/pod-index": ")\d/g, '$1N');

const eventsIn = (name: string): ResourceReference<Event> => ({
  group: '',
  version: 'v1',
  resource: 'events',
  namespace: name,
});

/** How often something was tried depends on what happened meanwhile. */
const repeated: ReadonlySet<string> = new Set(['FailedScheduling', 'FailedToUpdateEndpointSlices', 'NodeNotReady']);
/**
 * Whether a pod comes to a node between the removal of its NoSchedule and of its NoExecute taint depends on the period with which kube-controller-manager
 * looks at nodes. Only `late` waits for an eviction when the node comes back.
 */
const dependsOnPeriod = (line: string): boolean => line.includes('Cancelling deletion') && !line.startsWith('Pod late');
/** A node without the manager of its status: a kubelet that reports every five minutes what has not changed, or not yet. */
const withoutReporter = (node: Anything): Anything => ({
  ...node,
  metadata: {
    ...node.metadata,
    managedFields: (node.metadata.managedFields ?? []).filter(
      ({ manager, subresource }) => manager !== 'kubelet' || subresource !== 'status',
    ),
  },
});

function lineOf({ involvedObject, type, reason, message, source, reportingComponent, count, series }: Event): string {
  const { kind = '', name = '', fieldPath = '' } = involvedObject ?? {};
  const times = repeated.has(reason ?? '') ? '' : String(series?.count ?? count ?? 1);
  const from = [source?.component, source?.host, reportingComponent].join(' ');
  return withoutOrdinal(normalise(`${kind} ${name} ${fieldPath}: ${type} ${reason} ${message} (${from}) ${times}`));
}

interface Endpoint {
  readonly conditions?: { readonly ready?: boolean };
}

const endpointsOf = (slice: Anything | undefined): readonly Endpoint[] =>
  (slice as { readonly endpoints?: readonly Endpoint[] | null } | undefined)?.endpoints ?? [];
const isServing = ({ conditions }: Endpoint): boolean => conditions?.ready === true;
