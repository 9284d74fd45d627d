import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@apichain/meta';
import { createCA, type CertificatePair } from '@apichain/serving/certificates';
import type { Recording } from '../../comparison/recording.ts';
import { type Anything, type Cluster, conditionOf } from './cluster.ts';
import { factsOf, normalise } from './facts.ts';
import { base64, deploymentIn, outsideOfCluster, parseManifests, servingFolder, type Manifest } from './manifests.ts';
import { namespaceObject } from './objects.ts';
import { ControllerSession, type Step } from './session.ts';

/** The four managers: program, and folder of manifests in a checkout. */
const managers = [
  ['core', 'config/default'],
  ['bootstrap', 'bootstrap/kubeadm/config/default'],
  ['control-plane', 'controlplane/kubeadm/config/default'],
  ['infrastructure', 'test/infrastructure/docker/config/default'],
] as const;

const templates = 'test/infrastructure/docker/templates';
const namespace = 'fleet';
const timeoutMs = 240_000;
/** The in-memory API servers of workload clusters listen here, on ports that their provider chooses. */
const workloadHost = '127.0.0.7';

const path = (group: string, resource: string) => `/apis/${group}/namespaces/${namespace}/${resource}`;
const own = (resource: string, version = 'v1beta2') => path(`cluster.x-k8s.io/${version}`, resource);
const isRunning = ({ status }: Anything): boolean => status?.['phase'] === 'Running';

/**
 * Cluster API with the in-memory backend of its development provider: a Cluster of a ClusterClass with one control plane Machine and two workers.
 * Its controllers create custom resources by server-side apply, and read and write several versions through conversion webhooks.
 */
export class ClusterApi extends ControllerSession {
  readonly name = 'cluster-api';
  readonly #programFolder: string;
  readonly #tree: string;

  constructor(cluster: Cluster, programFolder: string, tree: string) {
    super(cluster);
    this.#programFolder = programFolder;
    this.#tree = tree;
  }

  async start(): Promise<void> {
    const ca = await createCA('cluster-api');
    const installed: { name: string; manifests: readonly Manifest[]; port: number; service: string }[] = [];
    for (const [name, folder] of managers) {
      const text = await this.cluster.admin.output(['kustomize', join(this.#tree, folder)]);
      const manifests = parseManifests(text, { CLUSTER_TOPOLOGY: 'true' });
      const service = manifests.find(({ kind }) => kind === 'Service')?.metadata.name ?? '';
      const port = await freePort();
      const local = new Map([[service, { port, caBundle: base64(ca.certificate) }]]);
      await this.cluster.apply(outsideOfCluster(manifests, local));
      installed.push({ name, manifests, port, service });
    }
    for (const { name, manifests, port, service } of installed)
      await this.#startManager(name, manifests, port, service, ca);
  }

  readonly steps: readonly Step[] = [{ name: 'use', run: (record) => this.#use(record) }];

  async #use(record: Recording): Promise<void> {
    await this.cluster.apply([namespaceObject(namespace)]);
    const variables = {
      CLUSTER_NAME: 'mem',
      NAMESPACE: namespace,
      KUBERNETES_VERSION: 'v1.34.0',
      CONTROL_PLANE_MACHINE_COUNT: '1',
      WORKER_MACHINE_COUNT: '2',
    };
    for (const file of ['clusterclass-in-memory.yaml', 'cluster-template-in-memory.yaml']) {
      const objects = parseManifests(readFileSync(join(this.#tree, templates, file), 'utf8'), variables);
      await this.#applyWhenReady(objects);
    }
    await this.#machines(3);
    const available = (object: Anything) => conditionOf(object, 'Available') === 'True';
    const cluster = await this.cluster.until(own('clusters/mem'), available, timeoutMs);
    record.text('cluster-api: Cluster', factsOf(withoutRevisions(cluster)));
    // Read through the conversion webhook.
    const former = await this.cluster.get(own('clusters/mem', 'v1beta1'));
    record.text('cluster-api: spec of the Cluster in v1beta1', normalise(JSON.stringify(former.spec)));
    for (const resource of ['machinedeployments', 'machinesets', 'machines']) {
      const objects = await this.cluster.list(own(resource));
      record.text(`cluster-api: ${resource}`, objects.map(summaryOf).toSorted().join('\n'));
    }
    for (const [group, resource] of [
      ['bootstrap.cluster.x-k8s.io/v1beta2', 'kubeadmconfigs'],
      ['controlplane.cluster.x-k8s.io/v1beta2', 'kubeadmcontrolplanes'],
      ['infrastructure.cluster.x-k8s.io/v1beta2', 'devmachines'],
    ] as const) {
      const objects = await this.cluster.list(path(group, resource));
      record.text(`cluster-api: ${resource}`, objects.map(summaryOf).toSorted().join('\n'));
    }
    await this.#scale(1);
    await this.#machines(2);
  }

  async goOn(): Promise<void> {
    await this.#scale(3);
    await this.#machines(4);
    await this.cluster.client.request('DELETE', own('clusters/mem'));
    await this.cluster.untilGone(own('clusters/mem'), timeoutMs);
  }

  async #startManager(
    name: string,
    manifests: readonly Manifest[],
    webhookPort: number,
    service: string,
    ca: CertificatePair,
  ): Promise<void> {
    const { namespace: ownNamespace, account, args } = deploymentIn(manifests);
    const { kubeconfig } = await this.cluster.account(ownNamespace, account);
    const certDir = await servingFolder(this.cluster, ca, service, ownNamespace);
    const [healthPort, diagnosticsPort] = [await freePort(), await freePort()];
    // Outside of a cluster the managers do not know a namespace for the lease of their leader.
    const kept = args.filter((arg) => !/^--(leader-elect|diagnostics-address)\b/.test(arg));
    await this.run(
      `cluster-api-${name}`,
      [
        join(this.#programFolder, name),
        ...kept,
        `--diagnostics-address=127.0.0.1:${diagnosticsPort}`,
        `--health-addr=127.0.0.1:${healthPort}`,
        `--webhook-port=${webhookPort}`,
        `--webhook-cert-dir=${certDir}`,
      ],
      `http://127.0.0.1:${healthPort}/readyz`,
      {
        KUBECONFIG: kubeconfig,
        POD_NAMESPACE: ownNamespace,
        POD_NAME: name,
        POD_UID: name,
        POD_IP: workloadHost,
      },
    );
  }

  /** Webhooks refuse a Cluster until its ClusterClass is reconciled. Throws the last refusal. */
  async #applyWhenReady(objects: readonly object[]): Promise<void> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      try {
        return await this.cluster.apply(objects, namespace);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(500);
      }
    }
  }

  /** Waits until there are so many Machines, and all run. */
  async #machines(count: number): Promise<void> {
    const path = own('machines');
    const machines = await this.cluster.untilCount(path, count, isRunning, timeoutMs);
    if (machines.length > count) await this.cluster.untilCount(path, count, () => true, timeoutMs);
  }

  async #scale(workers: number): Promise<void> {
    const patch = [{ op: 'replace', path: '/spec/topology/workers/machineDeployments/0/replicas', value: workers }];
    await this.cluster.admin.output([
      'patch',
      `--namespace=${namespace}`,
      'clusters.cluster.x-k8s.io',
      'mem',
      '--type=json',
      `--patch=${JSON.stringify(patch)}`,
    ]);
  }
}

/** Without what depends on the order of events. */
const withoutRevisions = (object: Anything): Anything => ({
  ...object,
  metadata: { ...object.metadata, generation: 0, managedFields: [] },
});

/** Who wrote an object, whose it is, and its conditions. */
function summaryOf(object: Anything): string {
  const { managedFields = [], ownerReferences = [], finalizers = [] } = object.metadata;
  const managers = managedFields.map(
    ({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`,
  );
  const conditions = (object.status?.['conditions'] ?? []) as readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
  }[];
  return normalise(
    JSON.stringify({
      managers: [...new Set(managers)].toSorted(),
      owners: ownerReferences.map(({ kind }) => kind).toSorted(),
      finalizers: finalizers.toSorted(),
      conditions: conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).toSorted(),
    }),
  );
}
