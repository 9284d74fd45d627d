import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type { Node, Pod, ReplicationController } from '@apichain/api/core/v1';
import { Informer, RestClient, type ResourceReference, httpTransport, loadKubeconfig } from '@apichain/client';
import { currentTimestamp, findCondition, isStatusError } from '@apichain/meta';
import { startChain, waitFor } from '@apichain/testing';
import { flagsAndArguments, runCommand } from '../command/command.ts';
import { compareTexts, type Recorded } from '../comparison/compare.ts';
import { settled } from './workload-controllers/settled.ts';
import { type Implementation, ours, theirs } from './workload-controllers/implementations.ts';
import { normalized } from './workload-controllers/normalized.ts';

const usage = `usage: node tools/compatibility/workload-controllers.ts KUBE_CONTROLLER_MANAGER

Runs one session of workloads twice on a chain, with kube-controller-manager and with our controllers, and compares all objects and events after each
step; in the end the other takes over, which must not roll out anything. The exit code is 1 if anything differs.`;

const namespace = 'default';
const core = { group: '', version: 'v1', namespace };
const apps = { group: 'apps', version: 'v1', namespace };
const nodes: ResourceReference<Node> = { group: '', version: 'v1', resource: 'nodes' };
const pods: ResourceReference<Pod> = { ...core, resource: 'pods' };
const controllersOf: ResourceReference<ReplicationController> = { ...core, resource: 'replicationcontrollers' };
const deployments: ResourceReference<Deployment> = { ...apps, resource: 'deployments' };
const replicaSets: ResourceReference<ReplicaSet> = { ...apps, resource: 'replicasets' };
const statefulSets: ResourceReference<StatefulSet> = { ...apps, resource: 'statefulsets' };
const daemonSets: ResourceReference<DaemonSet> = { ...apps, resource: 'daemonsets' };
const compared: readonly ResourceReference[] = [
  ...[deployments, replicaSets, statefulSets, daemonSets, controllersOf, pods],
  { ...apps, resource: 'controllerrevisions' },
  { ...core, resource: 'persistentvolumeclaims' },
  { ...core, resource: 'events' },
];
const controllers = ['deployment', 'replicaset', 'replicationcontroller', 'statefulset', 'daemonset'];
const bad = 'bad';
/** With larger steps it depends on the time that pods take, how many there are. */
const oneByOne = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

const template = (app: string, image: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'a', image, command: ['sh', '-c', 'echo "<&>" > /tmp/x'] }] },
});
const spec = (app: string, image: string, more: object) => ({
  selector: { matchLabels: { app } },
  template: template(app, image),
  ...more,
});
const object = (kind: string, name: string, fields: object) => ({
  ...{ apiVersion: kind === 'ReplicationController' ? 'v1' : 'apps/v1', kind },
  ...{ metadata: { name, annotations: { 'example.com/who': 'test' } }, ...fields },
});

/** Makes pods ready, except those with a bad image, and removes those that are being deleted. */
function runPods(client: RestClient): Informer<Pod> {
  const run = async (pod: Pod): Promise<void> => {
    const ref = { ...pods, namespace: pod.metadata.namespace ?? '' };
    const { name = '', uid = '' } = pod.metadata;
    const now = currentTimestamp();
    const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now });
    const status = { phase: 'Running', conditions: ['Ready', 'PodScheduled'].map(condition) };
    try {
      if (pod.metadata.deletionTimestamp !== undefined)
        await client.delete(ref, name, { gracePeriodSeconds: 0, preconditions: { uid } });
      else if (pod.status?.phase === 'Pending' && pod.spec?.containers?.[0]?.image !== bad)
        await client.patch(ref, name, 'merge', { metadata: { uid }, status }, { subresource: 'status' });
    } catch (error) {
      // It is gone, or another pod has its name by now.
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error;
    }
  };
  const each = (pod: Pod) => void run(pod);
  return new Informer<Pod>({ client, resource: { ...pods, namespace: '' } })
    .addHandlers({ onAdd: each, onUpdate: each })
    .start();
}

const update = (client: RestClient, ref: ResourceReference, name: string, patch: Record<string, unknown>) =>
  client.patch(ref, name, 'strategic', patch);

type Step = (name: string) => Promise<void>;

/** The session. `step` records the objects when they no longer change. */
async function session(client: RestClient, step: Step): Promise<void> {
  const deploymentIs = async (condition: (deployment: Deployment) => boolean, name = 'web') =>
    waitFor(async () => condition(await client.get(deployments, name)), { timeoutMs: 60_000 });
  const isDone = ({ metadata, spec: wanted, status }: Deployment) =>
    status?.observedGeneration === metadata.generation &&
    findCondition(status?.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable' &&
    [status?.replicas, status?.updatedReplicas, status?.availableReplicas].every((n) => n === wanted?.replicas);

  for (const name of ['n1', 'n2', 'n3']) {
    await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    await client.patch(nodes, name, 'merge', { spec: { taints: null } });
  }
  const createDeployment = (name: string, replicas: number) =>
    client.create(
      deployments,
      object('Deployment', name, { spec: spec(name, 'a:1', { replicas, strategy: oneByOne }) }),
    );
  // From the tenth message about an object on, client-go combines events at random: no Deployment has more.
  await createDeployment('web', 2);
  await deploymentIs(isDone);
  await step('a Deployment');
  await update(client, deployments, 'web', { spec: { template: template('web', 'a:2') } });
  await deploymentIs(isDone);
  await step('an update');
  await update(client, deployments, 'web', { spec: { template: template('web', 'a:1') } });
  await deploymentIs(isDone);
  await step('an undo');

  await createDeployment('paused', 2);
  await deploymentIs(isDone, 'paused');
  await update(client, deployments, 'paused', { spec: { paused: true, template: template('paused', 'a:3') } });
  const isPaused = ({ status }: Deployment) =>
    findCondition(status?.conditions, 'Progressing')?.reason === 'DeploymentPaused';
  await deploymentIs(isPaused, 'paused');
  await step('a pause');
  await update(client, deployments, 'paused', { spec: { replicas: 3 } });
  await deploymentIs(({ status }) => status?.availableReplicas === 3, 'paused');
  await step('a scale during the pause');
  await update(client, deployments, 'paused', { spec: { paused: false } });
  await deploymentIs(isDone, 'paused');
  await step('a resumption');
  await client.delete(deployments, 'paused');
  await waitFor(async () => (await client.list(pods, { labelSelector: 'app=paused' })).items.length === 0, {
    timeoutMs: 60_000,
  });
  await step('a deletion');

  await createDeployment('failing', 1);
  await deploymentIs(isDone, 'failing');
  await update(client, deployments, 'failing', { spec: { template: template('failing', 'a:2') } });
  await deploymentIs(isDone, 'failing');
  const annotations = { 'deprecated.deployment.rollback.to': '1' };
  await update(client, deployments, 'failing', { metadata: { annotations } });
  await deploymentIs(({ spec: wanted }) => wanted?.template?.spec?.containers?.[0]?.image === 'a:1', 'failing');
  await deploymentIs(isDone, 'failing');
  await step('a rollback by the controller');
  await update(client, deployments, 'failing', {
    spec: { progressDeadlineSeconds: 2, template: template('failing', bad) },
  });
  const hasFailed = ({ status }: Deployment) => findCondition(status?.conditions, 'Progressing')?.status === 'False';
  await deploymentIs(hasFailed, 'failing');
  await step('a failed rollout');
  await update(client, deployments, 'failing', { spec: { replicas: 10, progressDeadlineSeconds: 600 } });
  await deploymentIs(({ status }) => status?.replicas === 11, 'failing');
  await step('a scale in proportion');

  const again = spec('again', 'a:1', { replicas: 2, strategy: { type: 'Recreate' }, revisionHistoryLimit: 0 });
  await client.create(deployments, object('Deployment', 'again', { spec: again }));
  await deploymentIs(isDone, 'again');
  await update(client, deployments, 'again', { spec: { template: template('again', 'a:2') } });
  await deploymentIs(isDone, 'again');
  await waitFor(async () => (await client.list(replicaSets, { labelSelector: 'app=again' })).items.length === 1);
  await step('a Recreate without history');

  const orphan = { metadata: { name: 'orphan', labels: { app: 'old' } }, spec: template('old', 'a:0').spec };
  await client.create(pods, { apiVersion: 'v1', kind: 'Pod', ...orphan });
  const old = { spec: { replicas: 2, selector: { app: 'old' }, template: template('old', 'a:1') } };
  await client.create(controllersOf, object('ReplicationController', 'old', old));
  await waitFor(async () => (await client.get(controllersOf, 'old')).status?.availableReplicas === 2);
  await step('a ReplicationController with an adopted pod');

  const setIs = async (condition: (status: NonNullable<StatefulSet['status']>) => boolean) =>
    waitFor(
      async () => {
        const { metadata, status } = await client.get(statefulSets, 'db');
        return status?.observedGeneration === metadata.generation && condition(status ?? {});
      },
      { timeoutMs: 60_000 },
    );
  const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const db = spec('db', 'a:1', {
    ...{ replicas: 3, serviceName: 'db', minReadySeconds: 1 },
    volumeClaimTemplates: [{ metadata: { name: 'data', labels: { a: 'b' } }, spec: storage }],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
  });
  await client.create(statefulSets, object('StatefulSet', 'db', { spec: db }));
  await setIs(({ availableReplicas }) => availableReplicas === 3);
  await step('a StatefulSet');
  const partition = (n: number) => ({ updateStrategy: { rollingUpdate: { partition: n } } });
  await update(client, statefulSets, 'db', { spec: { template: template('db', 'a:2'), ...partition(2) } });
  await setIs(({ updatedReplicas, availableReplicas }) => updatedReplicas === 1 && availableReplicas === 3);
  await step('a partial update');
  await update(client, statefulSets, 'db', { spec: partition(0) });
  await setIs((s) => s.availableReplicas === 3 && s.currentRevision === s.updateRevision);
  await step('a whole update');
  await update(client, statefulSets, 'db', { spec: { replicas: 1, template: template('db', 'a:1') } });
  await setIs((s) => s.replicas === 1 && s.availableReplicas === 1 && s.currentRevision === s.updateRevision);
  await waitFor(async () => (await client.list({ ...core, resource: 'persistentvolumeclaims' })).items.length === 1);
  await step('a scale down and a return to the first revision');

  const daemonsAre = async (image: string) =>
    waitFor(
      async () => {
        const { metadata, status } = await client.get(daemonSets, 'agent');
        const isCurrent = status?.observedGeneration === metadata.generation;
        return isCurrent && status?.updatedNumberScheduled === 3 && status.numberAvailable === 3 && image;
      },
      { timeoutMs: 60_000 },
    );
  await client.create(daemonSets, object('DaemonSet', 'agent', { spec: spec('agent', 'a:1', {}) }));
  await daemonsAre('a:1');
  await step('a DaemonSet');
  await update(client, daemonSets, 'agent', { spec: { template: template('agent', 'a:2') } });
  await daemonsAre('a:2');
  await step('an update of it');
  await update(client, daemonSets, 'agent', {
    spec: { template: template('agent', 'a:1'), updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  });
  await daemonsAre('a:1');
  await waitFor(async () => {
    const { items } = await client.list(pods, { labelSelector: 'app=agent' });
    return items.length === 3;
  });
  await step('a return with a surge');
}

/** Runs the session with one implementation. Then the other takes over, and should find nothing to do: `changes` is 1 if it does something. */
async function record(
  name: string,
  first: Implementation,
  second: Implementation,
): Promise<Recorded & { readonly changes: number }> {
  await using chain = await startChain({ controllers: ['garbagecollector', 'pvc-protection'] });
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  const runner = runPods(client);
  const texts = new Map<string, string>();
  const step = async (what: string) => {
    process.stdout.write(`${name}: ${what}\n`);
    texts.set(what, normalized(await settled(client, compared)));
  };
  let running = first(chain);
  try {
    await session(client, step);
    const before = [...texts.values()].at(-1) ?? '';
    await running.stop();
    running = second(chain);
    await update(client, daemonSets, 'agent', { metadata: { annotations: { 'example.com/who': 'other' } } });
    await update(client, statefulSets, 'db', { spec: { minReadySeconds: 0 } });
    const isObserved = async () => {
      const { metadata, status } = await client.get(statefulSets, 'db');
      return metadata.generation === status?.observedGeneration;
    };
    await waitFor(isObserved, { timeoutMs: 30_000 });
    const after = normalized(await settled(client, compared));
    const takeover = (text: string) => new Map([['another takes over', revisionsIn(text)]]);
    const changes = compareTexts(
      { name, texts: takeover(before) },
      { name: `${name}, another`, texts: takeover(after) },
    );
    return { name, texts, changes };
  } finally {
    await running.stop();
    await runner.stop();
    await client.close();
  }
}

/** The lines about pods and revisions, which a takeover must not change. */
const revisionsIn = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^(Pod|ControllerRevision|ReplicaSet) /.test(line))
    .join('\n');

const parse = flagsAndArguments(1, {});

async function run({ arguments: [program = ''] }: ReturnType<typeof parse>): Promise<number> {
  const [go, own] = [theirs(program, controllers), ours(controllers)];
  const expected = await record('kube-controller-manager', go, own);
  const actual = await record('apichain', own, go);
  return expected.changes + actual.changes + compareTexts(expected, actual) === 0 ? 0 : 1;
}

await runCommand({ name: 'workload-controllers', usage, parse, run });
