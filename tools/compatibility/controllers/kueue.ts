import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { parse as parseYaml, stringify } from 'yaml';
import type { Recording } from '../../comparison/recording.ts';
import { type Anything, type Cluster, conditionOf, nameOf } from './cluster.ts';
import { factsOf } from './facts.ts';
import { runMsAnnotation } from './kubelet.ts';
import { deploymentIn, kustomized, outsideOfCluster, type Manifest } from './manifests.ts';
import { job, namespaceObject, podSpec, type TypedObject } from './objects.ts';
import { isOk } from '../../servers/get.ts';
import { ControllerSession, type Step } from './session.ts';

const namespace = 'queued';
const group = 'kueue.x-k8s.io/v1beta1';
const webhookService = 'kueue-webhook-service';
const queueLabel = 'kueue.x-k8s.io/queue-name';
const jobPath = (name: string) => `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
const workloads = `/apis/${group}/namespaces/${namespace}/workloads`;
const clusterQueue = `/apis/${group}/clusterqueues/small`;

/** Kueue: webhooks that suspend Jobs, with certificates that it makes itself; queues with less quota than Jobs ask for. */
export class Kueue extends ControllerSession {
  readonly name = 'kueue';
  readonly #file: string;
  readonly #tree: string;

  constructor(cluster: Cluster, file: string, tree: string) {
    super(cluster);
    this.#file = file;
    this.#tree = tree;
  }

  async start(): Promise<void> {
    const manifests = await kustomized(this.cluster, join(this.#tree, 'config/default'));
    const { namespace: ownNamespace, account } = deploymentIn(manifests);
    const [webhookPort, healthPort] = [await freePort(), await freePort()];
    // Kueue itself writes the authority into its webhooks.
    const services = new Map([[webhookService, { port: webhookPort, caBundle: undefined }]]);
    await this.cluster.apply(outsideOfCluster(manifests, services).filter(({ kind }) => kind !== 'APIService'));
    const { kubeconfig } = await this.cluster.account(ownNamespace, account);
    const certDir = join(this.cluster.dir, 'kueue-certificates');
    mkdirSync(certDir);
    const config = join(this.cluster.dir, 'kueue.yaml');
    writeFileSync(config, configuration(manifests, ownNamespace, certDir, webhookPort, healthPort));
    const ready = isOk(`http://127.0.0.1:${healthPort}/readyz`);
    await this.run(
      'kueue',
      [this.#file, `--config=${config}`, '--zap-log-level=2', '--feature-gates=VisibilityOnDemand=false'],
      async () => {
        await this.#mount(ownNamespace, certDir);
        return ready();
      },
      { KUBECONFIG: kubeconfig },
    );
    // Its webhooks are called at their Service only when the authority is written.
    await this.cluster.until(
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kueue-mutating-webhook-configuration',
      (object) => JSON.stringify(object).includes('"caBundle"'),
    );
  }

  readonly steps: readonly Step[] = [{ name: 'use', run: (record) => this.#use(record) }];

  async #use(record: Recording): Promise<void> {
    await this.cluster.apply([namespaceObject(namespace), ...queues]);
    await this.cluster.until(clusterQueue, (object) => conditionOf(object, 'Active') === 'True');
    await this.cluster.until(
      `/apis/${group}/namespaces/${namespace}/localqueues/main`,
      (object) => conditionOf(object, 'Active') === 'True',
    );
    await this.cluster.apply([queued('first', 3_000)]);
    await this.#admitted('first');
    await this.cluster.apply([queued('second', 300)]);
    const waiting = await this.#workloadOf('second', (object) => conditionOf(object, 'QuotaReserved') === 'False');
    record.text('kueue: Workload that waits', withoutHash(factsOf(waiting)));
    record.text('kueue: Job that waits', factsOf(await this.cluster.get(jobPath('second'))));
    for (const name of ['first', 'second'])
      await this.cluster.until(jobPath(name), (object) => conditionOf(object, 'Complete') === 'True');
    // Kueue removes its finalizer after it has set the condition.
    const done = await this.#workloadOf(
      'second',
      (object) => conditionOf(object, 'Finished') === 'True' && object.metadata.finalizers === undefined,
    );
    record.text('kueue: Workload that has finished', withoutHash(factsOf(done)));
    await this.cluster.until(clusterQueue, ({ status }) => status?.['admittedWorkloads'] === 0);
    record.text('kueue: ClusterQueue', factsOf(await this.cluster.get(clusterQueue)));
    const flavor = { ...queues[0], metadata: { name: 'bad' }, spec: { nodeLabels: { '-': '-' } } };
    record.text('kueue: refused ResourceFlavor', await this.#refusal(flavor));
    await this.cluster.client.request('DELETE', jobPath('first'), { propagationPolicy: 'Background' });
    await this.cluster.untilGone(jobPath('first'));
  }

  async goOn(): Promise<void> {
    await this.cluster.apply([queued('afterwards', 300)]);
    await this.cluster.until(jobPath('afterwards'), (object) => conditionOf(object, 'Complete') === 'True');
    await this.#workloadOf('afterwards', (object) => conditionOf(object, 'Finished') === 'True');
  }

  /** What a kubelet does for a volume of a Secret: writes its members as files. */
  async #mount(ownNamespace: string, dir: string): Promise<void> {
    const path = `/api/v1/namespaces/${ownNamespace}/secrets/kueue-webhook-server-cert`;
    const secret = (await this.cluster.get(path)) as Anything & {
      readonly data?: Readonly<{ [name: string]: string }>;
    };
    for (const [name, value] of Object.entries(secret.data ?? {}))
      writeFileSync(join(dir, name), Buffer.from(value, 'base64'), { mode: 0o600 });
  }

  async #admitted(name: string): Promise<void> {
    await this.#workloadOf(name, (object) => conditionOf(object, 'Admitted') === 'True');
    await this.cluster.until(jobPath(name), ({ spec }) => spec?.['suspend'] === false);
  }

  /** Waits until the Workload of a Job fulfils a condition. */
  async #workloadOf(jobName: string, condition: (object: Anything) => boolean): Promise<Anything> {
    const isOwn = (object: Anything) => (object.metadata.ownerReferences ?? []).some(({ name }) => name === jobName);
    const found = await this.cluster.untilCount(workloads, 1, (object) => isOwn(object) && condition(object));
    const own = found.find(isOwn);
    if (own === undefined) throw new Error(`no Workload of ${jobName}: ${found.map(nameOf).join(' ')}`);
    return own;
  }

  #refusal(object: object): Promise<string> {
    return this.cluster.admin.run(['apply', '--server-side', '-f', '-'], JSON.stringify(object));
  }
}

/** The configuration of the manifests, for this machine. */
function configuration(
  manifests: readonly Manifest[],
  ownNamespace: string,
  certDir: string,
  webhookPort: number,
  healthPort: number,
): string {
  const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'kueue-manager-config');
  const { 'controller_manager_config.yaml': text = '' } = (map?.['data'] ?? {}) as { readonly [name: string]: string };
  const original = parseYaml(text) as { readonly leaderElection?: object };
  return stringify({
    ...original,
    health: { healthProbeBindAddress: `127.0.0.1:${healthPort}` },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', port: webhookPort, certDir },
    leaderElection: { ...original.leaderElection, resourceNamespace: ownNamespace },
  });
}

/** A Workload is named after its Job and a hash of the Job's uid, some of which are taken for a random suffix. */
const withoutHash = (text: string): string => text.replaceAll(/\b(job-[a-z]+)-(?:[0-9a-f]{5}|RANDOM)\b/g, '$1-HASH');

/** A Job of two pods that take more than half of the quota. */
function queued(name: string, runMs: number): TypedObject {
  const template = {
    metadata: { annotations: { [runMsAnnotation]: String(runMs) } },
    spec: podSpec({ restartPolicy: 'Never' }, { cpu: '300m' }),
  };
  const metadata = { namespace, labels: { [queueLabel]: 'main' } };
  return job(name, { completions: 2, parallelism: 2, template }, metadata);
}

const queues: readonly object[] = [
  { apiVersion: group, kind: 'ResourceFlavor', metadata: { name: 'default' } },
  {
    apiVersion: group,
    kind: 'ClusterQueue',
    metadata: { name: 'small' },
    spec: {
      namespaceSelector: {},
      resourceGroups: [
        { coveredResources: ['cpu'], flavors: [{ name: 'default', resources: [{ name: 'cpu', nominalQuota: '1' }] }] },
      ],
    },
  },
  {
    apiVersion: group,
    kind: 'LocalQueue',
    metadata: { name: 'main', namespace },
    spec: { clusterQueue: 'small' },
  },
];
