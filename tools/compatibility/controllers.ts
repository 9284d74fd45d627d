/** Runs real controllers against a kube-apiserver and against the chain, and compares what they do. See docs/controllers.md. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { flags, needed, runCommand, UsageError } from '../command/command.ts';
import { Cluster } from './controllers/cluster.ts';
import { ClusterApi } from './controllers/cluster-api.ts';
import { type Beside, combinations } from './controllers/components.ts';
import { CoreSession } from './controllers/core-session.ts';
import { KubeStateMetrics } from './controllers/kube-state-metrics.ts';
import { Kueue } from './controllers/kueue.ts';
import { Namespaces } from './controllers/namespaces.ts';
import { NodeLoss } from './controllers/node-loss.ts';
import { PrometheusOperator } from './controllers/prometheus-operator.ts';
import { compareRuns, type Run } from './controllers/report.ts';
import { runSessions } from './controllers/run.ts';
import type { Session } from './controllers/session.ts';
import { WebsiteOperator } from './controllers/website-operator.ts';

const usage = `usage: KUBE_APISERVER=FILE node tools/compatibility/controllers.ts --kube-controller-manager FILE --kube-scheduler FILE [options]

  --beside LIST        what runs beside each server: go+kubelets, apichain+kubelets, go+simulated-nodes, apichain+simulated-nodes, or all.
                       The controllers and the scheduler of Kubernetes or of this project, with fake kubelets or simulated nodes. Compared are
                       those with the same nodes (go+kubelets)
  --kube-state-metrics FILE, --kube-state-metrics-tree DIR
  --prometheus-operator FILE, --prometheus-operator-webhook FILE, --prometheus-operator-tree DIR
  --kueue FILE, --kueue-tree DIR
  --cluster-api DIR    a folder with core, bootstrap, control-plane and infrastructure, --cluster-api-tree DIR
                       A controller is used when its program is given. The tree has its manifests: a checkout of the same version.
  --sessions REGEXP    only sessions of such names; controllers and a scheduler always run. node loss is one beside simulated nodes
  --server FILE        a server description; repeat for several; the first is the reference
                       (default: kube-apiserver, services and in-process of tools/compatibility/controllers/servers)
  --move-to FILE       a server description: instead of starting a server again, starts this one on its etcd and port
  --etcd FILE          (etcd)
  --out DIR            logs of the controllers, and report.json (a new folder for temporary files)`;

const directory = `${import.meta.dirname}/controllers/servers`;

/** Short, but longer than two renewals of a Lease. */
const nodeGraceSeconds = 22;

const parse = flags({
  server: { type: 'string', multiple: true },
  'move-to': { type: 'string' },
  etcd: { type: 'string', default: 'etcd' },
  out: { type: 'string' },
  beside: { type: 'string', default: 'go+kubelets' },
  sessions: { type: 'string', default: '' },
  'kube-controller-manager': { type: 'string' },
  'kube-scheduler': { type: 'string' },
  'kube-state-metrics': { type: 'string' },
  'kube-state-metrics-tree': { type: 'string' },
  'prometheus-operator': { type: 'string' },
  'prometheus-operator-webhook': { type: 'string' },
  'prometheus-operator-tree': { type: 'string' },
  kueue: { type: 'string' },
  'kueue-tree': { type: 'string' },
  'cluster-api': { type: 'string' },
  'cluster-api-tree': { type: 'string' },
});

type Values = ReturnType<typeof parse>;

async function run(values: Values): Promise<number> {
  const { 'kube-controller-manager': controllerManager, 'kube-scheduler': scheduler } = values;
  const beside = combinationsIn(values.beside);
  if (beside.some(([, { controllers }]) => controllers === 'go')) {
    needed('kube-controller-manager', controllerManager);
    needed('kube-scheduler', scheduler);
  }
  const out = values.out === undefined ? mkdtempSync(join(tmpdir(), 'apichain-controllers-')) : resolve(values.out);
  mkdirSync(out, { recursive: true });
  const files =
    values.server ?? ['kube-apiserver', 'services', 'in-process'].map((name) => `${directory}/${name}.json`);
  const wanted = new RegExp(values.sessions);
  const runs: (Run & Pick<Beside, 'nodes'>)[] = [];
  const pairs = beside.flatMap((combination) => files.map((file) => [file, combination] as const));
  for (const [file, [name, combination]] of pairs) {
    const cluster = await Cluster.start(file, values.etcd, out, beside.length === 1 ? undefined : name);
    const nodeLoss = combination.nodes === 'simulated-nodes' && wanted.test(NodeLoss.title);
    const coreFiles = { controllerManager, scheduler, ...(nodeLoss ? { nodeGraceSeconds } : {}) };
    const core = new CoreSession(cluster, combination, coreFiles, wanted.test('core'));
    const optional = optionalSessions(cluster, values).filter(({ name: each }) => wanted.test(each));
    const sessions = [core, ...(nodeLoss ? [new NodeLoss(cluster)] : []), ...optional];
    try {
      runs.push({ ...(await runSessions(cluster, sessions, values['move-to'])), ...combination });
    } finally {
      await cluster.stop();
    }
    writeFileSync(join(out, 'report.json'), `${JSON.stringify(runs.map(toJson), undefined, 2)}\n`);
  }
  console.log(`logs and report.json: ${out}`);
  // Simulated nodes report more about pods than the fake kubelets do.
  const groups = [...Map.groupBy(runs, ({ nodes }) => nodes).values()];
  return Math.max(...groups.map(compareRuns));
}

/** The combinations of a list, with their names. Throws UsageError that names what is none. */
function combinationsIn(list: string): (readonly [name: string, Beside])[] {
  if (list === 'all') return [...combinations];
  return list.split(',').map((name) => {
    const combination = combinations.get(name);
    if (combination === undefined)
      throw new UsageError(`--beside: ${JSON.stringify(name)} is none of ${[...combinations.keys()].join(', ')}, all`);
    return [name, combination];
  });
}

/** The sessions of the controllers whose programs are given. */
function optionalSessions(cluster: Cluster, values: Values): Session[] {
  const sessions: Session[] = [];
  const [metrics, metricsTree] = [values['kube-state-metrics'], values['kube-state-metrics-tree']];
  if (metrics !== undefined && metricsTree !== undefined)
    sessions.push(new KubeStateMetrics(cluster, metrics, metricsTree));
  const [operator, webhook] = [values['prometheus-operator'], values['prometheus-operator-webhook']];
  const operatorTree = values['prometheus-operator-tree'];
  if (operator !== undefined && webhook !== undefined && operatorTree !== undefined)
    sessions.push(new PrometheusOperator(cluster, { operator, webhook }, operatorTree));
  const [kueue, kueueTree] = [values.kueue, values['kueue-tree']];
  if (kueue !== undefined && kueueTree !== undefined) sessions.push(new Kueue(cluster, kueue, kueueTree));
  const [clusterApi, clusterApiTree] = [values['cluster-api'], values['cluster-api-tree']];
  if (clusterApi !== undefined && clusterApiTree !== undefined)
    sessions.push(new ClusterApi(cluster, clusterApi, clusterApiTree));
  sessions.push(new Namespaces(cluster), new WebsiteOperator(cluster));
  return sessions;
}

const toJson = ({ name, controllers, record, phases, errors }: Run) => ({
  ...{ name, controllers },
  texts: Object.fromEntries(record.texts),
  figures: Object.fromEntries(record.figures),
  phases: phases.map((phase) => ({ ...phase, requests: Object.fromEntries(phase.requests) })),
  errors: Object.fromEntries([...errors].map(([program, counts]) => [program, Object.fromEntries(counts)])),
});

await runCommand({ name: 'controllers', usage, parse, run });
