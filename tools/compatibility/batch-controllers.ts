import type { Job } from '@apichain/api/batch/v1';
import { RestClient, type ResourceReference, httpTransport, loadKubeconfig } from '@apichain/client';
import { startChain } from '@apichain/testing';
import { Cluster, resources } from './batch-controllers/cluster.ts';
import { sessions } from './batch-controllers/sessions.ts';
import { report, settled } from './workload-controllers/differences.ts';
import { type Implementation, ours, theirs } from './workload-controllers/implementations.ts';
import { normalized } from './workload-controllers/normalized.ts';

/**
 * Runs sessions with Jobs, CronJobs, Services, disruption budgets, autoscalers and nodes, at the same time on one chain, with kube-controller-manager and
 * then with our controllers, and compares all objects and events at the end: `node tools/compatibility/batch-controllers.ts KUBE_CONTROLLER_MANAGER
 * [SESSION]...`. A third time, ours take over from kube-controller-manager after 20 seconds. Fails if anything differs.
 */

const controllers = [
  ...[
    'job',
    'cronjob',
    'endpoint',
    'endpointslice',
    'endpointslicemirroring',
    'disruption',
    'horizontalpodautoscaling',
  ],
  ...['podgc', 'taint-eviction-controller', 'nodelifecycle', 'replicaset', 'deployment', 'garbagecollector'],
];
const compared: readonly ResourceReference[] = Object.entries(resources)
  .filter(([name]) => name !== 'services')
  .map(([, resource]) => resource);
const takeoverMs = 20_000;

/** What the server or the time of the session chooses: names, uids of objects that are gone, ports, and how often something was tried. */
const withoutChance = (text: string): string =>
  text
    .replace(/\b(tick|swap)-\d{8}\b/g, '$1-MINUTE')
    .replace(/\b((?:tick|swap)-MINUTE|[a-z]+(?:-\d)?)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-NAME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'UID')
    .replace(/(resourceVersion: )"\d+"/, '$1VERSION')
    .replace(/( kubernetes .*port: )\d+/, '$1PORT')
    .replace(/(HorizontalPodAutoscaler .*",)\d+(,\{)/, '$1COUNT$2');

const withoutEvents = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('Event '))
    .join('\n');

/** The state after all sessions, as text. */
async function run(start: Implementation, next: Implementation | undefined, only: readonly string[]): Promise<string> {
  await using chain = await startChain();
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  const cluster = new Cluster(client);
  let running = start(chain);
  try {
    await waitUntilRunning(cluster);
    const chosen = Object.entries(sessions).filter(([name]) => only.length === 0 || only.includes(name));
    const takeover =
      next === undefined
        ? undefined
        : changeAfter(takeoverMs, async () => {
            await running.stop();
            running = next(chain);
          });
    await Promise.all([...chosen.map(([, session]) => session(cluster)), takeover]);
    return normalized(await settled(client, compared), withoutChance);
  } finally {
    await running.stop();
    await client.close();
  }
}

async function changeAfter(delayMs: number, change: () => Promise<void>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  await change();
}

/** Sessions begin when the controllers do something. */
async function waitUntilRunning(cluster: Cluster): Promise<void> {
  await cluster.create<Job>('jobs', {
    ...{ kind: 'Job', metadata: { name: 'first' } },
    spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
  });
  await cluster.until('the controllers run', async () => {
    const { status } = await cluster.get<Job>('jobs', 'first');
    return status?.conditions?.length === 1;
  });
  await cluster.delete('jobs', 'first');
}

const [program, ...only] = process.argv.slice(2);
if (program === undefined) {
  process.stderr.write('usage: batch-controllers.ts KUBE_CONTROLLER_MANAGER [SESSION]...\n');
  process.exit(2);
}
const kubeControllerManager = theirs(program, controllers);
const expected = await run(kubeControllerManager, undefined, only);
const rows: readonly [what: string, first: Implementation, next: Implementation | undefined][] = [
  ['apichain', ours(controllers), undefined],
  ['apichain takes over', kubeControllerManager, ours(controllers)],
];
let differences = 0;
for (const [what, first, next] of rows) {
  const actual = await run(first, next, only);
  // A kube-controller-manager that is stopped loses events, and its successor registers nodes again.
  const compare = next === undefined ? (text: string) => text : withoutEvents;
  const found = report(what, compare(expected), compare(actual));
  process.stdout.write(`${what}: ${found} differences in ${expected.split('\n').length} lines\n`);
  differences += found;
}
process.exit(differences === 0 ? 0 : 1);
